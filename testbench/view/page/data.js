// The data of the page: see columns.go, which has the same order of columns.

// inflate returns the bytes of a blob.
async function inflate(id) {
  const packed = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Numbers reads numbers of Go's encoding/binary.
class Numbers {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  next() {
    let v = 0;
    for (let scale = 1; ; scale *= 128) {
      const c = this.bytes[this.at++];
      v += (c & 127) * scale;
      if (c < 128) return v;
    }
  }
  signed() {
    const v = this.next();
    return v % 2 ? -(v + 1) / 2 : v / 2;
  }
}

// The kinds of records and the reasons to wait of package trace.
const kind = { branch: 2, push: 3, pop: 4, reconverge: 5, merge: 6, compact: 7, spill: 8, fill: 9, arrive: 10, release: 11,
  start: 15, exit: 16 };
const kindNames = { 2: "branch", 3: "push", 4: "pop", 5: "reconvergence", 6: "merge", 7: "compaction", 8: "spill",
  9: "fill", 10: "arrival at a barrier", 11: "release of a barrier", 15: "start", 16: "exit" };
const accesses = ["load", "store", "atomic", "reduction", "fence", "flush", "flush", "sample"];
const finds = ["hit", "joined a miss", "miss", "not looked up in the L1"];
const reasons = ["branch outcome", "barrier", "other warps or paths", "fetch", "memory", "another result", "its turn"];
const reasonTitles = [
  "a branch, call or exit has issued, and its outcome is not known", "other warps of the CTA, at a CTA barrier",
  "other warps or paths, at a branch or where paths meet", "its next instruction is not in the I-buffer",
  "a register that a load will write", "a register that another instruction will write",
  "the instruction could issue: another warp does, or the pipe is occupied",
];
const noPC = 0xffffffff;

// ones counts the lanes of a mask.
function ones(m) {
  m -= (m >>> 1) & 0x55555555;
  m = (m & 0x33333333) + ((m >>> 2) & 0x33333333);
  return (((m + (m >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

// after returns the first index from a up to b whose value in the ascending list exceeds v.
function after(list, a, b, v, value = (x) => x) {
  while (a < b) {
    const mid = (a + b) >>> 1;
    if (value(list[mid]) > v) b = mid;
    else a = mid + 1;
  }
  return a;
}

// readDetail reads the records of an SM. Cycles count from the beginning of the window, part.From.
function readDetail(bytes, part) {
  const in_ = new Numbers(bytes);
  const d = { from: part.From, to: part.To, slots: [] };
  let issues = 0, waits = 0, events = 0, requests = 0;
  for (let n = in_.next(); n > 0; n--) {
    const slot = in_.next(), i = in_.next(), w = in_.next(), e = in_.next(), m = in_.next();
    d.slots.push({ slot, i0: issues, i1: issues + i, w0: waits, w1: waits + w, e0: events, e1: events + e,
      m0: requests, m1: requests + m });
    issues += i;
    waits += w;
    events += e;
    requests += m;
  }
  const forms = in_.next();
  d.homes = new Uint8Array(64 * (forms + 1)); // rows, then lanes
  for (let at = 64; at < d.homes.length; at++) d.homes[at] = d.homes[at - 64] ^ bytes[in_.at++];

  // each reads a column: next takes the number before in the slot
  const each = (a, b, to, first, next) => {
    for (const s of d.slots) {
      let last = first;
      for (let i = s[a]; i < s[b]; i++) last = to[i] = next(last, i);
    }
    return to;
  };
  const issue = (to, first, next) => each("i0", "i1", to, first, next);
  const wait = (to, first, next) => each("w0", "w1", to, first, next);
  const event = (to, first, next) => each("e0", "e1", to, first, next);
  const request = (to, first, next) => each("m0", "m1", to, first, next);
  const xor = (last) => (last ^ in_.next()) >>> 0;
  const add = (last) => last + in_.signed();
  const plain = () => in_.next();

  d.cycle = issue(new Uint32Array(issues), 0, add);
  d.pc = issue(new Uint32Array(issues), -1, (last) => last + 1 + in_.signed());
  d.mask = issue(new Uint32Array(issues), 0, xor);
  d.off = issue(new Uint32Array(issues), 0, plain);
  d.row = issue(new Uint8Array(issues), 0, add);
  d.form = new Uint32Array(issues);
  d.inserted = new Uint8Array(issues);
  issue(d.form, 0, (_, i) => {
    const v = in_.next();
    d.inserted[i] = v % 2;
    return Math.floor(v / 2);
  });
  d.waitFrom = new Uint32Array(waits);
  d.waitTo = new Uint32Array(waits);
  // lengths come after all beginnings, so differences are kept first
  const gaps = wait(new Int32Array(waits), 0, () => in_.signed());
  wait(d.waitTo, 0, (last, i) => {
    d.waitFrom[i] = last + gaps[i];
    return d.waitFrom[i] + in_.next();
  });
  d.waitReason = wait(new Uint8Array(waits), 0, plain);
  d.waitPC = wait(new Uint32Array(waits), 0, add);
  d.waitMask = wait(new Uint32Array(waits), 0, xor);
  d.eventKind = event(new Uint8Array(events), 0, plain);
  d.eventCycle = event(new Uint32Array(events), 0, add);
  d.eventPC = event(new Uint32Array(events), 0, add);
  d.eventMask = event(new Uint32Array(events), 0, xor);
  d.eventValue = event(new Uint32Array(events), 0, plain);
  d.eventRow = event(new Uint8Array(events), 0, add);
  d.memoryFrom = request(new Uint32Array(requests), 0, add);
  d.memoryLong = request(new Uint32Array(requests), 0, plain); // 0: it gets no reply
  d.memoryWhat = request(new Uint8Array(requests), 0, plain);
  d.memoryPC = request(new Uint32Array(requests), 0, add);
  d.memoryLanes = request(new Uint8Array(requests), 0, plain);
  d.memoryLine = request(new Float64Array(requests), 0, add); // in units of 32 bytes

  // the requests of a slot without a reply after each cycle in which their number changes
  d.mostRequests = 1;
  for (const s of d.slots) {
    const steps = [];
    for (let m = s.m0; m < s.m1; m++) {
      steps.push([d.memoryFrom[m], 1], [d.memoryFrom[m] + Math.max(1, d.memoryLong[m]), -1]);
    }
    steps.sort((a, b) => a[0] - b[0]);
    s.inFlight = [];
    let n = 0;
    steps.forEach(([cycle, by], i) => {
      n += by;
      if (i + 1 < steps.length && steps[i + 1][0] === cycle) return;
      s.inFlight.push({ cycle, n });
      d.mostRequests = Math.max(d.mostRequests, n);
    });
  }

  // the depth of the stack of a slot after each push and pop; and where the entry beneath a pushed one
  // continues, which its pop tells
  d.deepest = 1;
  for (const s of d.slots) {
    s.depth = [];
    s.beneath = new Map(); // by push
    const pushed = [];
    for (let e = s.e0; e < s.e1; e++) {
      if (d.eventKind[e] !== kind.push && d.eventKind[e] !== kind.pop) continue;
      s.depth.push(e);
      d.deepest = Math.max(d.deepest, d.eventValue[e]);
      if (d.eventKind[e] === kind.push) pushed.push(e);
      else if (pushed.length) s.beneath.set(pushed.pop(), d.eventPC[e]);
    }
  }
  return d;
}

// A level holds sums over equal parts of a run, which begin at a cycle.
class Level {
  constructor(from, width, parts, slots) {
    this.from = from;
    this.width = width;
    this.parts = parts;
    const n = parts * slots;
    this.issues = new Uint32Array(n);
    this.lanes = new Uint32Array(n); // of all issues
    this.waited = new Uint32Array(n); // cycles
    this.waitLanes = new Float32Array(n); // cycles times lanes
    this.reason = new Uint8Array(n); // the most frequent
  }
  // half returns the level of parts that are twice as long.
  half(slots) {
    const to = new Level(this.from, 2 * this.width, (this.parts + 1) >> 1, slots);
    for (let s = 0; s < slots; s++) {
      for (let p = 0; p < this.parts; p++) {
        const a = s * this.parts + p, b = s * to.parts + (p >> 1);
        if (p % 2 === 0 || this.waited[a] > this.waited[a - 1]) to.reason[b] = this.reason[a];
        to.issues[b] += this.issues[a];
        to.lanes[b] += this.lanes[a];
        to.waited[b] += this.waited[a];
        to.waitLanes[b] += this.waitLanes[a];
      }
    }
    return to;
  }
}

// levelsOf returns the levels of an SM's records, from the finest, which has at most two million parts.
function levelsOf(d) {
  const slots = d.slots.length, span = d.to - d.from;
  let width = 4;
  while ((span / width) * slots > 1 << 21) width *= 2;
  const base = new Level(d.from, width, Math.max(1, Math.ceil(span / width)), slots);
  const by = new Float32Array(base.parts * reasons.length);
  d.slots.forEach((s, n) => {
    const at = n * base.parts;
    for (let i = s.i0; i < s.i1; i++) {
      const p = at + Math.floor(d.cycle[i] / width);
      base.issues[p]++;
      base.lanes[p] += ones(d.mask[i]);
    }
    by.fill(0);
    for (let w = s.w0; w < s.w1; w++) {
      const lanes = ones(d.waitMask[w]);
      for (let from = d.waitFrom[w]; from < d.waitTo[w]; ) {
        const p = Math.floor(from / width), to = Math.min(d.waitTo[w], (p + 1) * width);
        base.waited[at + p] += to - from;
        base.waitLanes[at + p] += (to - from) * lanes;
        by[p * reasons.length + d.waitReason[w]] += to - from;
        from = to;
      }
    }
    for (let p = 0; p < base.parts; p++) {
      let most = 0;
      for (let r = 1; r < reasons.length; r++) {
        if (by[p * reasons.length + r] > by[p * reasons.length + most]) most = r;
      }
      base.reason[at + p] = most;
    }
  });
  const list = [base];
  while (list[list.length - 1].parts > 512) list.push(list[list.length - 1].half(slots));
  return list;
}

// readSums reads the sums of an SM over the whole run: the slots and their level.
function readSums(bytes, width, parts) {
  const in_ = new Numbers(bytes);
  const slots = Array.from({ length: in_.next() }, () => in_.next());
  const level = new Level(0, width, parts, slots.length);
  for (let at = 0; at < slots.length * parts; at++) {
    level.issues[at] = in_.next();
    level.lanes[at] = in_.next();
    level.waited[at] = in_.next();
    level.waitLanes[at] = in_.next();
    level.reason[at] = in_.next();
  }
  return { slots, level };
}

// readSM reads what the page holds of an SM of a trace.
async function readSM(trace, number, sm) {
  const part = trace.Parts[sm];
  const d = readDetail(await inflate(`detail-${number}-${sm}`), part);
  if (part.Sums) {
    const sums = readSums(await inflate(`sums-${number}-${sm}`), trace.Width, 1024);
    // slots that have no records in the window are rows too
    for (const slot of sums.slots) {
      if (!d.slots.some((s) => s.slot === slot)) {
        d.slots.push({ slot, i0: 0, i1: 0, w0: 0, w1: 0, e0: 0, e1: 0, m0: 0, m1: 0, depth: [], inFlight: [] });
      }
    }
    d.slots.sort((a, b) => a.slot - b.slot);
    d.slots.forEach((s) => (s.sums = sums.slots.indexOf(s.slot)));
    d.sums = sums.level;
  }
  d.slots.forEach((s, i) => (s.index = i));
  d.levels = levelsOf(d);
  d.starts = [];
  for (let i = 0; i < trace.Starts.length; i += 5) {
    const [of, row, cta, warp, cycle] = trace.Starts.slice(i, i + 5);
    if (of === sm) d.starts.push({ row, cta, warp, cycle });
  }
  return d;
}

// homeOf returns the row and the lane of the registers of the thread in a lane of an issue.
function homeOf(d, i, lane) {
  const f = d.form[i];
  return f ? { row: d.homes[64 * f + lane], lane: d.homes[64 * f + 32 + lane] } : { row: d.row[i], lane };
}

// warpIn returns the static warp that a row holds in a cycle, counted from the beginning of the run.
function warpIn(d, row, cycle) {
  let found = null;
  for (const s of d.starts) if (s.row === row && s.cycle <= cycle) found = s;
  return found;
}
