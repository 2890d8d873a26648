// The page: what is shown, and what keys, clicks and searches do.

const $ = (id) => document.getElementById(id);
let head; // see page.go
let panels = []; // one for each trace
let active = 0; // number of the panel that keys, search and program belong to
let sm = 0;
let view = { t0: 0, cpp: 1, cycles: 1 };
let opened; // the view at the beginning
let listing;
let found = null; // of the search: { what, list of { slot, cycle, issue }, at }
let hover = null;
let asked = false; // a frame is asked for

// Panel is a trace on the page, with an SM of it.
class Panel {
  constructor(trace, number) {
    this.trace = trace;
    this.number = number;
    this.slot = 0; // index of the chosen row
    this.scroll = 0;
    this.thread = null; // the thread that was searched for: { row, lane } and its cycles
    this.first = 0; // first issue in the lanes, of orderOf
    this.cursor = null; // { slot, cycle, issue or event }
    this.marks = null; // what was searched for: a list of { slot, cycle, issue }
    const box = element("div", "panel");
    this.title = element("div", "title");
    const canvas = element("canvas");
    canvas.setAttribute("role", "img");
    canvas.tabIndex = 0;
    box.append(this.title, canvas);
    $("panels").append(box);
    this.box = box;
    this.surface = new Surface(canvas);
    mouse(this, canvas);
  }
  async load(of) {
    this.data = await readSM(this.trace, this.number, of);
    this.slot = Math.min(this.slot, Math.max(0, this.data.slots.length - 1));
    this.cursor = this.marks = this.thread = null;
    this.mixed = this.trace.Mixed; // slots hold threads of several warps
    const t = this.trace;
    const cut = this.trace.Parts[of].Sums
      ? ` · issue by issue from cycle ${this.data.from.toLocaleString("en")} to ${this.data.to.toLocaleString("en")}, sums elsewhere` : "";
    this.title.replaceChildren(element("b", "", t.Mechanism), ` ${t.Name} · ${t.Cycles.toLocaleString("en")} cycles` +
      ` · ${t.Issues.toLocaleString("en")} issues · ${t.Outcome}${cut}`);
    if (head.At && head.At.Note && this.number === 0) {
      const note = element("b", "note", ` · ${head.At.Note}`);
      this.title.append(note);
      this.title.title = head.At.Note;
    }
    this.surface.canvas.setAttribute("aria-label", `warps by cycles under ${t.Mechanism}, SM ${of}`);
  }
  // name names a slot: a warp, a path of one, or a slot for any threads.
  name(slot) {
    const { Warps, Slots } = this.trace;
    if (this.mixed) return `slot ${slot}`;
    if (Slots === Warps || !Warps) return `warp ${slot}`;
    if (Slots % Warps === 0) return `warp ${Math.floor(slot / (Slots / Warps))}.${slot % (Slots / Warps)}`;
    return `slot ${slot}`;
  }
  program(cycle) {
    let at = 0;
    this.trace.Launches.forEach((l, i) => { if (l.Cycle <= cycle) at = i; });
    const l = this.trace.Launches[at];
    return this.trace.Programs[l ? l.Program : 0];
  }
}

const current = () => panels[active];
const middle = () => view.t0 + (view.width * view.cpp) / 2;

// ask draws with the next frame.
function ask() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    draw();
  });
}

let axis, overview, laneSurface;

// draw draws everything. Returns the number of drawn records.
function draw() {
  view.width = Math.max(50, $("axis").clientWidth - gutter);
  limit();
  const p = current();
  let drawn = 0;
  drawAxis(axis, view);
  drawOverview(overview, p, view);
  for (const each of panels) {
    each.box.classList.toggle("active", panels.length > 1 && each === p);
    drawn += drawPanel(each.surface, each, view);
  }
  drawProgram(p);
  // the lanes begin at the left of the view, or follow the cursor
  if (p.data.slots[p.slot]) {
    const { list } = orderOf(p), columns = Math.max(1, Math.floor(view.width / laneColumn)), c = p.cursor;
    const from = c && c.issue !== undefined ? p.data.cycle[c.issue] : view.t0 - p.data.from;
    let first = after(list, 0, list.length, from - 1, (x) => p.data.cycle[x.i]);
    if (c && c.issue !== undefined) first -= Math.floor(columns / 3);
    p.first = Math.max(0, Math.min(first, list.length - columns));
    showHomes(p, drawLanes(laneSurface, p));
  }
  return drawn;
}

// limit keeps the view in the run.
function limit() {
  const most = Math.max(view.cycles / view.width, 0.02) * 1.02;
  view.cpp = Math.max(0.02, Math.min(view.cpp, most));
  const slack = view.width * view.cpp * 0.02;
  view.t0 = Math.max(-slack, Math.min(view.t0, Math.max(-slack, view.cycles + slack - view.width * view.cpp)));
}

let programKey;
// drawProgram shows the program that runs.
function drawProgram(p) {
  const program = p.program(p.cursor ? p.cursor.cycle + p.data.from : middle());
  const key = p.number + ":" + p.trace.Programs.indexOf(program) + theme.back;
  if (!program || key === programKey) return;
  programKey = key;
  listing.show(program, head.Files, p.trace.Mechanism);
  listing.pcNow = undefined;
  if (p.cursor) inspect(p, p.cursor);
}

