// Drawing: bars are pixels in an array, text and marks are drawn over them with the canvas.

const gutter = 82; // of the names of rows, in CSS pixels

// Colours that most colour-blind people can tell apart: Okabe and Ito, Color Universal Design (2008),
// except for the lanes, which are shades of blue.
const themes = {
  light: {
    back: "#ffffff", band: "#f4f5f7", text: "#1c1e21", faint: "#5d646d", line: "#d5d9de", mark: "#b0005e", depth: "#9aa2ad",
    few: "#7db9e8", all: "#06285c", join: "#00714f", split: "#b53f00",
    reasons: ["#d55e00", "#cc79a7", "#009e73", "#d8c400", "#e69f00", "#858b94", "#33373c"],
  },
  dark: {
    back: "#16181b", band: "#1c1f23", text: "#e8eaed", faint: "#a3abb5", line: "#3a4048", mark: "#ff7ac0", depth: "#69717c",
    few: "#2f74b0", all: "#9ad4ff", join: "#2fd3a2", split: "#ff8b3d",
    reasons: ["#ff7a1a", "#d98cb8", "#12b886", "#e6d838", "#e69f00", "#8b929c", "#d9dde2"],
  },
};
const homeColors = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#c5b800", "#7a7f87"];
let theme = themes.light;
let laneColor = [], reasonColor = [], reasonTint = [];

// rgb returns the three parts of a colour.
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const mix = (a, b, part) => a.map((v, i) => Math.round(v + (b[i] - v) * part));
// pixel returns a colour as a pixel of an array, which is little-endian.
const pixel = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
const hex = (c) => "#" + c.map((v) => v.toString(16).padStart(2, "0")).join("");

// homeColor is the colour of a static warp: eight hues, then lighter and darker ones.
function homeColor(row) {
  const c = rgb(homeColors[row % 8]), step = Math.floor(row / 8) % 4;
  return step === 0 ? c : mix(c, step === 2 ? [0, 0, 0] : [255, 255, 255], step === 3 ? 0.6 : 0.4);
}

// useTheme takes light or dark, and prepares the colours for warps of so many lanes.
function useTheme(dark, lanes) {
  theme = dark ? themes.dark : themes.light;
  laneColor = Array.from({ length: lanes + 1 }, (_, n) => mix(rgb(theme.few), rgb(theme.all), Math.max(0, n - 1) / Math.max(1, lanes - 1)));
  reasonColor = theme.reasons.map(rgb);
  reasonTint = reasonColor.map((c) => mix(rgb(theme.back), c, dark ? 0.38 : 0.32));
}

// A Surface is a canvas with an array of its pixels.
class Surface {
  constructor(canvas) {
    this.canvas = canvas;
    this.ctx = canvas.getContext("2d", { alpha: false });
    this.scale = 1;
  }
  // begin clears the surface, in the size that the canvas has on the page.
  begin(color) {
    this.scale = window.devicePixelRatio || 1;
    const w = Math.max(1, Math.round(this.canvas.clientWidth * this.scale));
    const h = Math.max(1, Math.round(this.canvas.clientHeight * this.scale));
    if (!this.image || this.w !== w || this.h !== h) {
      this.canvas.width = this.w = w;
      this.canvas.height = this.h = h;
      this.image = this.ctx.createImageData(w, h);
      this.buf = new Uint32Array(this.image.data.buffer);
    }
    this.buf.fill(color);
  }
  rect(x0, y0, x1, y1, color) {
    x0 = x0 < 0 ? 0 : x0;
    y0 = y0 < 0 ? 0 : y0;
    x1 = x1 > this.w ? this.w : x1;
    y1 = y1 > this.h ? this.h : y1;
    const buf = this.buf;
    if (x1 - x0 > 12) {
      for (let y = y0; y < y1; y++) buf.fill(color, y * this.w + x0, y * this.w + x1);
      return;
    }
    for (let y = y0; y < y1; y++) {
      for (let at = y * this.w + x0, end = y * this.w + x1; at < end; at++) buf[at] = color;
    }
  }
  // end shows the pixels. What follows is drawn over them, in CSS pixels.
  end() {
    this.ctx.setTransform(1, 0, 0, 1, 0, 0);
    this.ctx.putImageData(this.image, 0, 0);
    this.ctx.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    this.ctx.font = "12px system-ui, sans-serif";
    this.ctx.textBaseline = "middle";
  }
}

