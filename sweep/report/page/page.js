"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const machines = data.area.length / 3;
const $ = (id) => document.getElementById(id);

// Colours of Okabe and Ito, Color Universal Design (2008), on white and on black.
const palettes = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8a8a00", "#7a7f87"],
  dark: ["#4da3db", "#ff7a1a", "#12b886", "#e29bc4", "#8fd0f5", "#f0b429", "#c5c53a", "#a3abb5"],
};
const shapes = 4;
const dark = matchMedia("(prefers-color-scheme: dark)");
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

// The limits of an area or an interval: low, middle, high. null stands for no upper limit.
const three = (list, i) => [list[3 * i], list[3 * i + 1], list[3 * i + 2] ?? Infinity];
const middle = (list, i) => list[3 * i + 1];
const areaText = (v) => v.toFixed(v >= 100 ? 1 : 2);
const spread = ([low, , high]) => (low < high ? `${low.toFixed(3)} to ${high === Infinity ? "no limit" : high.toFixed(3)}` : "-");

let by = Math.max(0, data.axes.findIndex((a) => a.name === "mechanism")); // axis of the colours
let hidden = new Set(); // values of that axis
let budget = data.budget || Infinity;
let chosen = -1, hovered = -1;
const value = (axis, i) => data.at[axis][i];
const visible = (i) => !data.axes.length || !hidden.has(value(by, i));
const order = Array.from({ length: machines }, (_, i) => i).sort((a, b) => middle(data.area, a) - middle(data.area, b) || a - b);

// ranked lists the machines within the budget, the fastest first.
function ranked() {
  return order.filter((i) => middle(data.area, i) <= budget)
    .sort((a, b) => middle(data.speed, b) - middle(data.speed, a) || middle(data.area, a) - middle(data.area, b) || a - b);
}
const settings = (i) => data.axes.map((a, k) => `${a.name}=${a.values[value(k, i)]}`).join(" ") || "the only machine";

// ticks returns at most n round numbers from low to high.
function ticks(low, high, n) {
  const step = [1, 2, 5, 10].map((f) => f * 10 ** Math.floor(Math.log10((high - low) / n))).find((s) => (high - low) / s <= n);
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) list.push(Number((k * step).toPrecision(12)));
  return list;
}

// range returns limits around numbers, with a margin.
function range(numbers) {
  let low = Infinity, high = -Infinity;
  for (const v of numbers) {
    if (v < low) low = v;
    if (v > high && v < Infinity) high = v;
  }
  const margin = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
  return [low - margin, high + margin];
}

// stamp returns a canvas with the mark of the n-th value, in a square of 4 r. Colours and shapes differ.
function stamp(n, r) {
  const to = document.createElement("canvas"), scale = window.devicePixelRatio || 1, x = 2 * r, y = 2 * r;
  to.width = to.height = Math.ceil(4 * r * scale);
  const ctx = to.getContext("2d");
  ctx.scale(to.width / (4 * r), to.width / (4 * r));
  ctx.fillStyle = palettes[dark.matches ? "dark" : "light"][n % 8];
  ctx.beginPath();
  switch ((n + Math.floor(n / 8)) % shapes) {
    case 0: ctx.moveTo(x + r, y); ctx.arc(x, y, r, 0, 2 * Math.PI); break;
    case 1: ctx.rect(x - r * 0.9, y - r * 0.9, 1.8 * r, 1.8 * r); break;
    case 2: ctx.moveTo(x, y - 1.2 * r); ctx.lineTo(x + 1.1 * r, y + 0.8 * r); ctx.lineTo(x - 1.1 * r, y + 0.8 * r); ctx.closePath(); break;
    case 3: ctx.moveTo(x, y - 1.3 * r); ctx.lineTo(x + 1.3 * r, y); ctx.lineTo(x, y + 1.3 * r); ctx.lineTo(x - 1.3 * r, y); ctx.closePath(); break;
  }
  ctx.fill();
  return to;
}

