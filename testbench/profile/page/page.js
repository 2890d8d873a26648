"use strict";
// The page of a profile: its data are those of page.go.

const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const runs = data.Runs.length;
const dark = matchMedia("(prefers-color-scheme: dark)");
const barWide = runs > 2 || innerWidth < 1000 ? 80 : 120, barHigh = 13;
const number = (n) => n.toLocaleString("en");
const colors = () => data.Classes.map((c) => (dark.matches ? c.Dark : c.Color));

// element makes an element.
function element(tag, className, ...parts) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  e.append(...parts);
  return e;
}

const cycles = (c) => (c.Cycles || []).reduce((sum, [, n]) => sum + n, 0);
const cyclesOf = (c, of) => (c.Cycles || []).reduce((sum, [k, n]) => sum + (k === of ? n : 0), 0);

// The metrics: value is what lines are compared by; text is shown instead of it, if it is there. Those
// without a share do not add up.
const metrics = [
  { name: "cycles", value: cycles },
  { name: "warp instructions", value: (c) => c.Issued || 0 },
  { name: "active lanes, in the mean", value: (c) => (c.Issued ? c.Lanes / c.Issued : 0), noShare: true,
    text: (c) => (c.Issued ? String(Math.round((10 * c.Lanes) / c.Issued) / 10) : "") },
  { name: "divergent branches", value: (c) => c.Divergent || 0,
    text: (c) => (c.Branches ? `${number(c.Divergent || 0)} of ${number(c.Branches)}` : "") },
  { name: "memory lines", value: (c) => c.Lines || 0 },
  { name: "L1 load misses", value: (c) => c.Misses || 0 },
];
const waits = data.Classes.map((c, k) => ({ name: `cycles of ${c.Name}`, value: (x) => cyclesOf(x, k), of: k }))
  .filter((m) => !data.Classes[m.of].Issue);
const all = [...metrics, ...waits];
let metric = metrics[0];

// rows lists the rows with counts of the files that are shown.
function* rows() {
  for (const [k, kernel] of data.Kernels.entries()) {
    for (const [f, file] of kernel.Files.entries()) {
      if (!file.Own && !$("others").checked) continue;
      for (const row of file.Rows) if (row.Cells) yield { row, file, kernel, id: `l-${k}-${f}-${row.Number}` };
    }
  }
}

// bar draws the bar of a cell: cycles by class, lanes by number, or the value. most is the longest one.
function bar(c, most, lanes) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("width", barWide);
  svg.setAttribute("height", barHigh);
  svg.setAttribute("role", "img");
  const said = [];
  const piece = (x, y, w, h, color, title) => {
    const r = document.createElementNS(svg.namespaceURI, "rect");
    for (const [name, value] of Object.entries({ x, y, width: w, height: h, fill: color })) {
      r.setAttribute(name, typeof value === "number" ? Math.round(10 * value) / 10 : value);
    }
    const t = document.createElementNS(svg.namespaceURI, "title");
    t.textContent = title;
    r.append(t);
    svg.append(r);
    said.push(title);
  };
  const color = colors();
  if (metric === metrics[0]) {
    let x = 0;
    for (const [k, n] of c.Cycles || []) {
      const w = (barWide * n) / most;
      piece(x, 0, w, barHigh, color[k], `${data.Classes[k].Name}: ${number(n)}`);
      x += w;
    }
  } else if (metric === metrics[2]) {
    const peak = Math.max(1, ...(c.Active || []).map(([, n]) => n)), step = barWide / lanes;
    for (const [l, n] of c.Active || []) {
      const h = Math.max(1, (barHigh * n) / peak);
      piece(step * (l - 1), barHigh - h, Math.max(1, step - 1), h, data.Bar, `${l} lanes: ${number(n)}`);
    }
  } else {
    const of = metric.of === undefined ? data.Bar : color[metric.of];
    piece(0, 0, (barWide * metric.value(c)) / most, barHigh, of, number(metric.value(c)));
  }
  svg.setAttribute("aria-label", said.join(", "));
  return svg;
}