// layout places the rows of a panel: the chosen one is the highest.
function layout(slots, chosen, height) {
  const rows = [];
  const n = slots.length;
  const other = Math.max(15, Math.min(52, Math.floor((height - 90) / Math.max(1, n - 1))));
  const tall = Math.max(56, Math.min(130, height - other * (n - 1)));
  let y = 0;
  for (const s of slots) {
    const h = s.index === chosen ? tall : other;
    rows.push({ s, y, h });
    y += h;
  }
  return { rows, height: y };
}

// drawPanel draws the rows of an SM. view: t0 is the cycle at the left, cpp the cycles of a CSS pixel.
// Returns the number of drawn records, or parts.
function drawPanel(surface, p, view) {
  const d = p.data, lanes = p.trace.Lanes;
  surface.begin(pixel(rgb(theme.back)));
  const k = surface.scale, left = Math.round(gutter * k), width = surface.w, cpp = view.cpp / k;
  const height = surface.canvas.clientHeight;
  p.layout = layout(d.slots, p.slot, height);
  p.scroll = Math.max(0, Math.min(p.scroll, p.layout.height - height));
  const lanePixel = laneColor.map(pixel), reasonPixel = reasonColor.map(pixel), tintPixel = reasonTint.map(pixel);
  const bandPixel = pixel(rgb(theme.band)), depthPixel = pixel(rgb(theme.depth));
  const t0 = view.t0, t1 = view.t0 + (width - left) * cpp;
  const fine = d.levels[0].width;
  let drawn = 0;

  for (const row of p.layout.rows) {
    const y0 = Math.round((row.y - p.scroll) * k), y1 = Math.round((row.y + row.h - p.scroll) * k);
    if (y1 <= 0 || y0 >= surface.h) continue;
    const s = row.s;
    if (s.index % 2) surface.rect(left, y0, width, y1, bandPixel);
    const strip = Math.round((row.h >= 56 ? 9 : row.h >= 24 ? 5 : 2) * k);
    const memory = d.memoryFrom.length ? Math.round((row.h >= 56 ? 9 : row.h >= 24 ? 5 : 2) * k) : 0;
    const above = row.h >= 34 ? Math.round(9 * k) : Math.round(1 * k); // marks
    const base = y1 - strip - memory - Math.round(k); // the bars stand on this line
    const most = base - y0 - above;
    const sole = row.h >= 24 ? Math.round(3 * k) : Math.max(1, Math.round(1.5 * k));
    const high = (n) => Math.max(1, Math.round((most * n) / lanes));
    row.bars = [y0 + above, base];

    const wait = (x0, x1, reason, n) => {
      const h = Math.max(sole, high(n));
      surface.rect(x0, base - h, x1, base - sole, tintPixel[reason]);
      surface.rect(x0, base - sole, x1, base, reasonPixel[reason]);
    };
    // coarse draws a range of cycles of a level, one pixel after the other
    const coarse = (level, n, from, to) => {
      const x1 = Math.min(width, left + Math.ceil((to - t0) / cpp));
      for (let x = Math.max(left, left + Math.floor((from - t0) / cpp)); x < x1; x++) {
        const t = t0 + (x - left) * cpp - level.from;
        const a = Math.max(0, Math.floor(t / level.width));
        const b = Math.min(level.parts, Math.max(a + 1, Math.floor((t + cpp) / level.width)));
        let issues = 0, sum = 0, waited = 0, waitLanes = 0, reason = 0, longest = 0;
        for (let i = n * level.parts + a, end = n * level.parts + b; i < end; i++) {
          issues += level.issues[i];
          sum += level.lanes[i];
          waited += level.waited[i];
          waitLanes += level.waitLanes[i];
          if (level.waited[i] > longest) {
            longest = level.waited[i];
            reason = level.reason[i];
          }
        }
        if (!issues && !waited) continue;
        drawn++;
        const mean = issues ? sum / issues : waitLanes / waited;
        if (waited) wait(x, x + 1, reason, mean);
        if (issues) {
          // the share of cycles with an issue, at least enough to be seen
          const share = Math.max(0.25, Math.min(1, issues / ((b - a) * level.width)));
          const h = high(mean);
          surface.rect(x, base - h, x + 1, base - h + Math.max(1, Math.round(h * share)), lanePixel[Math.round(mean)]);
        }
      }
    };

    // steps draws a value between 0 and 1 that changes at the cycles of a list, in a strip above a line.
    // Of several changes within a pixel it draws the first and the last one.
    const steps = (list, cycleOf, valueOf, line, high, color) => {
      const end = Math.min(width, left + Math.ceil((d.to - t0) / cpp));
      const begins = (x) => t0 + (x - left) * cpp - d.from; // the cycle, in the window, at a pixel
      for (let x = Math.max(left, left + Math.floor((d.from - t0) / cpp)); x < end; ) {
        const first = after(list, 0, list.length, begins(x), cycleOf); // the first change behind the pixel's begin
        const last = after(list, first, list.length, begins(x + 1), cycleOf) - 1;
        const changes = last >= first, shown = changes ? [first - 1, first, last] : [first - 1];
        const h = Math.ceil(high * Math.max(...shown.map((i) => (i >= 0 ? valueOf(list[i]) : 0))));
        let next = x + 1;
        if (!changes) next = first < list.length ? Math.max(next, left + Math.floor((cycleOf(list[first]) + d.from - t0) / cpp)) : end;
        next = Math.min(next, end);
        if (h) surface.rect(x, line - h, next, line, color);
        x = next;
      }
    };

    const from = Math.max(t0, d.from), to = Math.min(t1, d.to);
    if (d.sums && s.sums >= 0) {
      if (t0 < d.from) coarse(d.sums, s.sums, Math.max(0, t0), Math.min(d.from, t1));
      if (t1 > d.to) coarse(d.sums, s.sums, Math.max(d.to, t0), t1);
    }
    if (from < to && cpp >= fine) {
      let at = 0;
      while (at + 1 < d.levels.length && d.levels[at + 1].width <= cpp) at++;
      coarse(d.levels[at], s.index, from, to);
    } else if (from < to) {
      const a = t0 - d.from, b = t1 - d.from; // in the window's cycles
      const place = (c) => left + Math.floor((c - a) / cpp);
      for (let w = after(d.waitTo, s.w0, s.w1, a); w < s.w1 && d.waitFrom[w] < b; w++) {
        drawn++;
        const x0 = place(d.waitFrom[w]);
        wait(x0 < left ? left : x0, Math.max(x0 + 1, place(d.waitTo[w])), d.waitReason[w], ones(d.waitMask[w]));
      }
      const gap = cpp < 0.2 ? Math.round(k) : 0;
      for (let i = after(d.cycle, s.i0, s.i1, a - 1); i < s.i1 && d.cycle[i] < b; i++) {
        drawn++;
        const x0 = place(d.cycle[i]), n = ones(d.mask[i]);
        if (x0 < left) continue;
        const x1 = Math.max(x0 + 1, place(d.cycle[i] + 1) - gap);
        surface.rect(x0, base - high(n), x1, base, lanePixel[n]);
      }
    }
    if (from < to) {
      steps(s.inFlight, (x) => x.cycle, (x) => Math.log1p(x.n) / Math.log1p(d.mostRequests), y1 - strip, memory, reasonPixel[4]);
      steps(s.depth, (e) => d.eventCycle[e], (e) => d.eventValue[e] / d.deepest, y1, strip, depthPixel);
    }
  }
  surface.end();
  drawMarks(surface, p, view);
  return drawn;
}