// Plot is a canvas with a point for each machine. Its points are drawn once, what is chosen over them.
class Plot {
  constructor(canvas, speed, large) {
    Object.assign(this, { canvas, speed, large, points: document.createElement("canvas") });
    canvas.addEventListener("pointermove", (e) => hover(this.nearest(e.offsetX, e.offsetY)));
    canvas.addEventListener("pointerleave", () => hover(-1));
    canvas.addEventListener("click", (e) => choose(this.nearest(e.offsetX, e.offsetY)));
  }
  // nearest returns the visible machine nearest to a place, -1 if none is near.
  nearest(x, y) {
    let best = -1, least = 20 * 20;
    for (let i = 0; i < machines; i++) {
      const dx = this.x(middle(data.area, i)) - x, dy = this.y(middle(this.speed, i)) - y, d = dx * dx + dy * dy;
      if (d < least && visible(i)) [best, least] = [i, d];
    }
    return best;
  }
  // draw draws axes, points, front and budget.
  draw() {
    const { canvas, points } = this, scale = window.devicePixelRatio || 1;
    const w = canvas.clientWidth, h = canvas.clientHeight;
    points.width = canvas.width = Math.round(w * scale);
    points.height = canvas.height = Math.round(h * scale);
    const ctx = points.getContext("2d");
    ctx.scale(scale, scale);
    ctx.font = "12px system-ui, sans-serif";
    const [x0, x1] = range([...data.area.filter((_, k) => k % 3 === 1), ...(budget < Infinity && this.large ? [budget] : [])]);
    const [y0, y1] = this.large ? range(this.speed.map((v) => v ?? Infinity)) : kernelRange;
    const left = 46, right = w - 10, top = this.large ? 12 : 6, bottom = h - (this.large ? 40 : 24);
    this.x = (v) => left + ((v - x0) / (x1 - x0)) * (right - left);
    this.y = (v) => bottom - ((v - y0) / (y1 - y0)) * (bottom - top);
    Object.assign(this, { left, right, top, bottom });

    ctx.strokeStyle = color("--line");
    ctx.fillStyle = color("--faint");
    ctx.beginPath();
    ctx.textAlign = "center";
    for (const v of ticks(x0, x1, Math.max(2, Math.floor(w / 90)))) {
      ctx.moveTo(this.x(v), top);
      ctx.lineTo(this.x(v), bottom);
      ctx.fillText(v, this.x(v), bottom + 15);
    }
    ctx.textAlign = "right";
    for (const v of ticks(y0, y1, Math.max(2, Math.floor(h / 35)))) {
      ctx.moveTo(left, this.y(v));
      ctx.lineTo(right, this.y(v));
      ctx.fillText(v, left - 5, this.y(v) + 4);
    }
    ctx.stroke();
    if (this.large) {
      ctx.textAlign = "center";
      ctx.fillText("area in mm²", (left + right) / 2, h - 6);
      ctx.textAlign = "left";
      ctx.fillText("speed, times the baseline", left + 5, top + 11);
    }
    if (budget < x1) {
      ctx.strokeStyle = color("--mark");
      ctx.setLineDash([6, 4]);
      ctx.beginPath();
      ctx.moveTo(this.x(budget), top);
      ctx.lineTo(this.x(budget), bottom);
      ctx.stroke();
      ctx.setLineDash([]);
      if (this.large) {
        const right = this.x(budget) > w - 110;
        ctx.fillStyle = color("--mark");
        ctx.textAlign = right ? "right" : "left";
        ctx.fillText(`budget ${budget}`, this.x(budget) + (right ? -5 : 5), bottom - 6);
      }
    }
    if (this.large) this.steps(ctx);

    const radius = this.large ? (machines > 2000 ? 2.5 : 4) : machines > 2000 ? 1.5 : 2.5;
    const front = new Set(data.front);
    if (this.large && data.seeds > 1) {
      for (let i = 0; i < machines; i++) if (visible(i) && (machines <= 100 || front.has(i))) this.whisker(ctx, i, 0.6);
    }
    const values = data.axes.length ? data.axes[by].values.length : 1;
    ctx.globalAlpha = machines > 2000 ? 0.6 : 0.85;
    const stamps = Array.from({ length: values }, (_, n) => stamp(n, radius)), half = 2 * radius;
    for (let i = 0; i < machines; i++) {
      if (!visible(i)) continue;
      ctx.drawImage(stamps[data.axes.length ? value(by, i) : 0], this.x(middle(data.area, i)) - half,
        this.y(middle(this.speed, i)) - half, 2 * half, 2 * half);
    }
    ctx.globalAlpha = 1;
    this.show();
  }
  // steps draws the front: the speed that each area can have.
  steps(ctx) {
    ctx.strokeStyle = color("--text");
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    data.front.forEach((i, k) => {
      const x = this.x(middle(data.area, i)), y = this.y(middle(this.speed, i));
      if (k) ctx.lineTo(x, this.y(middle(this.speed, data.front[k - 1])));
      else ctx.moveTo(x, y);
      ctx.lineTo(x, y);
    });
    if (data.front.length) ctx.lineTo(this.right, this.y(middle(this.speed, data.front.at(-1))));
    ctx.stroke();
    ctx.lineWidth = 1;
  }
  // whisker draws the interval of a machine.
  whisker(ctx, i, alpha) {
    const [low, , high] = three(this.speed, i);
    if (!(low < high)) return;
    const x = this.x(middle(data.area, i)), a = this.y(low), b = Math.max(this.top, this.y(high));
    ctx.globalAlpha = alpha;
    ctx.strokeStyle = color("--text");
    ctx.beginPath();
    ctx.moveTo(x, a);
    ctx.lineTo(x, b);
    for (const y of [a, b]) {
      ctx.moveTo(x - 3, y);
      ctx.lineTo(x + 3, y);
    }
    ctx.stroke();
    ctx.globalAlpha = 1;
  }
  // show copies the points to the page and rings what is chosen or pointed at.
  show() {
    const ctx = this.canvas.getContext("2d"), scale = window.devicePixelRatio || 1;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    ctx.drawImage(this.points, 0, 0);
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    for (const i of new Set([chosen, hovered])) {
      if (i < 0) continue;
      const x = this.x(middle(data.area, i)), y = this.y(middle(this.speed, i));
      this.whisker(ctx, i, 1);
      if (this.large) { // the limits of the area
        ctx.strokeStyle = color("--mark");
        ctx.beginPath();
        ctx.moveTo(Math.max(this.left, this.x(three(data.area, i)[0])), y);
        ctx.lineTo(Math.min(this.right, this.x(three(data.area, i)[2])), y);
        ctx.stroke();
      }
      ctx.strokeStyle = color("--mark");
      ctx.lineWidth = i === chosen ? 3 : 1.5;
      ctx.beginPath();
      ctx.arc(x, y, this.large ? 8 : 6, 0, 2 * Math.PI);
      ctx.stroke();
      ctx.lineWidth = 1;
    }
  }
}

