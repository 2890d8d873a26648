"use strict";

// The page: what is run is a command line of divergo, which worker.js runs on files in memory. The
// whole state of the page is in the link.

const $ = (id) => document.getElementById(id);
const file = "kernel.ptx"; // the name of edited PTX
const shown = 4; // mechanisms on a timeline

let index; // of index.json: kernels, mechanisms, presets
let worker;
let running = false;
let timeline = ""; // the address of the page of the last run, until it is shown

/** Starts a worker, which compiles the program. */
function start() {
	worker?.terminate();
	worker = new Worker("worker.js");
	worker.onmessage = ({ data }) => heard(data);
	worker.onerror = (e) => heard({ broken: e.message });
}

function say(text) { $("state").textContent = text; }

// --- the kernel -------------------------------------------------------------------------------

const chosen = () => index.kernels.find((k) => k.name === $("kernel").value);
const edited = () => !$("ptx").readOnly;

async function text(path) {
	const answer = await fetch(path);
	if (!answer.ok) throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
	return answer.text();
}

/** Shows a kernel of the tree. */
async function show(name, size) {
	$("kernel").value = name;
	const kernel = chosen();
	$("size").replaceChildren(...kernel.sizes.map((s) => new Option(s.name, s.name)));
	if (size) $("size").value = size;
	$("about").textContent = kernel.doc;
	edit(false);
	try {
		$("ptx").value = await text("kernels/" + kernel.ptx);
		$("cuda").textContent = kernel.cuda ? await text("kernels/" + kernel.cuda) : "This kernel is written in PTX.";
	} catch (e) {
		fault(e.message);
	}
}

/** Makes the PTX the user's own, or a kernel's again. */
function edit(own) {
	$("ptx").readOnly = !own;
	$("launch").hidden = !own;
	$("size").disabled = own;
	$("edit").textContent = own ? "Back to the kernel" : "Edit a copy";
	if (own) tab("ptx");
}

// --- the command ------------------------------------------------------------------------------

const lines = (id) => $(id).value.split("\n").map((l) => l.trim()).filter(Boolean);
const mechanisms = () => [...$("mechanisms").querySelectorAll("input:checked")].map((i) => i.value);

/** Returns the words of the command line. */
function words() {
	const list = ["compare", edited() ? file : $("kernel").value];
	if (edited()) {
		if ($("entry").value.trim()) list.push("--kernel", $("entry").value.trim());
		list.push("--grid", $("grid").value.trim(), "--block", $("block").value.trim());
		for (const a of lines("args")) list.push("--arg", a);
	} else list.push("--size", $("size").value);
	list.push("--mech", mechanisms().join(","), "--preset", $("preset").value);
	if ($("lanes").value) list.push("--set", "sm.warp_size=" + $("lanes").value);
	for (const k of lines("keys")) list.push("--set", k);
	return list;
}

const quoted = (word) => /^[\w.,:=@/+-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";

// --- a run ------------------------------------------------------------------------------------

function run() {
	if (running) return;
	const list = words();
	for (const id of ["errors", "warnings"]) $(id).hidden = true;
	for (const id of ["errors", "warnings", "table"]) $(id).textContent = "";
	for (const id of ["cycles", "timeline", "files"]) $(id).replaceChildren();
	timeline = "";
	$("command").hidden = false;
	$("command").textContent = "The same in a shell: divergo " + list.map(quoted).join(" ");
	if (!mechanisms().length) {
		fault("choose at least one mechanism");
		return;
	}
	busy(true);
	say("running ...");
	worker.postMessage({
		inputs: edited() ? { [file]: $("ptx").value } : {},
		commands: [
			[...list, "--svg", "cycles.svg", "--trace", "run.trace", ...($("wave").checked ? ["--vcd", "wave.vcd"] : [])],
			["view", ...mechanisms().slice(0, shown).map((m) => `run-${m}.trace`), "--out", "timeline.html"],
		],
	});
}

function busy(is) {
	running = is;
	$("run").disabled = is;
	$("cancel").hidden = !is;
}

function cancel() {
	if (!running) return;
	busy(false);
	start();
	say("cancelled");
}

function fault(message) {
	$("errors").hidden = false;
	$("errors").textContent += message + "\n";
}

/** Handles a message of the worker: see worker.js. */
function heard(m) {
	if (m.ready !== undefined && $("state").textContent.startsWith("loading")) say("ready");
	if (m.fd === 1) $("table").textContent += m.text;
	if (m.fd === 2) error(m.text);
	if (m.done) {
		busy(false);
		say(`done in ${((performance.now() - began) / 1000).toFixed(1)} s`);
		files(m.files);
		start(); // a new worker: an ended program keeps its memory
	}
	if (m.broken) {
		busy(false);
		fault(m.broken);
		say("stopped");
		start();
	}
}

/** Shows the standard error: lines of progress begin with a return and are overwritten. */
function error(written) {
	for (const line of written.split("\n")) {
		const progress = line.lastIndexOf("\x1b[K");
		if (progress >= 0) {
			const rest = line.slice(progress + 3);
			if (/^\w+: cycle /.test(rest)) say(rest);
			else if (rest) fault(rest);
		} else if (line.startsWith("divergo: warning: ")) {
			$("warnings").hidden = false;
			$("warnings").textContent += line.slice("divergo: ".length) + "\n";
		} else if (line && !line.startsWith("divergo: wrote ")) fault(line);
	}
}

let began = 0;

const types = { svg: "image/svg+xml", html: "text/html" };

/** Shows the files that a run wrote. */
function files(written) {
	for (const [name, data] of Object.entries(written)) {
		const type = types[name.split(".").pop()] ?? "application/octet-stream";
		const link = URL.createObjectURL(new Blob([data], { type }));
		if (name === "timeline.html") {
			timeline = link;
			if (!$("timeline").hidden) tab("timeline");
		}
		if (name === "cycles.svg") {
			const picture = new Image();
			picture.src = link;
			picture.alt = "What the cycles were spent on, by mechanism";
			$("cycles").append(picture);
		}
		const a = Object.assign(document.createElement("a"), { href: link, download: name.split("/").pop(), textContent: name });
		const item = document.createElement("li");
		item.append(a, ` ${Math.ceil(data.length / 1024)} KiB`);
		$("files").append(item);
	}
}

// --- the link ---------------------------------------------------------------------------------

async function through(stream, bytes) {
	return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function pack(state) {
	const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
	let binary = "";
	for (const b of bytes) binary += String.fromCharCode(b);
	return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpack(word) {
	const binary = atob(word.replaceAll("-", "+").replaceAll("_", "/"));
	const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
	return JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes)));
}

