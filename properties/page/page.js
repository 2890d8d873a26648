"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const get = id => document.getElementById(id);
const number = n => n.toLocaleString("en");
const percent = (n, of) => of ? (100 * n / of).toFixed(1) + " %" : "";

// element makes an HTML element with text, or with children.
function element(name, content, kind) {
  const e = document.createElement(name);
  if (kind) e.className = kind;
  if (Array.isArray(content)) e.append(...content);
  else if (content !== undefined) e.textContent = content;
  return e;
}

// cell makes a cell: numbers are on the right.
function cell(v) {
  if (v instanceof Node) return v;
  return typeof v === "number" ? element("td", number(v), "number") : element("td", v, "text");
}

// fill fills a table with a header and rows; kinds are the classes of the rows.
function fill(id, header, rows, kinds = []) {
  const head = element("tr", header.map((h, i) => {
    const e = element("th", h);
    e.scope = "col";
    if (rows.length && typeof rows[0][i] === "number") e.className = "number";
    return e;
  }));
  get(id).replaceChildren(element("thead", [head]),
    element("tbody", rows.map((r, i) => element("tr", r.map(cell), kinds[i]))));
}

// bar is a cell with the share of n.
function bar(n, of) {
  const full = element("i");
  full.style.width = (of ? 100 * n / of : 0) + "%";
  const td = element("td", [element("div", [full])], "bar");
  td.title = percent(n, of);
  return td;
}

get("summary").textContent = data.summary;

if (data.causes && data.causes.length) {
  get("causes").hidden = false;
  fill("causetable", ["mechanism", "checker", "failures", "first seed", "place", "what", "folder"],
    data.causes.map(c => [c.mechanism, c.checker, c.failures, c.seed, c.place, c.what.split("\n")[0], c.folder]));
}

const kinds = data.kinds || [];
const reached = k => k.counts.filter(n => n > 0).length;
fill("kinds", ["kind", "reached", "of", "", "never"], kinds.map(k => {
  const n = reached(k);
  return [k.name, n, k.bins.length, bar(n, k.bins.length), k.bins.length - n];
}));
for (const k of [{name: "all"}, ...kinds]) get("kind").append(element("option", k.name));

// most limits the rows of the table of bins.
const most = 2000;

function showBins() {
  const chosen = get("kind").value, text = get("filter").value.toLowerCase(), never = get("never").checked;
  const rows = [], marks = [];
  let n = 0;
  for (const k of kinds) {
    if (chosen !== "all" && chosen !== k.name) continue;
    k.bins.forEach((b, i) => {
      if (never && k.counts[i] > 0 || !b.toLowerCase().includes(text)) return;
      if (n++ >= most) return;
      rows.push([k.name, b, k.counts[i]]);
      marks.push(k.counts[i] ? "" : "never");
    });
  }
  fill("bins", ["kind", "bin", "reached"], rows, marks);
  get("shown").textContent = number(n) + " bins" + (n > most ? ", the first " + number(most) + " of them are shown" : "");
}
for (const id of ["kind", "filter", "never"]) get(id).addEventListener("input", showBins);
showBins();

const files = data.files || [];
get("without").textContent = data.withoutFiles;
get("filesbox").hidden = !files.length;
fill("files", ["file", "executed", "of", "", "lines never executed"],
  files.map(f => [f.name, f.executed, f.of, bar(f.executed, f.of), f.never]));

const campaigns = data.campaigns || [];
fill("campaigns", ["campaign", "version", "seeds", "kernels", "runs", "bins", "of", "statements", "failures"],
  campaigns.map((c, i) => [i + 1, c.version, c.seeds, c.kernels, c.runs, c.reached, c.bins,
    c.of_lines ? percent(c.lines, c.of_lines) : "-", c.causes]));

// The trend: a point for each campaign, at its share of bins.
function trend() {
  const wide = 640, high = 180, left = 48, top = 12, svg = get("trend");
  svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  svg.setAttribute("width", wide);
  svg.setAttribute("height", high);
  const make = (name, at, text) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const k in at) e.setAttribute(k, at[k]);
    if (text !== undefined) e.textContent = text;
    svg.append(e);
    return e;
  };
  const x = i => left + 16 + (wide - left - 32) * (campaigns.length > 1 ? i / (campaigns.length - 1) : 0);
  const y = share => top + (high - top - 28) * (1 - share);
  for (const share of [0, 0.5, 1]) {
    make("line", {class: "axis", x1: left, x2: wide, y1: y(share), y2: y(share)});
    make("text", {x: left - 6, y: y(share) + 4, "text-anchor": "end"}, 100 * share + " %");
  }
  const share = c => c.bins ? c.reached / c.bins : 0;
  make("polyline", {class: "reached", points: campaigns.map((c, i) => x(i) + "," + y(share(c))).join(" ")});
  campaigns.forEach((c, i) => {
    const p = make("circle", {cx: x(i), cy: y(share(c)), r: 4, class: c.causes ? "fails" : ""});
    p.append(document.createElementNS("http://www.w3.org/2000/svg", "title"));
    p.firstChild.textContent = `campaign ${i + 1}: ${number(c.reached)} of ${number(c.bins)} bins, ${c.causes} causes of failures`;
  });
  make("text", {x: left, y: high - 6}, "share of bins reached, by campaign; a campaign with failures has another colour");
}
trend();