const kernelRange = range(data.byKernel.flat().filter((_, k) => k % 3 === 1));
const plots = [new Plot($("scatter"), data.speed, true)];
data.kernels.forEach((name, k) => {
  const figure = document.createElement("div"), title = document.createElement("h3"), canvas = document.createElement("canvas");
  title.textContent = name;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `speed on ${name} against area`);
  figure.append(title, canvas);
  $("kernels").append(figure);
  plots.push(new Plot(canvas, data.byKernel[k], false));
});

function hover(i) {
  if (i === hovered) return;
  hovered = i;
  changed();
}
function choose(i) {
  chosen = i;
  changed();
}
// changed shows the machine that is pointed at, or else the chosen one.
function changed() {
  for (const p of plots) p.show();
  describe(hovered >= 0 ? hovered : chosen);
  for (const row of document.querySelectorAll("tr[data-machine]")) row.classList.toggle("chosen", Number(row.dataset.machine) === chosen);
}

// element makes an element with a text.
function element(tag, text, className) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
}
function row(...cells) {
  const r = element("tr");
  r.append(...cells);
  return r;
}

// describe fills the panel beside the points.
function describe(i) {
  const info = $("info");
  if (i < 0) {
    info.replaceChildren(element("p", "No machine is chosen."));
    return;
  }
  const [low, mid, high] = three(data.area, i);
  const notes = [i === data.baseline ? "the baseline" : "", data.front.includes(i) ? "on the Pareto front" : "",
    mid > budget ? "beyond the budget" : high > budget ? "its high estimate is beyond the budget" : ""].filter(Boolean);
  const head = element("h3", `${middle(data.speed, i).toFixed(3)} times the baseline, ${areaText(mid)} mm²`);
  const table = element("table");
  data.axes.forEach((a, k) => table.append(row(element("th", a.name), element("td", a.values[value(k, i)]))));
  table.append(row(element("th", "area, low to high"), element("td", `${areaText(low)} to ${areaText(high)} mm²`)));
  if (data.seeds > 1) table.append(row(element("th", "speed, 95 %"), element("td", spread(three(data.speed, i)))));
  info.replaceChildren(head, element("p", notes.join("; ")), table);
  data.kernels.forEach((name, k) => {
    const s = three(data.byKernel[k], i), line = element("div", undefined, "command");
    const command = data.commands[k][i], code = element("code"), button = element("button", "copy");
    command.split(" ").forEach((word, n) => code.append(n ? " " : "", element("span", word)));
    button.setAttribute("aria-label", "copy " + command);
    button.addEventListener("click", () => copy(code, button));
    line.append(element("b", `${name}: ${s[1].toFixed(3)}`), s[0] < s[2] ? ` (${spread(s)}) ` : " ", button, code);
    info.append(line);
  });
}