// cells appends the cells of a row: value, share of the totals, and bar of each run.
function cells(tr, list, totals, most) {
  list.forEach((c, i) => {
    const v = metric.value(c), text = metric.text ? metric.text(c) : v ? number(v) : "";
    const all = metric.value(totals[i]);
    tr.append(element("td", "first", text));
    if (!metric.noShare) tr.append(element("td", "part", v && all ? `${((100 * v) / all).toFixed(1)}%` : ""));
    const td = element("td");
    if (v) td.append(bar(c, most, data.Runs[i].Lanes));
    tr.append(td);
  });
}

// heads makes the head of a table, whose first columns are given.
function heads(...first) {
  const tr = element("tr");
  for (const [text, className] of first) tr.append(element("th", className, text));
  for (const r of data.Runs) {
    const th = element("th", "run", r.Name);
    th.colSpan = metric.noShare ? 2 : 3;
    tr.append(th);
  }
  return element("thead", "", tr);
}

// showTotals fills the table of totals: a line chooses its metric.
function showTotals() {
  const body = element("tbody"), head = element("tr", "", element("th"));
  for (const r of data.Runs) head.append(element("th", "run", r.Name));
  const line = (name, values, choose) => {
    const th = element("th");
    if (choose) {
      const b = element("button", "", name);
      b.type = "button";
      b.setAttribute("aria-pressed", choose === metric);
      b.addEventListener("click", () => show(choose, b.textContent));
      th.append(b);
    } else {
      th.append(name);
    }
    const tr = element("tr", "", th);
    for (const v of values) tr.append(element("td", "first", v));
    body.append(tr);
  };
  line("cycles of the run", data.Runs.map((r) => number(r.Cycles)));
  for (const m of metrics) {
    const name = m === metrics[0] ? "cycles of SMs with threads" : m.name;
    line(name, data.Runs.map((r) => (m.text ? m.text(r.Total) : number(m.value(r.Total)))), m);
  }
  line("SIMD efficiency", data.Runs.map((r) => (r.Total.Issued ? (r.Total.Lanes / r.Total.Issued / r.Lanes).toFixed(4) : "")));
  $("totals").replaceChildren(element("thead", "", head), body);
}

// showLegend explains the colours of the bars.
function showLegend() {
  const color = colors();
  $("legend").replaceChildren();
  if (metric !== metrics[0]) return;
  data.Classes.forEach((c, k) => {
    if (!c.Name) return; // small warps have fewer
    const i = element("i");
    i.style.background = color[k];
    $("legend").append(element("span", "", i, c.Name));
  });
}

// showHot fills the table of the ten lines with the largest values under any run.
function showHot(most) {
  const of = (x) => Math.max(...x.row.Cells.map(metric.value));
  const list = [...rows()].filter(of).sort((a, b) => of(b) - of(a)).slice(0, 10);
  $("hothead").textContent = list.length ? `Lines with most ${metric.name}` : `No line has ${metric.name}`;
  const body = element("tbody");
  for (const x of list) {
    const link = element("a", "", x.row.Number ? `${x.file.Name}:${x.row.Number}` : x.file.Name);
    link.href = "#" + x.id;
    const code = element("td", "code", (x.row.Text || "").trim());
    code.title = (x.row.Text || "").trim();
    const tr = element("tr", "hot", element("th", "", link), code);
    cells(tr, x.row.Cells, data.Runs.map((r) => r.Total), most);
    body.append(tr);
  }
  $("hot").replaceChildren(...(list.length ? [heads(["line"], ["source", "code"]), body] : []));
}

const opened = new Set(); // lines whose instructions are shown