// triangle draws a mark of 8 pixels: down for a split, up for a join.
function triangle(ctx, x, y, up) {
  ctx.beginPath();
  ctx.moveTo(x - 4.5, up ? y + 4 : y - 4);
  ctx.lineTo(x + 4.5, up ? y + 4 : y - 4);
  ctx.lineTo(x, up ? y - 4 : y + 4);
  ctx.fill();
}

// cross draws the mark of a warp that was made of several: a plus, in a disc if all of its lanes are active.
function cross(ctx, x, y, full) {
  if (full) {
    ctx.beginPath();
    ctx.arc(x, y, 5, 0, 7);
    ctx.fill();
    ctx.fillStyle = theme.back;
  }
  ctx.fillRect(x - 4, y - 1, 8, 2);
  ctx.fillRect(x - 1, y - 4, 2, 8);
}

// drawMarks draws the names of rows, splits and joins, and the cursor.
function drawMarks(surface, p, view) {
  const { ctx } = surface, d = p.data;
  const width = surface.canvas.clientWidth, height = surface.canvas.clientHeight;
  const x = (cycle) => gutter + (cycle + d.from - view.t0) / view.cpp;
  ctx.save();
  ctx.beginPath();
  ctx.rect(gutter, 0, width - gutter, height);
  ctx.clip();
  const a = view.t0 - d.from, b = a + (width - gutter) * view.cpp;
  for (const row of p.layout.rows) {
    const y = row.y - p.scroll;
    if (y + row.h <= 0 || y >= height) continue;
    const s = row.s, chosen = s.index === p.slot;
    if (!chosen && view.cpp > 6) continue;
    let last = -100, important = false;
    for (let e = after(d.eventCycle, s.e0, s.e1, a - 1); e < s.e1 && d.eventCycle[e] < b; e++) {
      const of = d.eventKind[e];
      const split = of === kind.branch && splits(d, e);
      const join = of === kind.reconverge, merge = of === kind.merge, full = merge && fills(p, e);
      const barrier = of === kind.arrive || of === kind.release;
      if (!split && !join && !merge && !barrier) continue;
      const at = x(d.eventCycle[e]) + 0.5 / view.cpp;
      if (at - last < (chosen ? 5 : 9) && (!full || important)) continue;
      last = at;
      important = full;
      const middle = row.h >= 34 ? y + 4.5 : y + row.h / 2;
      ctx.fillStyle = split ? theme.split : join || merge ? theme.join : theme.reasons[1];
      if (row.h < 34) { // a mark on the bars needs an edge
        ctx.strokeStyle = theme.back;
        ctx.lineWidth = 2;
      }
      if (barrier) {
        ctx.beginPath();
        ctx.moveTo(at, middle - 4.5);
        ctx.lineTo(at + 4, middle);
        ctx.lineTo(at, middle + 4.5);
        ctx.lineTo(at - 4, middle);
        ctx.fill();
      } else if (merge) {
        cross(ctx, at, middle, full);
      } else {
        triangle(ctx, at, middle, join);
      }
    }
  }
  drawFound(ctx, p, view, height);
  const c = p.cursor;
  if (c) {
    const row = p.layout.rows[c.slot];
    const at = x(c.cycle), w = Math.max(2, 1 / view.cpp);
    if (row) {
      ctx.strokeStyle = theme.mark;
      ctx.lineWidth = 2;
      ctx.strokeRect(at - 1, row.y - p.scroll + 1, w + 2, row.h - 2);
    }
  }
  if (view.line !== undefined) {
    ctx.fillStyle = theme.mark;
    ctx.globalAlpha = 0.45;
    ctx.fillRect(gutter + (view.line - view.t0) / view.cpp, 0, 1, height);
    ctx.globalAlpha = 1;
  }
  if (view.place !== undefined && p.number === 0) { // where the page opened, if it was told
    const at = gutter + (view.place + 0.5 - view.t0) / view.cpp;
    ctx.strokeStyle = ctx.fillStyle = theme.split;
    ctx.lineWidth = 2;
    ctx.setLineDash([6, 4]);
    ctx.beginPath();
    ctx.moveTo(at, 0);
    ctx.lineTo(at, height);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.textAlign = at > width - 100 ? "right" : "left";
    ctx.fillText(`cycle ${view.place.toLocaleString("en")}`, at + (at > width - 100 ? -5 : 5), height - 10);
  }
  ctx.restore();

  ctx.fillStyle = theme.back;
  ctx.fillRect(0, 0, gutter - 4, height);
  for (const row of p.layout.rows) {
    const y = row.y - p.scroll;
    if (y + row.h <= 0 || y >= height) continue;
    const chosen = row.s.index === p.slot, name = y + row.h / 2;
    if (name < 6 || name > height - 6) continue;
    ctx.fillStyle = chosen ? theme.mark : theme.faint;
    ctx.font = chosen ? "600 12px system-ui, sans-serif" : "12px system-ui, sans-serif";
    ctx.textAlign = "right";
    ctx.fillText((chosen ? "▸ " : "") + p.name(row.s.slot), gutter - 9, name);
    ctx.fillStyle = theme.line;
    ctx.fillRect(gutter - 5, y + row.h - 1, 5, 1);
  }
}