// showHomes explains the colours of the lanes.
function showHomes(p, rows) {
  const s = p.data.slots[p.slot];
  const first = p.order.list[p.first], cycle = first ? p.data.cycle[first.i] + p.data.from : 0;
  $("lanestitle").replaceChildren(element("b", "", `lanes of ${p.name(s.slot).replace(/\..*/, "")}`),
    ` under ${p.trace.Mechanism}, instruction by instruction; colour: the static warp that a thread was started in`);
  $("homes").replaceChildren(...rows.map((row) => {
    const item = element("span"), color = element("i");
    color.style.background = hex(homeColor(row));
    const w = warpIn(p.data, row, cycle);
    item.append(color, `warp ${row}` + (w ? ` (CTA ${w.cta}, its warp ${w.warp})` : ""));
    return item;
  }));
}

// showLegend explains the colours of the bars.
function showLegend() {
  const lanes = current().trace.Lanes;
  const item = (color, text, title = "") => {
    const e = element("span"), c = element("i");
    c.style.background = color;
    e.title = title;
    e.append(c, text);
    return e;
  };
  const mark = (sign, color, text) => {
    const e = element("span"), c = element("span", "", sign + " ");
    c.style.color = color;
    e.append(c, text);
    return e;
  };
  const shades = [1, Math.ceil(lanes / 2), lanes].map((n) => item(hex(laneColor[n]), n === 1 ? "issue: 1 lane" : `${n} lanes`));
  $("legend").replaceChildren(...shades, ...reasons.map((r, i) => item(theme.reasons[i], (i ? "" : "waits for ") + r, reasonTitles[i])),
    item(theme.reasons[4], "strip: memory requests in flight"), item(theme.depth, "strip: depth of the stack"),
    mark("▼", theme.split, "split"), mark("▲", theme.join, "join"),
    ...(panels.some((p) => p.mixed) ? [mark("✚", theme.join, "warp of several"), mark("⊕", theme.join, "full warp of several")] : []), mark("◆", theme.reasons[1], "CTA barrier"));
}

// say writes a message below the page.
function say(text) {
  $("status").textContent = text;
}

// maskOf draws a mask as boxes, lane 0 at the left.
function maskOf(p, mask, color) {
  const box = element("div", "mask");
  box.title = "lane 0 is at the left";
  for (let l = 0; l < p.trace.Lanes; l++) {
    const i = element("i");
    if ((mask >>> l) & 1) i.style.background = color(l);
    box.append(i);
  }
  return box;
}

// stackOf lists the entries of a slot's stack in a cycle of the window, from the top down. The top one
// runs. Another one continues where it was pushed, or, if it has run, where the one above ends.
function stackOf(d, s, cycle) {
  let at = s.depth.length - 1;
  while (at >= 0 && d.eventCycle[s.depth[at]] > cycle) at--;
  const list = [];
  let depth = at >= 0 ? d.eventValue[s.depth[at]] : 0, above;
  for (; at >= 0 && depth > 0; at--) {
    const e = s.depth[at];
    if (d.eventKind[e] === kind.push && d.eventValue[e] === depth) {
      const ran = above !== undefined && d.eventCycle[above] > d.eventCycle[e];
      list.push({ pc: above === undefined ? undefined : ran ? s.beneath.get(above) : d.eventPC[e], mask: d.eventMask[e] });
      above = e;
      depth--;
    }
  }
  return list;
}

// requestsOf lists the memory requests of an issue: those of its PC up to the next issue of that PC.
function requestsOf(d, s, i) {
  let end = Infinity;
  for (let n = i + 1; n < s.i1 && end === Infinity; n++) if (d.pc[n] === d.pc[i]) end = d.cycle[n];
  const list = [];
  for (let m = s.m0; m < s.m1; m++) {
    if (d.memoryPC[m] === d.pc[i] && d.memoryFrom[m] >= d.cycle[i] && d.memoryFrom[m] < end) list.push(m);
  }
  return list;
}

