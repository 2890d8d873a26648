"use strict";

// Runs divergo command lines, one after another, on files in memory.
//
// In:  {inputs: {name: text}, commands: [[word, ...], ...]}
// Out: {ready: milliseconds} once the program is compiled
//      {fd, text} for each write to the standard output (1) or error (2)
//      {ended: index, code} after each command; one that fails ends the run
//      {done: true, files: {name: Uint8Array}} with every file that the commands wrote
//      {broken: message} if the program could not be loaded or broke down

importScripts("files.js", "wasm_exec.js");

async function load() {
	const answer = await fetch("divergo.wasm.gz");
	if (!answer.ok) throw new Error(`divergo.wasm.gz: ${answer.status} ${answer.statusText}`);
	const unpacked = answer.body.pipeThrough(new DecompressionStream("gzip"));
	return WebAssembly.compileStreaming(new Response(unpacked, { headers: { "Content-Type": "application/wasm" } }));
}

const began = performance.now();
const program = load();
program.then(() => postMessage({ ready: Math.round(performance.now() - began) }), () => {});

onmessage = async ({ data: { inputs, commands } }) => {
	try {
		const texts = { 1: new TextDecoder(), 2: new TextDecoder() };
		const files = memoryFiles((fd, bytes) => postMessage({ fd, text: texts[fd].decode(bytes, { stream: true }) }));
		for (const [name, text] of Object.entries(inputs)) files.put(name, new TextEncoder().encode(text));
		const given = new Set(files.list());
		const compiled = await program;
		for (const [index, words] of commands.entries()) {
			globalThis.fs = files.fs;
			globalThis.process = files.process;
			const go = new Go();
			go.argv = ["divergo", ...words];
			go.env = {};
			let code = 0;
			go.exit = (c) => { code = c; };
			await go.run(await WebAssembly.instantiate(compiled, go.importObject));
			go._resume = () => {}; // a timer of the ended program may still ring
			postMessage({ ended: index, code });
			if (code === 2) break;
		}
		const written = {};
		for (const name of files.list()) if (!given.has(name)) written[name] = files.get(name);
		postMessage({ done: true, files: written });
	} catch (e) {
		postMessage({ broken: String(e && e.message || e) });
	}
};