// copy copies a command, or selects it where the browser forbids that.
async function copy(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "copied";
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = "selected";
  }
}

// list fills a table with machines.
function list(table, indices) {
  const number = (tag, text) => element(tag, text, "number");
  const head = row(element("th", ""), number("th", "area mm²"), number("th", "speed"));
  if (data.seeds > 1) head.append(number("th", "95 % interval"));
  head.append(...data.axes.map((a) => element("th", a.name)));
  table.replaceChildren(head, ...indices.map((i, k) => {
    const button = element("button", String(k + 1)), cell = element("td");
    button.title = "show it among the points";
    button.addEventListener("click", () => choose(i));
    cell.append(button);
    const r = row(cell, number("td", areaText(middle(data.area, i))), number("td", middle(data.speed, i).toFixed(3)));
    if (data.seeds > 1) r.append(number("td", spread(three(data.speed, i))));
    r.append(...data.axes.map((a, n) => element("td", a.values[value(n, i)])));
    r.dataset.machine = i;
    return r;
  }));
}

// answer names the best machine within the budget.
function answer() {
  const best = ranked(), limit = budget < Infinity ? `within ${budget} mm²` : "without a budget";
  $("besttitle").textContent = `The fastest ${limit}`;
  list($("best"), best.slice(0, 10));
  if (best.length) {
    const i = best[0];
    $("answer").textContent = `Fastest ${limit}: ${settings(i)}, ${middle(data.speed, i).toFixed(3)} times the baseline with ${areaText(middle(data.area, i))} mm².`;
  } else {
    $("answer").textContent = `No machine is ${limit}; the smallest has ${areaText(middle(data.area, order[0]))} mm².`;
  }
}

// legend makes a button for each value of the axis of colours.
function legend() {
  if (!data.axes.length) return;
  $("legend").replaceChildren(...data.axes[by].values.map((name, n) => {
    const button = element("button", name);
    button.prepend(stamp(n, 4));
    button.setAttribute("aria-pressed", String(!hidden.has(n)));
    button.addEventListener("click", () => {
      if (!hidden.delete(n)) hidden.add(n);
      button.setAttribute("aria-pressed", String(!hidden.has(n)));
      draw();
    });
    return button;
  }));
}
function draw() {
  for (const p of plots) p.draw();
}

// step returns the visible machine n places further in a list.
function step(indices, n) {
  const seen = indices.filter(visible), at = seen.indexOf(chosen);
  if (!seen.length) return -1;
  if (at < 0) { // from the nearest area
    const area = chosen < 0 ? -Infinity : middle(data.area, chosen);
    const next = seen.findIndex((i) => middle(data.area, i) >= area);
    return seen[next < 0 ? seen.length - 1 : next];
  }
  return seen[Math.min(seen.length - 1, Math.max(0, at + n))];
}
$("scatter").addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  switch (e.key) {
    case "ArrowRight": choose(step(order, 1)); break;
    case "ArrowLeft": choose(step(order, -1)); break;
    case "ArrowUp": choose(step(data.front, 1)); break;
    case "ArrowDown": choose(step(data.front, -1)); break;
    case "b": choose(ranked()[0] ?? -1); break;
    case "Escape": choose(-1); break;
    default: return;
  }
  e.preventDefault();
});

$("budget").value = budget < Infinity ? budget : "";
$("budget").addEventListener("input", () => {
  budget = Number($("budget").value) || Infinity;
  answer();
  draw();
  changed();
});
data.axes.forEach((a, k) => $("color").append(new Option(a.name, k, k === by, k === by)));
$("color").addEventListener("change", () => {
  by = Number($("color").value);
  hidden = new Set();
  legend();
  draw();
});
if (data.seeds > 1) {
  $("whiskers").textContent = machines > 100
    ? "Whiskers are the spread over seeds, of the front and of the chosen machine." : "Whiskers are the spread over seeds.";
}
dark.addEventListener("change", () => {
  legend();
  draw();
});
window.addEventListener("resize", draw);
legend();
answer();
list($("front"), data.front);
draw();
choose(ranked()[0] ?? -1);
document.documentElement.dataset.ready = "yes";