// inspect describes a record, or a place without one, and marks its line. It tells the events up to near
// cycles away.
function inspect(p, c, near = 0) {
  const d = p.data, s = d.slots[c.slot], out = [];
  const line = (...parts) => {
    const e = element("div");
    e.append(...parts);
    out.push(e);
  };
  const where = (cycle) => `cycle ${(cycle + d.from).toLocaleString("en")} · SM ${sm} · ${p.name(s.slot)}`;
  const code = (pc) => {
    const program = p.program(c.cycle + d.from);
    if (!program || program.Text[pc] === undefined) return;
    line(element("code", "", `PC ${pc}: ${program.Text[pc]}`));
    if (program.Line[pc]) line(`${head.Files[program.Of[pc]].Name}:${program.Line[pc]}`);
  };
  const warp = (row) => {
    const w = warpIn(d, row, c.cycle + d.from);
    if (!w) return "";
    const named = p.name(s.slot).match(/^warp (\d+)/);
    return ` · CTA ${w.cta}` + (named && Number(named[1]) === w.warp ? "" : `, its warp ${w.warp}`);
  };
  let pc;
  if (c.issue !== undefined) {
    const i = c.issue, n = ones(d.mask[i]);
    pc = d.pc[i];
    const rows = new Map();
    for (let l = 0; l < p.trace.Lanes; l++) {
      if ((d.mask[i] >>> l) & 1) rows.set(homeOf(d, i, l).row, 1 + (rows.get(homeOf(d, i, l).row) || 0));
    }
    line(element("b", "", `${n} of ${p.trace.Lanes} lanes`), ` · ${where(d.cycle[i])}${d.form[i] ? "" : warp(d.row[i])}`);
    code(pc);
    line(maskOf(p, d.mask[i], (l) => hex(homeColor(homeOf(d, i, l).row))));
    const notes = [`mask ${d.mask[i].toString(16).padStart(Math.ceil(p.trace.Lanes / 4), "0")}`];
    if (d.form[i]) notes.push("threads of " + [...rows].sort((a, b) => a[0] - b[0]).map(([r, of]) => `warp ${r}: ${of}`).join(", "));
    if (d.off[i]) notes.push(`predicate false in ${ones(d.off[i])} lanes`);
    if (d.inserted[i]) notes.push("inserted by the mechanism");
    line(notes.join(" · "));
  } else if (c.wait !== undefined) {
    const w = c.wait;
    pc = d.waitPC[w];
    line(element("b", "", `waits for ${reasons[d.waitReason[w]]}`), ` · ${where(d.waitFrom[w])} up to ` +
      `${(d.waitTo[w] + d.from).toLocaleString("en")}: ${(d.waitTo[w] - d.waitFrom[w]).toLocaleString("en")} cycles`);
    code(pc);
    line(maskOf(p, d.waitMask[w], () => theme.reasons[d.waitReason[w]]));
  } else {
    line(where(c.cycle));
  }
  // the events of this cycle, and those of the instruction until the slot issues again
  const i = c.issue, first = i === undefined ? c.cycle - near : d.cycle[i];
  const end = i === undefined ? c.cycle + 1 + near : i + 1 < s.i1 ? d.cycle[i + 1] : Infinity;
  for (let e = after(d.eventCycle, s.e0, s.e1, first - 1); e < s.e1 && d.eventCycle[e] < Math.max(end, c.cycle + 1); e++) {
    if (i !== undefined && d.eventCycle[e] !== first && d.eventPC[e] !== pc) continue;
    const of = d.eventKind[e];
    if (of === kind.push || of === kind.pop || (of === kind.branch && !splits(d, e))) continue;
    const together = () => `${ones(d.eventMask[e])} of ${p.trace.Lanes} lanes together, the largest group before had ${ones(d.eventValue[e])}`;
    let text = kindNames[of];
    if (of === kind.branch) text = `▼ the branch at PC ${d.eventPC[e]} splits: ${ones(d.eventValue[e] & d.eventMask[e])} lanes ` +
      `take it, ${ones(d.eventMask[e] & ~d.eventValue[e])} do not`;
    if (of === kind.reconverge) text = `▲ ${kindNames[of]}: ${together()}`;
    if (of === kind.merge) text = fills(p, e) ? `⊕ threads of several warps fill all ${p.trace.Lanes} lanes` : `✚ threads of several warps: ${together()}`;
    text += `, cycle ${(d.eventCycle[e] + d.from).toLocaleString("en")}`;
    if (of === kind.merge) {
      let made = e;
      while (made >= s.e0 && d.eventKind[made] !== kind.compact) made--;
      if (made >= s.e0) text += `; compacted in cycle ${(d.eventCycle[made] + d.from).toLocaleString("en")}`;
    }
    line(element("b", "", text));
  }
  const request = (m) => `${accesses[d.memoryWhat[m] % 16]} of line 0x${(32 * d.memoryLine[m]).toString(16)}` +
    (d.memoryLong[m] ? `: ${finds[Math.floor(d.memoryWhat[m] / 16)]}, reply after ${d.memoryLong[m].toLocaleString("en")} cycles` : "");
  const requests = (what, list) => {
    if (list.length) line(element("b", "", what(list.length)), ` · ${list.slice(0, 3).map(request).join(" · ")}${list.length > 3 ? " …" : ""}`);
  };
  if (c.issue !== undefined) {
    requests((n) => (n === 1 ? "1 memory request" : `${n} memory requests`), requestsOf(d, s, c.issue));
  } else {
    const list = [];
    for (let m = s.m0; m < s.m1; m++) {
      if (d.memoryFrom[m] <= c.cycle && c.cycle < d.memoryFrom[m] + Math.max(1, d.memoryLong[m])) list.push(m);
    }
    requests((n) => `${n} in flight`, list);
  }
  const stack = stackOf(d, s, c.cycle);
  if (stack.length) {
    const digits = Math.ceil(p.trace.Lanes / 4);
    const goesOn = (x, i) => (i === 0 ? "runs" : x.pc === undefined ? "waits" : x.pc === noPC ? "to the end" : `to PC ${x.pc}`);
    line(`stack${p.mixed ? " of the CTA" : ""}, top first: ` + stack.slice(0, 6).map((x, i) =>
      goesOn(x, i) + (x.mask ? ", mask " + x.mask.toString(16).padStart(digits, "0") : "")).join(" · ") + (stack.length > 6 ? " …" : ""));
  }
  $("info").replaceChildren(...out);
  if (pc !== undefined) listing.now(pc);
}

