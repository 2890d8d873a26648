// The program beside the timeline: source lines and PTX instructions.

const perPC = 3 + reasons.length; // numbers of an instruction: issues, lanes, splits, then cycles by reason

// element makes an element of the page.
function element(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

// countsOf adds up the counts of instructions.
function countsOf(program, pcs) {
  const sum = new Float64Array(perPC);
  for (const pc of pcs) for (let k = 0; k < perPC; k++) sum[k] += program.Counts[pc * perPC + k];
  return sum;
}

// costRow makes a row of a list. most is the longest waiting of a row, in cycles.
function costRow(number, text, counts, most) {
  const row = element("div", "row " + (counts ? "live" : "dead"));
  row.append(element("span", "", number || ""));
  const splits = element("span", "", counts && counts[2] ? counts[2].toLocaleString("en") : "");
  const cost = element("span", "cost");
  if (counts) {
    row.setAttribute("role", "option");
    row.title = `${counts[0].toLocaleString("en")} issues`;
    if (counts[0]) row.title += `, ${(counts[1] / counts[0]).toFixed(1)} lanes in the mean`;
    if (counts[2]) {
      row.title += `, ${counts[2].toLocaleString("en")} divergent branches`;
      splits.style.color = theme.split;
    }
    for (let r = 0; r < reasons.length; r++) {
      const cycles = counts[3 + r];
      if (!cycles) continue;
      row.title += `\n${cycles.toLocaleString("en")} cycles of warps that wait for ${reasons[r]}`;
      const bar = element("i");
      bar.style.width = `${(40 * cycles) / most}px`;
      bar.style.background = theme.reasons[r];
      cost.append(bar);
    }
  }
  row.append(splits, cost, element("code", "", text));
  return row;
}

const waiting = (counts) => counts.slice(3).reduce((a, b) => a + b, 0);

// Listing shows the source and the PTX of a program.
class Listing {
  constructor(pick) {
    this.pick = pick; // called with the PCs of a clicked line, and its name
    this.source = document.getElementById("source");
    this.ptx = document.getElementById("ptx");
    for (const list of [this.source, this.ptx]) {
      list.addEventListener("click", (e) => this.click(e.target.closest(".live")));
      list.addEventListener("keydown", (e) => this.key(e, list));
    }
  }

  // show fills both lists.
  show(program, files, name) {
    this.program = program;
    this.byPC = program.Text.map(() => ({}));
    this.pcs = new Map(); // of each row
    this.nowRows = [];
    const byLine = new Map(); // file and line: PCs
    program.Text.forEach((_, pc) => {
      if (!program.Line[pc]) return;
      const key = program.Of[pc] + ":" + program.Line[pc];
      if (!byLine.has(key)) byLine.set(key, []);
      byLine.get(key).push(pc);
    });
    const sums = new Map([...byLine].map(([key, pcs]) => [key, countsOf(program, pcs)]));
    const most = Math.max(1, ...[...sums.values()].map(waiting));
    this.source.replaceChildren();
    const used = [...new Set(program.Of.filter((_, pc) => program.Line[pc]))];
    for (const of of used) {
      const file = files[of];
      const header = element("div", "row head", `${file.Name}${file.Lines ? "" : ": no source"}`);
      this.source.append(header);
      const numbers = [...byLine.keys()].filter((k) => k.startsWith(of + ":")).map((k) => Number(k.split(":")[1]));
      const lines = file.Lines || [];
      const shown = file.Lines ? lines.map((_, i) => i + 1) : numbers.sort((a, b) => a - b);
      for (const n of shown) {
        const key = of + ":" + n;
        const row = costRow(n, lines[n - 1] || "", sums.get(key), most);
        this.source.append(row);
        if (!byLine.has(key)) continue;
        this.pcs.set(row, { pcs: byLine.get(key), what: `${file.Name}:${n}` });
        for (const pc of byLine.get(key)) this.byPC[pc].line = row;
      }
    }
    if (!used.length) this.source.append(element("div", "row head", "the PTX names no source lines"));
    this.source.classList.toggle("none", !used.length);
    this.ptx.replaceChildren();
    const each = program.Text.map((_, pc) => countsOf(program, [pc]));
    const longest = Math.max(1, ...each.map(waiting));
    program.Text.forEach((text, pc) => {
      const row = costRow(String(pc), text, each[pc], longest);
      this.ptx.append(row);
      this.pcs.set(row, { pcs: [pc], what: `PC ${pc}` });
      this.byPC[pc].ptx = row;
    });
    const legend = (title, what) => {
      title.replaceChildren(element("b", "", what), ` · splits, waiting under ${name}; a click marks its issues`);
    };
    legend(document.getElementById("sourcetitle"), "source");
    legend(document.getElementById("ptxtitle"), `PTX of ${program.Name}`);
  }

  click(row) {
    const of = this.pcs.get(row);
    if (of) this.pick(of.pcs, of.what);
  }

  // key moves to the next line with arrows, and clicks with Enter.
  key(e, list) {
    const rows = [...list.querySelectorAll(".live")];
    let at = rows.indexOf(list.querySelector(".at"));
    if (e.key === "ArrowDown") at = Math.min(rows.length - 1, at + 1);
    else if (e.key === "ArrowUp") at = Math.max(0, at - 1);
    else if (e.key === "Enter" && at >= 0) this.click(rows[at]);
    else return;
    e.preventDefault();
    e.stopPropagation();
    for (const r of list.querySelectorAll(".at")) r.classList.remove("at", "now");
    if (rows[at]) {
      rows[at].classList.add("at", "now");
      this.into(list, rows[at]);
    }
  }

  // into scrolls a list, and nothing else, until a row is seen.
  into(list, row) {
    const top = row.offsetTop - list.offsetTop;
    if (top < list.scrollTop + 20 || top + 40 > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 3;
    }
  }

  // now marks the line and the instruction at a PC.
  now(pc) {
    if (this.pcNow === pc) return;
    this.pcNow = pc;
    for (const r of this.nowRows) r.classList.remove("now");
    const of = this.byPC[pc] || {};
    this.nowRows = [of.line, of.ptx].filter(Boolean);
    for (const r of this.nowRows) {
      r.classList.add("now");
      this.into(r.parentElement, r);
    }
  }

  // hits marks the lines of PCs.
  hits(pcs) {
    for (const r of document.querySelectorAll(".row.hit")) r.classList.remove("hit");
    for (const pc of pcs || []) {
      const of = this.byPC[pc] || {};
      for (const r of [of.line, of.ptx]) if (r) r.classList.add("hit");
    }
  }
}