// drawFound marks what was searched for: p.marks, in the order of cycles.
function drawFound(ctx, p, view, height) {
  if (!p.marks) return;
  const d = p.data, last = new Float64Array(d.slots.length).fill(-10), right = gutter + view.width;
  const w = Math.max(3, 1 / view.cpp);
  ctx.fillStyle = theme.mark;
  for (let n = after(p.marks, 0, p.marks.length, view.t0 - d.from - 1, (m) => m.cycle); n < p.marks.length; n++) {
    const { slot, cycle } = p.marks[n];
    const x = gutter + (cycle + d.from - view.t0) / view.cpp;
    if (x > right) break;
    if (x - last[slot] < 1) continue;
    last[slot] = x;
    const row = p.layout.rows[slot], y = row.y - p.scroll;
    if (y + row.h > 0 && y < height) ctx.fillRect(x - (w - 1 / view.cpp) / 2, y + row.h - (row.h >= 56 ? 14 : row.h >= 24 ? 9 : 5), w, row.h >= 24 ? 4 : 3);
  }
}

// splits reports whether a branch has lanes on both sides.
function splits(d, e) {
  const taken = (d.eventValue[e] & d.eventMask[e]) >>> 0;
  return taken !== 0 && taken !== d.eventMask[e];
}

// fills reports whether threads of several warps fill all lanes of a warp.
function fills(p, e) {
  return ones(p.data.eventMask[e]) === p.trace.Lanes;
}