// at returns what a panel shows at a place: { slot, cycle } and issue or wait.
function at(p, x, y) {
  const d = p.data, row = p.layout.rows.find((r) => y + p.scroll >= r.y && y + p.scroll < r.y + r.h);
  if (!row || x < gutter) return row ? { slot: row.s.index } : null;
  const t = view.t0 + (x - gutter) * view.cpp - d.from, s = row.s;
  const c = { slot: s.index, cycle: Math.max(0, Math.floor(t)) };
  const next = after(d.cycle, s.i0, s.i1, t);
  let best = 4 * view.cpp; // four pixels
  for (const i of [next - 1, next]) {
    if (i < s.i0 || i >= s.i1) continue;
    const distance = t < d.cycle[i] ? d.cycle[i] - t : Math.max(0, t - d.cycle[i] - 1);
    if (distance < best) {
      best = distance;
      c.issue = i;
    }
  }
  if (c.issue !== undefined) {
    c.cycle = d.cycle[c.issue];
    return c;
  }
  const w = after(d.waitTo, s.w0, s.w1, t);
  if (w < s.w1 && d.waitFrom[w] <= t) c.wait = w;
  return c;
}

// choose moves the cursor of a panel, and the view if the cursor is not in it.
function choose(p, c, move = true) {
  active = p.number;
  p.slot = c.slot;
  p.cursor = c.cycle === undefined ? null : c;
  for (const other of panels) if (other !== p) follow(other, p);
  if (p.cursor) {
    const t = c.cycle + p.data.from, wide = view.width * view.cpp;
    view.line = t;
    if (move && (t < view.t0 + wide * 0.05 || t > view.t0 + wide * 0.9)) view.t0 = t - wide / 3;
    inspect(p, c);
  }
  draw(); // places the rows
  const row = p.layout.rows[p.slot], high = p.surface.canvas.clientHeight;
  if (row.y < p.scroll || row.y + row.h > p.scroll + high) {
    p.scroll = row.y - (high - row.h) / 2;
    ask();
  }
}

// follow chooses the row of another panel that runs the same static warp.
function follow(p, like) {
  const d = like.data, s = d.slots[like.slot];
  p.cursor = null;
  if (!s || !p.data.slots.length) return;
  const row = s.i1 > s.i0 ? d.row[s.i0] : s.slot;
  const same = p.data.slots.findIndex((o) => o.i1 > o.i0 && p.data.row[o.i0] === row);
  p.slot = same >= 0 ? same : Math.min(like.slot, p.data.slots.length - 1);
  const part = p.layout && p.layout.rows[p.slot];
  if (part) p.scroll = part.y - p.surface.canvas.clientHeight / 2;
}

// issueAt returns the issue of a slot in a cycle, or the last one before it.
function issueAt(d, s, cycle) {
  const i = after(d.cycle, s.i0, s.i1, cycle) - 1;
  return i >= s.i0 ? i : undefined;
}

// events lists the events of an SM that are wanted, in the order of their cycles.
function events(p, wanted) {
  const d = p.data, list = [];
  for (const s of d.slots) {
    for (let e = s.e0; e < s.e1; e++) {
      if (wanted(d, e)) list.push({ slot: s.index, cycle: d.eventCycle[e], issue: issueOfEvent(d, s, e), event: e });
    }
  }
  return list.sort((a, b) => a.cycle - b.cycle || a.slot - b.slot);
}

// issueOfEvent returns the last issue of the event's instruction up to the event.
function issueOfEvent(d, s, e) {
  const last = issueAt(d, s, d.eventCycle[e]);
  for (let i = last; i >= s.i0 && i > last - 8; i--) if (d.pc[i] === d.eventPC[e]) return i;
  return last;
}

// accessesOf lists the issues that send memory requests, in the order of the requests.
function accessesOf(p) {
  const d = p.data, list = [];
  for (const s of d.slots) {
    const seen = new Set();
    for (let m = s.m0; m < s.m1; m++) {
      if (d.memoryPC[m] === noPC) continue; // a stack sends it
      let i = issueAt(d, s, d.memoryFrom[m]);
      while (i >= s.i0 && d.pc[i] !== d.memoryPC[m]) i--;
      if (i === undefined || i < s.i0 || seen.has(i)) continue;
      seen.add(i);
      list.push({ slot: s.index, cycle: d.cycle[i], issue: i });
    }
  }
  return list.sort((a, b) => a.cycle - b.cycle || a.slot - b.slot);
}

const isSplit = (d, e) => d.eventKind[e] === kind.branch && splits(d, e);
const isJoin = (d, e) => d.eventKind[e] === kind.reconverge || d.eventKind[e] === kind.merge;
const isMerge = (d, e) => d.eventKind[e] === kind.merge;
const isFull = (d, e) => isMerge(d, e) && fills(current(), e);

// regrouping chooses the panel that keys about compactions are for: the chosen one, or the first that has
// some.
function regrouping() {
  if (!current().mixed) active = Math.max(0, panels.findIndex((p) => p.mixed));
  return current();
}
const isBarrier = (d, e) => d.eventKind[e] === kind.arrive || d.eventKind[e] === kind.release;

