"use strict";

// The file system and the process that a Go program for GOOS=js finds: files in memory, with the
// interface of Node's fs, as far as package os of Go calls it. The program sees one folder, "/".

/** Returns a file system; print(fd, bytes) receives what the program writes to fd 1 and 2. */
function memoryFiles(print) {
	const constants = { O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };
	const S_IFDIR = 0o040000, S_IFREG = 0o100000, S_IFCHR = 0o020000;
	let inodes = 0;
	const inode = (mode) => ({ ino: ++inodes, mode, data: new Uint8Array(0), size: 0 });
	const names = new Map([["/", inode(S_IFDIR | 0o755)], ["/tmp", inode(S_IFDIR | 0o755)]]);
	const opened = new Map();
	let next = 3;

	const full = (path) => {
		const parts = [];
		for (const part of path.split("/")) {
			if (part === "..") parts.pop();
			else if (part !== "" && part !== ".") parts.push(part);
		}
		return "/" + parts.join("/");
	};
	const fail = (code) => { const e = new Error(code); e.code = code; throw e; };
	const find = (path) => names.get(full(path)) ?? fail("ENOENT");
	const stat = (file) => ({
		dev: 1, ino: file.ino, mode: file.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size: file.size, blksize: 4096,
		blocks: Math.ceil(file.size / 512), atimeMs: 0, mtimeMs: 0, ctimeMs: 0,
		isDirectory: () => (file.mode & S_IFDIR) !== 0,
	});
	const handle = (fd) => opened.get(fd) ?? fail("EBADF");
	const resize = (file, size) => {
		if (size > file.data.length) {
			const grown = new Uint8Array(Math.max(size, 2 * file.data.length, 4096));
			grown.set(file.data.subarray(0, file.size));
			file.data = grown;
		}
		if (size < file.size) file.data.fill(0, size, file.size);
		file.size = size;
	};
	const terminal = { ino: 0, mode: S_IFCHR | 0o600, size: 0 };

	const calls = {
		open(path, flags, mode) {
			const name = full(path);
			let file = names.get(name);
			if (file && flags & constants.O_CREAT && flags & constants.O_EXCL) fail("EEXIST");
			if (!file) {
				if (!(flags & constants.O_CREAT)) fail("ENOENT");
				const folder = names.get(full(name + "/..")) ?? fail("ENOENT");
				if (!(folder.mode & S_IFDIR)) fail("ENOTDIR");
				names.set(name, file = inode(S_IFREG | mode));
			} else if (file.mode & S_IFDIR && flags & 3) fail("EISDIR");
			if (flags & constants.O_TRUNC) resize(file, 0);
			opened.set(next, { file, at: 0, append: (flags & constants.O_APPEND) !== 0 });
			return next++;
		},
		close(fd) { if (fd > 2 && !opened.delete(fd)) fail("EBADF"); },
		read(fd, buffer, offset, length, position) {
			if (fd === 0) return 0;
			const h = handle(fd), at = position ?? h.at;
			const n = Math.max(0, Math.min(length, h.file.size - at));
			buffer.set(h.file.data.subarray(at, at + n), offset);
			if (position === null) h.at += n;
			return n;
		},
		write(fd, buffer, offset, length, position) {
			const bytes = buffer.subarray(offset, offset + length);
			if (fd === 1 || fd === 2) {
				print(fd, bytes.slice());
				return length;
			}
			const h = handle(fd), at = position ?? (h.append ? h.file.size : h.at);
			if (at + length > h.file.size) resize(h.file, at + length);
			h.file.data.set(bytes, at);
			if (position === null) h.at = at + length;
			return length;
		},
		stat: (path) => stat(find(path)),
		lstat: (path) => stat(find(path)),
		fstat: (fd) => stat(fd <= 2 ? terminal : handle(fd).file),
		fsync() {},
		ftruncate(fd, length) { resize(handle(fd).file, length); },
		truncate(path, length) { resize(find(path), length); },
		mkdir(path, mode) {
			if (names.has(full(path))) fail("EEXIST");
			names.set(full(path), inode(S_IFDIR | mode));
		},
		readdir(path) {
			if (!(find(path).mode & S_IFDIR)) fail("ENOTDIR");
			const folder = full(path) === "/" ? "/" : full(path) + "/";
			return [...names.keys()].filter((n) => n.length > folder.length && n.startsWith(folder) &&
				!n.slice(folder.length).includes("/")).map((n) => n.slice(folder.length));
		},
		rename(from, to) { const file = find(from); names.delete(full(from)); names.set(full(to), file); },
		link(from, to) { if (names.has(full(to))) fail("EEXIST"); names.set(full(to), find(from)); },
		unlink(path) { find(path); names.delete(full(path)); },
		rmdir(path) { if (calls.readdir(path).length) fail("ENOTEMPTY"); names.delete(full(path)); },
		chmod(path, mode) { const file = find(path); file.mode = file.mode & ~0o777 | mode; },
		fchmod(fd, mode) { const file = handle(fd).file; file.mode = file.mode & ~0o777 | mode; },
		chown() {}, fchown() {}, lchown() {}, utimes() {},
		readlink() { fail("EINVAL"); },
		symlink() { fail("EPERM"); },
	};
	const fs = { constants, writeSync: (fd, buffer) => calls.write(fd, buffer, 0, buffer.length, null) };
	for (const [name, call] of Object.entries(calls)) {
		fs[name] = (...args) => {
			const done = args.pop();
			let value;
			try { value = call(...args); } catch (e) {
				done(e);
				return;
			}
			done(null, value);
		};
	}
	return {
		fs,
		process: {
			getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [], pid: 1, ppid: 0,
			umask: () => 0o022, cwd: () => "/", chdir() {}, stderr: { isTTY: true },
		},
		/** Stores a file, a Uint8Array. */
		put(name, data) { const file = inode(S_IFREG | 0o644); file.data = data; file.size = data.length; names.set(full(name), file); },
		/** Returns the bytes of a file, or undefined. */
		get(name) { const file = names.get(full(name)); return file && file.data.slice(0, file.size); },
		/** Lists the names of all files, without the leading slash. */
		list: () => [...names].filter(([, f]) => f.mode & S_IFREG).map(([n]) => n.slice(1)),
	};
}

if (typeof module !== "undefined") module.exports = { memoryFiles };
