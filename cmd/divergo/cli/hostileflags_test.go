package cli

import "strings"

// attacksOnFlags are flags on the command line and in the environment.
func attacksOnFlags() []attacks {
	return []attacks{
		{on: "flags", args: "", cases: []attack{
			{
				name: "a verb of nobody", args: "comprae", code: 2,
				fragment: "unknown verb \"comprae\"; did you mean \"compare\"?",
			},
			{name: "no verb", args: "''", code: 2, fragment: "unknown verb \"\""},
			{name: "a flag before the verb", args: "--json run vecadd", code: 2, fragment: "--json"},
			{
				name: "help of nobody", args: "help cuda bild", code: 2,
				fragment: "unknown verb \"bild\"; did you mean \"build\"?",
			},
			{
				name: "help of a word too many", args: "help run vecadd", code: 2,
				fragment: "found \"vecadd\" behind \"divergo run\"",
			},
			{
				name: "a misspelt flag", args: "run vecadd --verfy", code: 2,
				fragment: "unknown flag \"--verfy\"; did you mean \"--verify\"?",
			},
			{
				name: "a flag of another verb", args: "run vecadd --svg x.svg", code: 2,
				fragment: "divergo run has no --svg; it is a flag of area, bench, compare",
			},
			{name: "short flags of nobody", args: "run vecadd -xyz", code: 2, fragment: "unknown flag \"-x"},
			{
				name: "a flag without its value", args: "run vecadd --seed", code: 2,
				fragment: "flag needs an argument: --seed",
			},
			{
				name: "a switch with a value", args: "run vecadd --json=perhaps", code: 2,
				fragment: "--json \"perhaps\": want true or false",
			},
			{name: "a flag of nothing", args: "run vecadd --=3", code: 2, fragment: "bad flag syntax"},
			{name: "three dashes", args: "run vecadd ---seed 3", code: 2, fragment: "bad flag syntax"},
			{
				name: "a flag behind two dashes", args: "run vecadd -- --json", code: 2,
				fragment: "found \"--json\" behind a PTX file",
			},
			{
				name: "a seed of less", args: "run vecadd --seed -1", code: 2,
				fragment: "--seed \"-1\": want a number from 0 on",
			},
			{
				name: "a seed of 2^64", args: "run vecadd --seed 18446744073709551616", code: 2,
				fragment: "--seed \"18446744073709551616\": want a number from 0 on",
			},
			{
				name: "a seed that is a word", args: "run vecadd --seed NaN", code: 2,
				fragment: "--seed \"NaN\": want a number from 0 on",
			},
			{name: "no workers", args: "run vecadd --workers -1", code: 2, fragment: "--workers -1: want 0 or more"},
			{
				name: "workers without number", args: "run vecadd --workers 99999999999999999999", code: 2,
				fragment: "want a whole number",
			},
			{
				name: "cycles of less", args: "run vecadd --max-cycles -1", code: 2,
				fragment: "--max-cycles \"-1\": want a number from 0 on",
			},
			{
				name: "a few cycles", args: "run vecadd --max-cycles 300 --set gpu.sms=1", code: 4,
				fragment: "watchdog: not finished after 300 cycles",
			},
			{
				name: "padding without measure", args: "run vecadd --pad 18446744073709551615", code: 2,
				fragment: "--pad 18446744073709551615: want at most 1048576 bytes",
			},
			{
				name: "launches backwards", args: "run vecadd --fast 5..1", code: 2,
				fragment: "--fast \"5..1\": want launches N..M",
			},
			{name: "launch 0", args: "run vecadd --fast 0", code: 2, fragment: "--fast \"0\": want launches N..M"},
			{name: "dots", args: "run vecadd --fast 1...2", code: 2, fragment: "--fast \"1...2\": want launches N..M"},
			{
				name: "a mechanism of nobody", args: "run vecadd --mech simt", code: 2,
				fragment: "--mech: unknown mechanism \"simt\"",
			},
			{
				name: "two mechanisms for one", args: "run vecadd --mech pdom,tbc", code: 2,
				fragment: "--mech: unknown mechanism \"pdom,tbc\"",
			},
			{
				name: "lanes of nobody", args: "run vecadd --lanes swizle", code: 2,
				fragment: "unknown value \"swizle\"; did you mean \"swizzle\"?",
			},
			{
				name: "a size of nobody", args: "run vecadd --size hugh", code: 2,
				fragment: "unknown size of vecadd \"hugh\"",
			},
			{
				name: "a kernel of nobody", args: "run mandelbrott", code: 2,
				fragment: "unknown kernel \"mandelbrott\"; did you mean \"mandelbrot\"?",
			},
			{
				name: "a kernel of 100,000 bytes", args: "run " + strings.Repeat("k", 100_000), code: 2,
				fragment: "unknown kernel \"kkk",
			},
			{
				name: "orders to the terminal", args: "run '\x1b[2J\x9b31m'", code: 2,
				fragment: "unknown kernel \"\\x1b[2J\\x9b31m\"",
			},
			{name: "no kernel", args: "run ''", code: 2, fragment: "unknown kernel \"\""},
			{name: "a folder", args: "run .", code: 2, fragment: ".: is a folder, want a file"},
			{name: "a device", args: "run /dev/zero", code: 2, fragment: "/dev/zero: does not end"},
			{
				name: "a file without end", args: "run ./huge", more: files{"huge": ""}, code: 2,
				fragment: "huge: has 21474836480 bytes",
			},
			{
				name: "a link to itself", args: "run loop.ptx", more: files{"loop.ptx": "-> loop.ptx"}, code: 2,
				fragment: "loop.ptx: too many levels of symbolic links",
			},
			{
				name: "a CUDA source", args: "run x.cu", more: files{"x.cu": ""}, code: 2,
				fragment: "x.cu: a CUDA source, want PTX",
			},
			{
				name: "flags of a file for a kernel", args: "compare vecadd --arg u32:1", code: 2,
				fragment: "--arg is for a PTX file, vecadd is a built-in kernel",
			},
		}},
		{on: "environment", file: "$DIVERGO_FLAGS", args: "cuda serve 99", cases: []attack{
			{
				name: "a misspelt flag", text: "--mehc tbc", code: 2,
				fragment: "DIVERGO_FLAGS: unknown flag \"--mehc\"; did you mean \"--mech\"?",
			},
			{
				name: "a mechanism of nobody", text: "--mech tcb", code: 2,
				fragment: "DIVERGO_FLAGS: --mech: unknown mechanism \"tcb\"; did you mean \"tbc\"?",
			},
			{
				name: "a flag without its value", text: "--mech", code: 2,
				fragment: "DIVERGO_FLAGS: flag needs an argument: --mech",
			},
			{name: "words", text: "run vecadd", code: 2, fragment: "DIVERGO_FLAGS: found \"run\", want flags"},
			{
				name: "what follows two dashes", text: "-- --mech tbc", code: 2,
				fragment: "DIVERGO_FLAGS: found \"--mech\", want flags",
			},
			{
				name: "no text", text: "\xff\xfe\x1b[2J", code: 2,
				fragment: "DIVERGO_FLAGS: found \"\\xff\\xfe\\x1b[2J\", want flags",
			},
			{
				name: "a value out of range", text: "--set gpu.sms=0", code: 2,
				fragment: "DIVERGO_FLAGS: gpu.sms = 0: want 1 to 1024",
			},
			{
				name: "a file without end", text: "--config /dev/zero", code: 2,
				fragment: "DIVERGO_FLAGS: --config: /dev/zero: does not end",
			},
			{
				name: "an output in no folder", text: "--json none/x.json", code: 2,
				fragment: "DIVERGO_FLAGS: none/x.json: no folder none",
			},
			{
				name: "an output over an input", text: "--config m.json --json m.json",
				more: files{"m.json": "gpu.sms = 1\n"}, code: 2, fragment: "m.json: is --config too",
			},
			{name: "a descriptor of nobody", text: "", code: 2, fragment: "descriptor 99: bad file descriptor"},
			{name: "two descriptors", args: "5", code: 2, fragment: "found \"5\" behind a file descriptor"},
		}},
	}
}