// step goes to the next place of a list, or the previous one: of the chosen row, or of any if it has none.
function step(all, back, name) {
  const p = current(), seen = view.line >= view.t0 && view.line < view.t0 + view.width * view.cpp;
  const from = p.cursor ? p.cursor.cycle : (seen ? view.line : view.t0) - p.data.from;
  const ahead = (list) => (back ? list.filter((e) => e.cycle < from).pop() : list.find((e) => e.cycle > from));
  let to = ahead(all.filter((e) => e.slot === p.slot)), other = "";
  if (!to) {
    to = ahead(all);
    other = p.mixed ? ", in another slot" : ", of another warp";
  }
  if (!to) return say(`no ${name} ${back ? "before" : "after"} cycle ${(Math.floor(from) + p.data.from).toLocaleString("en")} in SM ${sm}`);
  const e = { slot: to.slot, cycle: to.cycle };
  if (to.issue !== undefined && (to.event === undefined || p.data.pc[to.issue] === p.data.eventPC[to.event])) e.issue = to.issue;
  choose(p, e);
  say(`${name} in cycle ${(to.cycle + p.data.from).toLocaleString("en")}${other}`);
}

// fullWarp goes to the next full warp of several, or the previous one: in another SM, if this one has none.
async function fullWarp(back) {
  const p = regrouping(), full = p.trace.Full, name = "full warp of several";
  if (p.mixed && !full[sm]) {
    const other = full.map((_, i) => (sm + i) % full.length).find((n) => full[n]);
    if (other === undefined) return say(`no ${name} in the run`);
    await showSM(other);
    view.t0 = 0;
    delete view.line;
    step(events(p, isFull), false, `SM ${other}: ${name}`);
    return;
  }
  step(events(p, isFull), back, name);
}

// neighbour goes to the next instruction of the chosen row.
function neighbour(by) {
  const p = current(), s = p.data.slots[p.slot];
  if (!s || s.i1 === s.i0) return;
  const c = p.cursor;
  let i = c && c.issue !== undefined ? c.issue + by : issueAt(p.data, s, c ? c.cycle : middle() - p.data.from);
  i = Math.max(s.i0, Math.min(i === undefined ? s.i0 : i, s.i1 - 1));
  choose(p, { slot: p.slot, cycle: p.data.cycle[i], issue: i });
}

// zoom scales the view and keeps the cycle at a place of it.
function zoom(by, x = view.width / 2) {
  const t = view.t0 + x * view.cpp;
  view.cpp *= by;
  limit();
  view.t0 = t - x * view.cpp;
  ask();
}

function pan(pixels) {
  view.t0 += pixels * view.cpp;
  ask();
}

// mouse makes a panel hover, click, drag and zoom.
function mouse(p, canvas) {
  let drag = null;
  const place = (e) => [e.offsetX, e.offsetY];
  canvas.addEventListener("pointerdown", (e) => {
    drag = { x: e.offsetX, y: e.offsetY, t0: view.t0, scroll: p.scroll, moved: false };
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointermove", (e) => {
    if (drag) {
      drag.moved = drag.moved || Math.hypot(e.offsetX - drag.x, e.offsetY - drag.y) > 4;
      if (!drag.moved) return;
      view.t0 = drag.t0 - (e.offsetX - drag.x) * view.cpp;
      p.scroll = drag.scroll - (e.offsetY - drag.y);
      return ask();
    }
    hover = at(p, ...place(e));
    if (hover && hover.cycle !== undefined) inspect(p, hover, hover.issue === undefined ? Math.floor(4 * view.cpp) : 0);
  });
  canvas.addEventListener("pointerup", (e) => {
    const clicked = drag && !drag.moved;
    drag = null;
    const c = clicked && at(p, ...place(e));
    if (c) choose(p, c, false);
  });
  canvas.addEventListener("pointerleave", () => {
    if (current().cursor) inspect(current(), current().cursor);
  });
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) pan(e.deltaX || e.deltaY);
    else if (e.altKey) p.scroll += e.deltaY, ask();
    else zoom(Math.exp(e.deltaY * 0.0015), e.offsetX - gutter);
  }, { passive: false });
}

// search finds what a text asks for, marks it and goes to the first place after the cursor.
async function search(text) {
  text = text.trim();
  const p = current(), d = p.data;
  let m;
  if (!text) return forget();
  if ((m = text.match(/^(?:cycle|@)\s*(\d+)$/i))) {
    view.t0 = Number(m[1]) - (view.width * view.cpp) / 3;
    const s = d.slots[p.slot], t = Number(m[1]) - d.from, i = issueAt(d, s, t);
    choose(p, i !== undefined && d.cycle[i] === t ? { slot: p.slot, cycle: t, issue: i } : { slot: p.slot, cycle: Math.max(0, t) });
    return say(`cycle ${m[1]}`);
  }
  for (const [word, of] of Object.entries({
    "barriers?": isBarrier, "splits?|divergences?": isSplit, "joins?|reconvergences?": isJoin, "compactions?": isMerge,
    "full( warps?)?": isFull,
  })) {
    if (new RegExp(`^(${word})$`, "i").test(text)) return mark(text, events(p, of));
  }
  if ((m = text.match(/^(?:warp|slot)\s*(\d+(?:\.\d+)?)$/i))) {
    const s = d.slots.find((s) => [m[1], m[1] + ".0"].includes(p.name(s.slot).split(" ")[1]));
    if (s) choose(p, { slot: s.index });
    return say(s ? p.name(s.slot) : `no ${text} in SM ${sm}`);
  }
  if ((m = text.match(/^cta\s*(\d+)$/i))) return findThread(p, 0, m[1]);
  if (/^memory$/i.test(text)) return mark(text, accessesOf(p));
  if ((m = text.match(/^thread\s*(\d+)(?:\s*(?:of\s*)?cta\s*(\d+))?$/i))) return findThread(p, Number(m[1]), m[2]);
  const program = p.program(middle());
  let pcs = [], what = text;
  if ((m = text.match(/^(?:pc\s*)?(\d+)$/i))) {
    pcs = Number(m[1]) < program.Text.length ? [Number(m[1])] : [];
    what = `PC ${m[1]}`;
  } else if ((m = text.match(/^(?:line\s*|.*:)(\d+)$/i))) {
    program.Line.forEach((n, pc) => { if (n === Number(m[1])) pcs.push(pc); });
    what = `line ${m[1]}`;
  } else {
    program.Text.forEach((t, pc) => { if (t.toLowerCase().includes(text.toLowerCase())) pcs.push(pc); });
  }
  findPCs(p, pcs, what);
}