// showKernel makes the table of a kernel.
function showKernel(kernel, k, most) {
  const table = element("table");
  table.append(heads(["line"], ["source", "code"]));
  kernel.Files.forEach((file, f) => {
    if (!file.Own && !$("others").checked) return;
    const body = element("tbody"), name = element("th", "", file.Name);
    name.colSpan = 2 + 3 * runs;
    body.append(element("tr", "file", name));
    let last = 0;
    for (const row of file.Rows) {
      if (last && row.Number > last + 1) body.append(element("tr", "gap", element("th"), element("td", "code", "⋯")));
      last = row.Number;
      const code = element("td", "code", row.Text || "");
      code.title = (row.Text || "").trim();
      const th = element("th"), tr = element("tr", row.Cells ? "hot" : "", th, code);
      body.append(tr);
      if (!row.Cells) {
        th.append(element("span", "", String(row.Number)));
        continue;
      }
      const id = (tr.id = `l-${k}-${f}-${row.Number}`);
      cells(tr, row.Cells, kernel.Totals, most);
      if (!row.Insts) continue;
      const insts = row.Insts.map((in_) => {
        const text = element("td", "code", `${in_.PC} ${in_.Text}`);
        text.title = in_.Text;
        const x = element("tr", "inst", element("th"), text);
        cells(x, in_.Cells, kernel.Totals, most);
        return x;
      });
      const b = element("button", "", String(row.Number));
      b.type = "button";
      b.setAttribute("aria-label", `instructions of line ${row.Number}`);
      const open = (is) => {
        b.setAttribute("aria-expanded", is);
        if (is) opened.add(id), tr.after(...insts);
        else opened.delete(id), insts.forEach((x) => x.remove());
      };
      b.addEventListener("click", () => open(!opened.has(id)));
      th.append(b);
      body.append(...insts);
      open(opened.has(id));
    }
    table.append(body);
  });
  const total = element("tr", "total", element("th", "", "total"), element("td"));
  cells(total, kernel.Totals, kernel.Totals, Infinity);
  for (const svg of total.querySelectorAll("svg")) svg.remove();
  table.append(element("tbody", "", total));
  const launches = kernel.Launches === 1 ? "1 launch" : `${number(kernel.Launches)} launches`;
  return element("section", "", element("h2", "", `${kernel.Name}, ${launches}`), element("div", "wide", table));
}

// show shows a metric. The button of its total keeps the focus.
function show(chosen, focus) {
  metric = chosen;
  $("metric").value = all.indexOf(metric);
  let most = 1e-9;
  for (const { row } of rows()) for (const c of row.Cells) most = Math.max(most, metric.value(c));
  showTotals();
  showLegend();
  showHot(most);
  $("kernels").replaceChildren(...data.Kernels.map((kernel, k) => showKernel(kernel, k, most)));
  if (focus) [...$("totals").querySelectorAll("button")].find((b) => b.textContent === focus).focus();
}

function begin() {
  $("machine").textContent = data.Machine;
  document.body.style.setProperty("--cells", `${runs * (barWide + 125)}px`);
  const group = (name, list) => {
    const g = element("optgroup");
    g.label = name;
    for (const m of list) g.append(new Option(m.name, all.indexOf(m)));
    $("metric").append(g);
  };
  group("counts", metrics);
  group("parts of the cycles", waits);
  $("metric").addEventListener("change", () => show(all[$("metric").value]));
  $("others").addEventListener("change", () => show(metric));
  dark.addEventListener("change", () => show(metric));

  let own = 0, other = 0;
  for (const kernel of data.Kernels) {
    for (const file of kernel.Files) {
      for (const row of file.Rows) {
        for (const c of row.Cells || []) file.Own ? (own += cycles(c)) : (other += cycles(c));
      }
    }
  }
  const none = data.Kernels.every((kernel) => kernel.Files.every((file) => file.Own));
  $("otherslabel").hidden = none;
  $("otherstext").textContent = "also files without their source, and cycles of no instruction: " +
    `${((100 * other) / Math.max(1, own + other)).toFixed(1)}% of the cycles`;
  show(metric);
  document.documentElement.dataset.ready = "yes";
}

begin();
