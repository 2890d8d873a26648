package cli

import "divergo/internal/need"

// attacksOnCUDA are arguments of cuda and CUDA sources.
func attacksOnCUDA() []attacks {
	return []attacks{
		{on: "cuda", args: "cuda", cases: []attack{
			{
				name: "a verb of nobody", args: "biuld k.cu", code: 2,
				fragment: "unknown verb \"biuld\"; did you mean \"build\"?",
			},
			{name: "a program of nothing", args: "run", code: 2, fragment: "want a program or its sources"},
			{name: "a source of nothing", args: "run none.cu", code: 2, fragment: "none.cu: no such file"},
			{
				name: "arguments without dashes", args: "run prog 5", more: files{"prog": "#!/bin/sh\n"}, code: 2,
				fragment: "its arguments follow \"--\"",
			},
			{
				name: "a mechanism of nobody", args: "compare --mech pdom,tcb prog", more: files{"prog": "#!/bin/sh\n"},
				code: 2, fragment: "unknown mechanism \"tcb\"",
			},
			{
				name: "an expression of nothing", args: "compare --ignore '(' prog", more: files{"prog": "#!/bin/sh\n"},
				code: 2, fragment: "--ignore \"(\"",
			},
			{
				name: "statistics over the program", args: "run --json prog prog", more: files{"prog": "#!/bin/sh\n"},
				code: 2, fragment: "prog: is ",
			},
			{name: "build of nothing", args: "build", code: 2, fragment: "divergo cuda build: want files"},
			{
				name: "nvcc with an option of nobody", args: "nvcc --frobnicate k.cu", more: files{"k.cu": ""}, code: 2,
				fragment: "frobnicate",
			},
			{name: "nvcc without a file", args: "nvcc -O2", code: 2, fragment: "nvcc"},
			{name: "a toolkit in a file", args: "toolkit data", code: 2, fragment: "data"},
			{
				name: "a toolkit of others", args: "toolkit .", code: 2,
				fragment: "which divergo did not write: want an empty folder, or --force",
			},
			{name: "two toolkits", args: "toolkit a b", code: 2, fragment: "2"},
		}},
		{on: "sources of CUDA", file: "h.cu", args: "cuda", tools: need.CUDA, cases: []attack{
			{name: "nothing", args: "build h.cu -o h", code: 2, fragment: "main"},
			{name: "no text", text: "\x00\x01\x02\xff", args: "build h.cu -o h", code: 2, fragment: "h.cu"},
			{
				name: "a misspelt type", text: "__global__ void k(itn *p) {}\nint main() {}\n", args: "build h.cu -o h",
				code: 2, fragment: "h.cu:1:",
			},
			{
				name: "a header of nobody", text: "#include \"none.h\"\nint main() {}\n", args: "run h.cu", code: 2,
				fragment: "none.h",
			},
			{
				name: "over its source", text: "int main() {}\n", args: "build h.cu -o h.cu", code: 2,
				fragment: "h.cu: is the input h.cu too",
			},
			{
				name: "over its source, by a link", text: "int main() {}\n", args: "nvcc h.cu -o link",
				more: files{"link": "-> h.cu"}, code: 2, fragment: "link: is the input h.cu too",
			},
			{
				name: "a toolkit through a link", args: "toolkit --force t", more: files{"t/bin/nvcc": "-> ../../data"},
				code: 2, fragment: "nvcc: is a link",
			},
			{
				name: "into no folder", text: "int main() {}\n", args: "build h.cu -o none/h", code: 2,
				fragment: "none/h: no folder none",
			},
			{name: "a fault", text: "__global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 1>>>(nullptr); cudaDeviceSynchronize(); }\n", args: "run h.cu", code: 4, fragment: "at h.cu:1, PC "},
		}},
	}
}