// findPCs marks the issues of instructions, in all panels.
function findPCs(p, pcs, what) {
  const wanted = new Set(pcs);
  for (const each of panels) {
    const d = each.data, list = [];
    for (const s of d.slots) {
      for (let i = s.i0; i < s.i1; i++) if (wanted.has(d.pc[i])) list.push({ slot: s.index, cycle: d.cycle[i], issue: i });
    }
    each.marks = list.sort((a, b) => a.cycle - b.cycle || a.slot - b.slot);
  }
  mark(what, p.marks, pcs);
}

// findThread marks the issues of a thread. Without a CTA the number counts over the grid.
async function findThread(p, number, cta) {
  const l = p.trace.Launches[0], size = l ? l.Block[0] * l.Block[1] * l.Block[2] : 1;
  const of = cta === undefined ? Math.floor(number / size) : Number(cta);
  const index = cta === undefined ? number % size : number;
  const warp = Math.floor(index / p.trace.Lanes), lane = index % p.trace.Lanes;
  const name = `thread ${index} of CTA ${of}`;
  let start = null, end = Infinity;
  for (let i = 0; i < p.trace.Starts.length && !start; i += 5) {
    const s = p.trace.Starts.slice(i, i + 5);
    if (s[2] === of && s[3] === warp) start = { sm: s[0], row: s[1], cycle: s[4] };
  }
  if (!start || index >= size) return say(`no ${name}: ${size} threads in a CTA`);
  if (start.sm !== sm) await showSM(start.sm);
  const d = p.data;
  for (const s of d.starts) if (s.row === start.row && s.cycle > start.cycle) end = Math.min(end, s.cycle);
  p.thread = { row: start.row, lane, from: start.cycle, to: end };
  const list = [];
  for (const s of d.slots) {
    for (let i = s.i0; i < s.i1; i++) if (laneOf(p, i) >= 0) list.push({ slot: s.index, cycle: d.cycle[i], issue: i });
  }
  list.sort((a, b) => a.cycle - b.cycle);
  const thread = p.thread;
  mark(`${name} (warp ${start.row}, lane ${lane})`, list);
  p.thread = thread;
  ask();
}

// mark marks what was found, and goes to the first of it after the cursor.
function mark(what, list, pcs) {
  const p = current();
  for (const each of panels) {
    each.thread = null;
    if (!pcs) each.marks = null;
  }
  p.marks = list;
  found = { what, list, pcs, panel: p };
  listing.hits(pcs);
  if (!list.length) {
    ask();
    return say(`${what}: not in SM ${sm}${p.trace.Parts[sm].Sums ? ", in the cycles that the page holds" : ""}`);
  }
  const from = p.cursor ? p.cursor.cycle : view.t0 - p.data.from;
  const next = list.findIndex((c) => c.cycle >= from);
  goTo(next < 0 ? 0 : next);
}

function goTo(n) {
  const { list, what, panel } = found;
  found.at = (n + list.length) % list.length;
  choose(panel, { ...list[found.at] });
  say(`${what}: ${(found.at + 1).toLocaleString("en")} of ${list.length.toLocaleString("en")}; Enter: the next one`);
}

function forget() {
  found = null;
  for (const p of panels) p.marks = p.thread = null;
  listing.hits([]);
  $("find").value = "";
  say("");
  ask();
}

async function showSM(n) {
  sm = n;
  $("sm").value = n;
  found = null;
  hover = null;
  for (const p of panels) await p.load(Math.min(n, p.trace.SMs - 1));
  $("compaction").hidden = $("full").hidden = !panels.some((p) => p.mixed);
  showLegend();
  ask();
}