// drawAxis draws the cycles above the panels.
function drawAxis(surface, view) {
  surface.begin(pixel(rgb(theme.back)));
  surface.end();
  const { ctx } = surface, width = surface.canvas.clientWidth;
  let step = Math.pow(10, Math.ceil(Math.log10(view.cpp * 60)));
  for (const part of [5, 2]) if (step / part >= view.cpp * 70) step /= part;
  step = Math.max(1, step);
  ctx.fillStyle = theme.faint;
  ctx.textAlign = "right";
  ctx.fillText("cycle", gutter - 9, 10);
  ctx.textAlign = "center";
  for (let t = Math.max(0, Math.ceil(view.t0 / step) * step); ; t += step) {
    const x = gutter + (t - view.t0) / view.cpp;
    if (x > width) break;
    if (x < gutter + 12) continue; // its number would cover the word
    ctx.fillText(t.toLocaleString("en"), Math.min(x, width - 24), 8);
    ctx.fillRect(x, 16, 1, 4);
  }
}

// drawOverview draws the whole run of an SM: how much is issued, with how many lanes, and the view.
function drawOverview(surface, p, view) {
  surface.begin(pixel(rgb(theme.band)));
  const d = p.data, k = surface.scale, left = Math.round(gutter * k);
  const n = Math.max(1, surface.w - left); // pixels; a hidden page has none
  const level = d.sums || d.levels.find((l) => l.parts <= 2 * n) || d.levels[d.levels.length - 1];
  const cycles = Math.max(p.trace.Span, view.cycles);
  const issues = new Float64Array(n), lanes = new Float64Array(n);
  for (let s = 0; s * level.parts < level.issues.length; s++) {
    for (let i = 0; i < level.parts; i++) {
      const at = s * level.parts + i;
      if (!level.issues[at]) continue;
      const a = ((level.from + i * level.width) / cycles) * n, b = ((level.from + (i + 1) * level.width) / cycles) * n;
      for (let x = Math.floor(a); x < Math.min(n, Math.max(b, Math.floor(a) + 1)); x++) {
        const part = Math.min(b, x + 1) - Math.max(a, x);
        issues[x] += (level.issues[at] * part) / (b - a);
        lanes[x] += (level.lanes[at] * part) / (b - a);
      }
    }
  }
  const top = Math.max(1e-9, issues.reduce((a, b) => Math.max(a, b), 0));
  const back = pixel(rgb(theme.back));
  surface.rect(0, 0, left, surface.h, back);
  for (let x = 0; x < n; x++) {
    if (!issues[x]) continue;
    const mean = Math.round(lanes[x] / issues[x]);
    const h = Math.max(Math.round(2 * k), Math.round(surface.h * Math.sqrt(issues[x] / top)));
    surface.rect(left + x, surface.h - h, left + x + 1, surface.h, pixel(laneColor[Math.max(1, Math.min(mean, laneColor.length - 1))]));
  }
  surface.end();
  const { ctx } = surface, width = surface.canvas.clientWidth - gutter;
  const at = (t) => gutter + (t / cycles) * width;
  const x0 = Math.max(gutter, at(view.t0)), x1 = Math.min(gutter + width - 1, at(view.t0 + width * view.cpp));
  ctx.fillStyle = theme.mark;
  ctx.globalAlpha = 0.16;
  ctx.fillRect(x0, 0, Math.max(3, x1 - x0), 30);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = theme.mark;
  ctx.lineWidth = 2;
  ctx.strokeRect(x0, 1, Math.max(3, x1 - x0), 28);
  if (p.marks) {
    ctx.fillStyle = theme.mark;
    for (let n = 0, last = -1; n < p.marks.length; n++) {
      const x = Math.floor(at(p.marks[n].cycle + d.from));
      if (x !== last) ctx.fillRect(x, 25, 1, 5);
      last = x;
    }
  }
  ctx.fillStyle = theme.faint;
  ctx.textAlign = "right";
  ctx.fillText("whole run", gutter - 9, 15);
}