const fields = ["preset", "lanes", "keys", "entry", "grid", "block", "args"];

/** Returns the state of the page. */
function state() {
	const s = { kernel: $("kernel").value, size: $("size").value, mechanisms: mechanisms() };
	for (const f of fields) s[f] = $(f).value;
	if (edited()) s.ptx = $("ptx").value;
	return s;
}

/** Puts the page in a state. */
async function restore(s) {
	await show(s.kernel, s.size);
	for (const box of $("mechanisms").querySelectorAll("input")) box.checked = s.mechanisms.includes(box.value);
	for (const f of fields) if (s[f] !== undefined) $(f).value = s[f];
	$("more").open = Boolean($("keys").value);
	if (s.ptx !== undefined) {
		edit(true);
		$("ptx").value = s.ptx;
	}
}

async function share() {
	location.hash = await pack(state());
	try {
		await navigator.clipboard.writeText(location.href);
		say("link copied");
	} catch {
		say("the link is in the address bar");
	}
}

// --- tabs and start ---------------------------------------------------------------------------

/** Shows the panel of a tab and hides the others of its list. */
function tab(id) {
	if (id === "timeline" && timeline) { // it needs its size to choose what it shows
		const frame = Object.assign(document.createElement("iframe"), { src: timeline, title: "The run over time" });
		$("timeline").replaceChildren(frame);
		timeline = "";
	}
	for (const other of $("tab-" + id).parentElement.querySelectorAll("[role=tab]")) {
		const is = other.id === "tab-" + id;
		other.setAttribute("aria-selected", is);
		$(other.getAttribute("aria-controls")).hidden = !is;
	}
}

async function main() {
	start();
	index = JSON.parse(await text("index.json"));
	$("kernel").replaceChildren(...index.kernels.map((k) => new Option(k.name, k.name)));
	$("preset").replaceChildren(...index.presets.map((p) => new Option(`${p.name}: ${p.doc}`, p.name)));
	$("mechanisms").replaceChildren(...index.mechanisms.map((m) => {
		const label = document.createElement("label");
		label.title = m.doc;
		label.append(Object.assign(document.createElement("input"), { type: "checkbox", value: m.name }), m.name);
		return label;
	}));
	for (const t of document.querySelectorAll("[role=tab]")) t.onclick = () => tab(t.getAttribute("aria-controls"));
	$("kernel").onchange = () => show($("kernel").value);
	$("edit").onclick = () => edited() ? show($("kernel").value, $("size").value) : edit(true);
	$("run").onclick = () => { began = performance.now(); run(); };
	$("cancel").onclick = cancel;
	$("share").onclick = share;
	document.onkeydown = (e) => {
		if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) $("run").click();
		if (e.key === "Escape") cancel();
	};
	try {
		await restore(location.hash.length > 1 ? await unpack(location.hash.slice(1)) : index.start);
	} catch {
		fault("the link is damaged: the page begins anew");
		await restore(index.start);
	}
}

main().catch((e) => fault(e.message));