// opening shows the first divergence of the first trace whose lanes soon join again, and that join.
function opening() {
  const p = panels[0], d = p.data;
  if (head.At) {
    view.place = head.At.Cycle;
    view.cpp = 400 / view.width;
    view.t0 = head.At.Cycle - 270;
    return;
  }
  const splitList = events(p, isSplit);
  if (!splitList.length) {
    view.cpp = Math.min(view.cycles, 600) / view.width;
    view.t0 = d.slots.length && d.cycle.length ? d.cycle.reduce((a, b) => Math.min(a, b), Infinity) + d.from - 10 : 0;
    return;
  }
  // a split whose lanes do not join soon, since some exit, is shown if there is no other
  const joinList = events(p, isJoin);
  const soon = (e) => {
    const join = joinOf(p, e, joinList);
    return join && join.cycle - e.cycle < 3000;
  };
  const first = splitList.slice(0, 200).find(soon) || splitList[0];
  const [from, to] = pair(p, first);
  // splits and joins of the other traces too, if they are near
  let begin = from, end = to;
  for (const other of panels.slice(1)) {
    follow(other, Object.assign(p, { slot: first.slot }));
    const list = events(other, isSplit);
    const near = list.find((e) => e.slot === other.slot) || list[0];
    if (!near) continue;
    const [a, b] = pair(other, near);
    const wide = 2.5 * Math.max(100, to - from);
    if (Math.max(b, end) - Math.min(a, begin) > wide) continue;
    begin = Math.min(begin, a);
    end = Math.max(end, b);
  }
  const span = Math.max(80, end - begin);
  view.t0 = begin - span * 0.12;
  view.cpp = (span * 1.27) / view.width;
  choose(p, { slot: first.slot, cycle: first.cycle, issue: first.issue }, false);
}

// joinOf returns the first of a list of joins with lanes of both sides of a split, of the same row.
function joinOf(p, split, joins) {
  const d = p.data, lanes = d.eventMask[split.event], taken = d.eventValue[split.event];
  return joins.find((e) => e.cycle > split.cycle && e.slot === split.slot &&
    (p.mixed || ((d.eventMask[e.event] & lanes & taken) !== 0 && (d.eventMask[e.event] & lanes & ~taken) !== 0)));
}

// pair returns the cycles of a split and of the join of its lanes, or of 300 cycles behind it.
function pair(p, split) {
  const join = joinOf(p, split, events(p, isJoin)), from = split.cycle + p.data.from;
  return [from, join ? join.cycle + p.data.from : from + 300];
}

const keys = {
  n: () => step(events(current(), isSplit), false, "divergence"), N: () => step(events(current(), isSplit), true, "divergence"),
  r: () => step(events(current(), isJoin), false, "reconvergence"), R: () => step(events(current(), isJoin), true, "reconvergence"),
  f: () => fullWarp(false), F: () => fullWarp(true),
  b: () => step(events(current(), isBarrier), false, "barrier"), B: () => step(events(current(), isBarrier), true, "barrier"),
  c: () => step(events(regrouping(), isMerge), false, "compaction"),
  C: () => step(events(regrouping(), isMerge), true, "compaction"),
  m: () => step(accessesOf(current()), false, "memory access"), M: () => step(accessesOf(current()), true, "memory access"),
  "]": () => neighbour(1), "[": () => neighbour(-1),
  ArrowLeft: () => pan(-view.width / 8), ArrowRight: () => pan(view.width / 8),
  ArrowUp: () => warp(-1), ArrowDown: () => warp(1),
  "+": () => zoom(1 / 1.5), "=": () => zoom(1 / 1.5), "-": () => zoom(1.5), _: () => zoom(1.5),
  Home: () => whole(), o: () => back(), O: () => back(),
  s: () => showSM((sm + 1) % current().trace.SMs), S: () => showSM((sm + current().trace.SMs - 1) % current().trace.SMs),
  "/": () => $("find").focus(), "?": () => $("helptext").showModal(), Escape: () => forget(), p: () => bench(),
  Enter: () => found && found.list.length && goTo(found.at + 1),
};
for (const n of [1, 2, 3, 4]) keys[n] = () => panels[n - 1] && panel(panels[n - 1]);

function panel(p) {
  active = p.number;
  say(`${p.trace.Mechanism} is chosen`);
  if (p.cursor) inspect(p, p.cursor);
  ask();
}

function warp(by) {
  const p = current(), n = p.data.slots.length;
  if (!n) return;
  const slot = Math.max(0, Math.min(n - 1, p.slot + by));
  choose(p, { slot });
  say(p.name(p.data.slots[slot].slot));
}

function whole() {
  view.t0 = 0;
  view.cpp = Infinity;
  ask();
}

function back() {
  Object.assign(view, opened);
  ask();
}

// bench measures frames: it zooms from the whole run to single cycles and back while it pans.
async function bench() {
  const frames = 180, kept = { t0: view.t0, cpp: view.cpp };
  let slowest = 0, busy = 0, drawn = 0, last;
  const start = await new Promise(requestAnimationFrame);
  last = start;
  for (let n = 0; n < frames; n++) {
    const part = (1 - Math.cos((2 * Math.PI * n) / frames)) / 2; // 0 to 1 and back
    const from = view.cycles / view.width;
    view.cpp = from * Math.pow(0.5 / from, part);
    view.t0 = (view.cycles * n) / frames - (view.width * view.cpp) / 2;
    const before = performance.now();
    drawn = Math.max(drawn, draw());
    busy += performance.now() - before;
    const now = await new Promise(requestAnimationFrame);
    slowest = Math.max(slowest, now - last);
    last = now;
  }
  Object.assign(view, kept);
  ask();
  const rate = (1000 * frames) / (last - start);
  const text = `${rate.toFixed(1)} frames a second, the slowest took ${slowest.toFixed(0)} ms, drawing ` +
    `${(busy / frames).toFixed(1)} ms in the mean, at most ${drawn.toLocaleString("en")} records in one`;
  say(text);
  console.log(text);
  return rate;
}