// laneOf returns the lane of an issue that holds the marked thread of a panel, or -1.
function laneOf(p, i) {
  const d = p.data, { row, lane, from, to } = p.thread, cycle = d.cycle[i] + d.from;
  if (cycle < from || cycle >= to) return -1;
  if (!d.form[i]) return d.row[i] === row && (d.mask[i] >>> lane) & 1 ? lane : -1;
  for (let l = 0; l < p.trace.Lanes; l++) {
    if ((d.mask[i] >>> l) & 1 && d.homes[64 * d.form[i] + l] === row && d.homes[64 * d.form[i] + 32 + l] === lane) return l;
  }
  return -1;
}

const laneColumn = 26; // CSS pixels of an instruction in the lanes

// orderOf lists the issues of the chosen warp, of all of its paths, in the order of their cycles. Each
// has the number of its row.
function orderOf(p) {
  const d = p.data, { Slots, Warps } = p.trace, paths = p.mixed || !Warps || Slots % Warps ? 1 : Slots / Warps;
  const warp = Math.floor(d.slots[p.slot].slot / paths);
  if (p.order && p.order.of === d && p.order.warp === warp) return p.order;
  const list = [];
  for (const s of d.slots) {
    if (Math.floor(s.slot / paths) === warp) for (let i = s.i0; i < s.i1; i++) list.push({ i, slot: s.index });
  }
  if (paths > 1) list.sort((a, b) => d.cycle[a.i] - d.cycle[b.i]);
  p.order = { of: d, warp, list };
  return p.order;
}