// begin reads the data, and connects the page.
async function begin() {
  head = JSON.parse(new TextDecoder().decode(await inflate("head")));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const lanes = head.Traces.reduce((n, t) => Math.max(n, t.Lanes), 1);
  const colors = () => {
    useTheme(dark.matches, lanes);
    if (panels.length) {
      showLegend();
      ask();
    }
  };
  colors();
  dark.addEventListener("change", colors);
  listing = new Listing((pcs, what) => findPCs(current(), pcs, what));
  axis = new Surface($("axis"));
  overview = new Surface($("overview"));
  laneSurface = new Surface($("lanecanvas"));
  $("lanecanvas").style.height = `${32 + lanes * (lanes > 16 ? 4 : 8)}px`;
  panels = head.Traces.map((t, i) => new Panel(t, i));
  view.cycles = head.Traces.reduce((n, t) => Math.max(n, t.Span), 1);
  view.width = Math.max(50, $("axis").clientWidth - gutter);
  const sms = head.Traces.reduce((n, t) => Math.max(n, t.SMs), 1);
  for (let i = 0; i < sms; i++) $("sm").append(new Option(i, i));
  $("sm").addEventListener("change", (e) => showSM(Number(e.target.value)));
  await showSM(head.Open);
  view.cpp = view.cycles / view.width;
  draw();
  opening();
  opened = { t0: view.t0, cpp: view.cpp };
  draw();
  connect();
  if (head.At && head.At.Thread) {
    await findThread(panels[0], head.At.Thread.Index, head.At.Thread.CTA);
    const { list } = found || { list: [] };
    const last = list.findLastIndex((c) => c.cycle + panels[0].data.from <= head.At.Cycle);
    if (last >= 0) goTo(last);
    Object.assign(view, opened);
    draw();
  }
  say(head.At && head.At.Note ? head.At.Note : "? explains the page");
  if (location.search === "?bench") await bench();
  document.documentElement.dataset.ready = "yes";
}

// connect connects buttons, keys and the search.
function connect() {
  $("split").addEventListener("click", keys.n);
  $("join").addEventListener("click", keys.r);
  $("compaction").addEventListener("click", keys.c);
  $("full").addEventListener("click", keys.f);
  $("in").addEventListener("click", keys["+"]);
  $("out").addEventListener("click", keys["-"]);
  $("whole").addEventListener("click", whole);
  $("help").addEventListener("click", keys["?"]);
  $("search").addEventListener("submit", (e) => e.preventDefault());
  $("find").addEventListener("keydown", (e) => {
    e.stopPropagation();
    if (e.key === "Escape") {
      forget();
      $("find").blur();
    }
    if (e.key !== "Enter") return;
    const text = $("find").value;
    if (found && found.list.length && found.text === text) goTo(found.at + (e.shiftKey ? -1 : 1));
    else search(text).then(() => { if (found) found.text = text; });
  });
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || $("helptext").open || e.target.tagName === "SELECT") return;
    if (e.target.tagName === "BUTTON" && e.key === "Enter") return;
    const action = keys[e.key];
    if (!action) return;
    if (e.key === "Enter" && e.shiftKey) {
      if (found && found.list.length) goTo(found.at - 1);
    } else {
      action();
    }
    e.preventDefault();
  });
  const jump = (e) => {
    if (e.buttons !== 1 || e.offsetX < gutter) return;
    view.t0 = ((e.offsetX - gutter) / view.width) * view.cycles - (view.width * view.cpp) / 2;
    ask();
  };
  $("overview").addEventListener("pointerdown", jump);
  $("overview").addEventListener("pointermove", jump);
  const laneAt = (e) => {
    const p = current(), of = p.order && p.order.list[p.first + Math.floor((e.offsetX - gutter) / laneColumn)];
    return of && e.offsetX >= gutter ? { slot: of.slot, cycle: p.data.cycle[of.i], issue: of.i } : null;
  };
  $("lanecanvas").addEventListener("pointermove", (e) => {
    const c = laneAt(e), p = current();
    if (!c) return;
    inspect(p, c);
    const l = Math.floor((e.offsetY - 14) / ((e.target.clientHeight - 32) / p.trace.Lanes));
    if (l < 0 || l >= p.trace.Lanes) return;
    if (!((p.data.mask[c.issue] >>> l) & 1)) return say(`lane ${l}: not active`);
    const h = homeOf(p.data, c.issue, l), w = warpIn(p.data, h.row, c.cycle + p.data.from);
    say(`lane ${l}: ` + (w ? `thread ${w.warp * p.trace.Lanes + h.lane} of CTA ${w.cta}, ` : "") + `warp ${h.row}, lane ${h.lane}`);
  });
  $("lanecanvas").addEventListener("click", (e) => {
    const c = laneAt(e);
    if (c) choose(current(), c);
  });
  window.addEventListener("resize", ask);
}

begin().catch((e) => {
  say(`this page cannot be shown: ${e.message}`);
  throw e;
});