// drawLanes draws the lanes of the chosen warp, from the issue p.first of its order on.
function drawLanes(surface, p) {
  const d = p.data, lanes = p.trace.Lanes, { list } = p.order;
  surface.begin(pixel(rgb(theme.back)));
  const k = surface.scale, h = surface.canvas.clientHeight, w = surface.canvas.clientWidth;
  const top = 14, bottom = 18, each = (h - top - bottom) / lanes;
  const shown = list.slice(p.first, p.first + Math.floor((w - gutter) / laneColumn));
  const seen = new Set();
  const empty = pixel(rgb(theme.band));
  shown.forEach(({ i }, n) => {
    const x0 = Math.round((gutter + n * laneColumn) * k), x1 = Math.round((gutter + (n + 1) * laneColumn - 2) * k);
    for (let l = 0; l < lanes; l++) {
      const y0 = Math.round((top + l * each) * k), y1 = Math.round((top + (l + 1) * each) * k) - (each * k >= 3 ? 1 : 0);
      let color = empty, row = -1;
      if ((d.mask[i] >>> l) & 1) {
        row = homeOf(d, i, l).row;
        seen.add(row);
        color = pixel(homeColor(row));
      }
      surface.rect(x0, y0, x1, y1, color);
      // a lane whose guard is false does nothing
      if (row >= 0 && (d.off[i] >>> l) & 1) surface.rect(x0 + Math.round(4 * k), y0, x1 - Math.round(4 * k), y1, empty);
    }
  });
  surface.end();
  const { ctx } = surface;
  ctx.textAlign = "center";
  shown.forEach(({ i, slot }, n) => {
    const s = d.slots[slot], x = gutter + n * laneColumn + (laneColumn - 2) / 2;
    ctx.fillStyle = theme.faint;
    ctx.fillText(d.pc[i], x, h - 8);
    // marks of the events from this issue up to the next one of the row
    const end = i + 1 < s.i1 ? d.cycle[i + 1] : Infinity;
    for (let e = after(d.eventCycle, s.e0, s.e1, d.cycle[i] - 1); e < s.e1 && d.eventCycle[e] < end; e++) {
      if (d.eventKind[e] === kind.branch && splits(d, e)) {
        ctx.fillStyle = theme.split;
        triangle(ctx, x, 7, false);
      } else if (d.eventKind[e] === kind.reconverge) {
        ctx.fillStyle = theme.join;
        triangle(ctx, x, 7, true);
      } else if (d.eventKind[e] === kind.merge) {
        ctx.fillStyle = theme.join;
        cross(ctx, x, 7, fills(p, e));
      }
    }
    const of = p.thread ? laneOf(p, i) : -1;
    if (of >= 0) {
      ctx.strokeStyle = theme.mark;
      ctx.lineWidth = 2;
      ctx.strokeRect(gutter + n * laneColumn, top + of * each, laneColumn - 3, Math.max(3, each - 1));
    }
    if (p.cursor && p.cursor.issue === i) {
      ctx.strokeStyle = theme.mark;
      ctx.lineWidth = 2;
      ctx.strokeRect(gutter + n * laneColumn - 1, 1, laneColumn, h - 2);
    }
  });
  ctx.fillStyle = theme.faint;
  ctx.textAlign = "right";
  ctx.fillText("lane 0", gutter - 9, top + 5);
  ctx.fillText(`lane ${lanes - 1}`, gutter - 9, h - bottom - 5);
  ctx.fillText("PC", gutter - 9, h - 8);
  return [...seen].sort((a, b) => a - b);
}
