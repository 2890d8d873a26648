package cli

import (
	"fmt"
	"strings"

	"divergo/experiments"
	"divergo/properties/draw"
)

// The first lines of the journals of "check pdom" and "reproduce".
var (
	journalHead = `{"each_kernel_under":1,"features":"` + draw.AllFeatures.String() +
		`","first_seed":0,"mechanisms":["pdom"],"schema":"divergo.check.journal.v2"}` + "\n"
	figuresHead = fmt.Sprintf(`{"plan":%q,"schema":"divergo.reproduce.v1"}`, experiments.Full) + "\n"
)

// attacksOnInputs are files of machines, launches and journals.
func attacksOnInputs() []attacks {
	return []attacks{
		{on: "machines", file: "m.toml", args: "run vecadd --config m.toml", cases: []attack{
			{
				name: "a misspelt key", text: "[sm]\nwarp_sise = 32\n", code: 2,
				fragment: "m.toml:2:1: unknown key \"sm.warp_sise\"; did you mean \"sm.warp_size\"?",
			},
			{name: "a table of nobody", text: "[tensor]\n", code: 2, fragment: "m.toml:1:2: unknown key \"tensor\""},
			{
				name: "a word for a number", text: "gpu.sms = \"many\"\n", code: 2,
				fragment: "m.toml:1:11: gpu.sms: want an integer, 1 to 1024",
			},
			{name: "a fraction", text: "gpu.sms = 1.5\n", code: 2, fragment: "m.toml:1:11: gpu.sms: want an integer"},
			{name: "NaN", text: "gpu.sms = nan\n", code: 2, fragment: "m.toml:1:11: gpu.sms: want an integer"},
			{name: "infinity", text: "clocks.core_mhz = -inf\n", code: 2, fragment: "clocks.core_mhz: want an integer"},
			{name: "a number of 65 bits", text: "gpu.sms = 99999999999999999999\n", code: 2, fragment: "m.toml:1:"},
			{
				name: "a number that wraps around 32 bits", text: "gpu.sms = 4294967297\n", code: 2,
				fragment: "gpu.sms = 4294967297: want 1 to 1024",
			},
			{
				name: "less than nothing", text: "l1.size = -65536\n", code: 2,
				fragment: "m.toml:1:11: l1.size = -65536: want",
			},
			{name: "a list for a number", text: "gpu.sms = [1]\n", code: 2, fragment: "m.toml:1:"},
			{name: "a table for a number", text: "[gpu.sms]\nx = 1\n", code: 2, fragment: "m.toml:1:"},
			{name: "a number for a table", text: "gpu = 1\n", code: 2, fragment: "m.toml:1:"},
			{
				name: "a date for a switch", text: "l2.keep = 1979-05-27\n", code: 2,
				fragment: "m.toml:1:11: l2.keep: want",
			},
			{
				name: "a number for a switch", text: "herd.enable = 1\n", code: 2,
				fragment: "herd.enable: want true or false",
			},
			{name: "a key twice", text: "gpu.sms = 1\ngpu.sms = 2\n", code: 2, fragment: "m.toml:2:1"},
			{name: "a table twice", text: "[gpu]\nsms = 1\n[gpu]\nsms = 2\n", code: 2, fragment: "m.toml:3:"},
			{
				name: "no power of two", text: "l1.line = 48\n", code: 2,
				fragment: "m.toml:1:11: l1.line = 48: want a power of two",
			},
			{
				name: "keys that exclude each other", text: "sm.warp_size = 16\nsm.simd_width = 32\n", code: 2,
				fragment: "m.toml:2:17: sm.simd_width = 32",
			},
			{name: "lines that do not fit", text: "l1.line = 128\n", code: 2, fragment: "want l1.line = 128"},
			{
				name: "a chip too large", text: "[gpu]\nsms = 1024\n[l1]\nsize = 4194304\nassoc = 1\n", code: 2,
				fragment: "want at most 1073741824",
			},
			{
				name: "two mistakes, two messages", text: "gpu.sms = 0\nl1.mshrs = 0\n", code: 2,
				fragment: "m.toml:2:12: l1.mshrs = 0",
			},
			{
				name: "a mechanism of nobody", text: "divergence.mechanism = \"simt-stack\"\n", code: 2,
				fragment: "m.toml:1:24: ",
			},
			{
				name: "a scheduler of nobody", text: "sm.scheduler = \"lru\"\n", code: 2,
				fragment: "unknown value \"lru\"; did you mean \"lrr\"?",
			},
			{name: "no end of a string", text: "sm.scheduler = \"lrr\n", code: 2, fragment: "m.toml:1:"},
			{name: "no TOML", text: "gpu.sms: 4\n", code: 2, fragment: "m.toml:1:"},
			{name: "PTX", text: mild, code: 2, fragment: "m.toml:1:"},
			{name: "NUL bytes", text: "gpu.sms = 1\x00\n", code: 2, fragment: "m.toml:1:"},
			{name: "UTF-16", text: "\xff\xfeg\x00p\x00", code: 2, fragment: "m.toml:1:1"},
			{name: "orders to the terminal", text: "\"\x1b[2J\" = 1\n", code: 2, fragment: "m.toml:1:"},
			{
				name: "orders in an escape", text: "\"\\u001b[2J\" = 1\n", code: 2,
				fragment: "m.toml:1:1: unknown key \"\\x1b[2J\"",
			},
			{
				name: "lists in lists", text: "x = " + strings.Repeat("[", 60_000), code: 2,
				fragment: "m.toml:1:10005: arrays and inline tables are nested",
			},
			{name: "tables in tables", text: "x = " + strings.Repeat("{x=", 20_000), code: 2, fragment: "m.toml:1:"},
			{
				name: "a key of 60,000 bytes", text: strings.Repeat("k", 60_000) + " = 1\n", code: 2,
				fragment: "m.toml:1:1: unknown key \"kkk",
			},
			{
				name: "1,000 unknown keys", text: repeat(1000, "k%d = 1\n"), code: 2,
				fragment: "m.toml: and 990 more unknown keys",
			},
			{
				name: "a megabyte", text: strings.Repeat("#\n", 1<<19), code: 2,
				fragment: "m.toml: has 1048576 bytes, want at most 65536",
			},
			{name: "a folder", args: "--config .", code: 2, fragment: "--config: .: is a folder, want a file"},
			{name: "no file", args: "--config none", code: 2, fragment: "--config: none: no such file"},
			{
				name: "a file without end", args: "--config /dev/zero", code: 2,
				fragment: "/dev/zero: does not end after 65536 bytes",
			},
			{
				name: "a key without value", args: "--set gpu.sms", code: 2,
				fragment: "--set: \"gpu.sms\": want key=value",
			},
			{
				name: "a key with nothing", args: "--set gpu.sms=", code: 2,
				fragment: "--set: gpu.sms = \"\": want an integer",
			},
			{name: "no key", args: "--set =1", code: 2, fragment: "--set: unknown key \"\""},
			{name: "nothing", args: "--set ''", code: 2, fragment: "--set: \"\": want key=value"},
			{
				name: "a preset of nobody", args: "--preset pascal", code: 2,
				fragment: "--preset: unknown preset \"pascal\"",
			},
			{name: "no preset", args: "--preset ''", code: 2, fragment: "--preset: unknown preset \"\""},
			{
				name: "a key of another case", args: "--set GPU.SMS=1", code: 2,
				fragment: "unknown key \"GPU.SMS\"; did you mean \"gpu.sms\"?",
			},
		}},
		{on: "launch files", file: "l.json", args: "run l.json --set gpu.sms=1 --max-cycles 50000", cases: []attack{
			{name: "nothing", code: 2, fragment: "l.json:1:1: no JSON: the text ends in the middle of a value"},
			{name: "a list", text: "[]", code: 2, fragment: "l.json:1:1: want a launch file, an object"},
			{name: "null", text: "null", code: 2, fragment: "l.json:1:1: want a launch file, an object"},
			{name: "an empty object", text: "{}", code: 2, fragment: "want a member \"schema\": \"divergo.launch.v1\""},
			{
				name: "another schema", text: `{"schema": "divergo.launch.v9"}`, code: 2,
				fragment: "l.json:1:12: want \"divergo.launch.v1\"",
			},
			{
				name: "a schema that is a number", text: `{"schema": 1}`, code: 2,
				fragment: "l.json:1:12: want \"divergo.launch.v1\"",
			},
			{
				name: "cut", text: launch(oneLaunch)[:100], code: 2,
				fragment: "no JSON: the text ends in the middle of a value",
			},
			{name: "two documents", text: launch(oneLaunch) + "{}", code: 2, fragment: "l.json:2:1: no JSON"},
			{
				name: "no launch", text: launch(`"launches": []`), code: 2,
				fragment: "want a member \"launches\" with at least one",
			},
			{
				name: "a launch that is a number", text: launch(`"launches": [1]`), code: 2,
				fragment: "want a launch, an object",
			},
			{
				name: "a misspelt member", text: launch(`"launches": [{"gird": 1}]`), code: 2,
				fragment: "unknown member \"gird\"; did you mean \"grid\"?",
			},
			{
				name: "a member twice", text: launch(`"seed": 1, "seed": 2, ` + oneLaunch), code: 2,
				fragment: "\"seed\" is there twice",
			},
			{
				name: "a seed of less", text: launch(`"seed": -1, ` + oneLaunch), code: 2,
				fragment: "want an integer from 0 to 18446744073709551615",
			},
			{
				name: "a seed of 2^64", text: launch(`"seed": 18446744073709551616, ` + oneLaunch), code: 2,
				fragment: "want an integer from 0 to 18446744073709551615",
			},
			{
				name: "a seed with an exponent", text: launch(`"seed": 1e9999, ` + oneLaunch), code: 2,
				fragment: "want an integer from 0 to",
			},
			{
				name: "a block of four dimensions", text: launch(`"launches": [{"block": [1,1,1,1]}]`), code: 2,
				fragment: "want [X], [X, Y] or [X, Y, Z]",
			},
			{
				name: "a block of no dimension", text: launch(`"launches": [{"block": []}]`), code: 2,
				fragment: "want [X], [X, Y] or [X, Y, Z]",
			},
			{
				name: "a block of 2^32", text: launch(`"launches": [{"block": 4294967296}]`), code: 2,
				fragment: "want an integer from 0 to 4294967295",
			},
			{
				name: "a grid of nothing", text: launch(`"launches": [{"grid": 0, "args": ["buf:zero:64", "u32:1"]}]`),
				code: 2, fragment: "0 CTAs in x",
			},
			{name: "a kernel of nobody", text: launch(`"launches": [{"kernel": "q", "args": ["buf:zero:64", "u32:1"]}]`), code: 2, fragment: "k.ptx: no kernel \"q\""},
			{name: "a buffer of nobody", text: launch(`"buffers": [{"name": "a", "init": "buf:zero:64"}], "launches": [{"args": ["b", "u32:1"]}]`), code: 2, fragment: "unknown buffer \"b\"; want one of a"},
			{name: "a buffer twice", text: launch(`"buffers": [{"name": "a", "init": "buf:zero:64"}, {"name": "a", "init": "buf:zero:64"}], "launches": [{}]`), code: 2, fragment: "there is a buffer \"a\" already"},
			{
				name: "a buffer without a name", text: launch(`"buffers": [{"init": "buf:zero:64"}], "launches": [{}]`),
				code: 2, fragment: "want a member \"name\"",
			},
			{
				name: "a buffer that is a value",
				text: launch(`"buffers": [{"name": "a", "init": "u32:1"}], "launches": [{}]`), code: 2,
				fragment: "want a member \"init\"",
			},
			{
				name: "a buffer for a number",
				text: launch(`"buffers": [{"name": "a", "init": "buf:zero:64"}], "launches": [{"args": ["a", "a"]}]`),
				code: 2, fragment: "no pointer",
			},
			{
				name: "too few arguments", text: launch(`"launches": [{"args": ["buf:zero:64"]}]`), code: 2,
				fragment: "parameter 1, n (.u32): no argument",
			},
			{name: "memory for nobody", text: launch(`"buffers": [{"name": "a", "init": "buf:zero:400000000"}, {"name": "b", "init": "buf:rand:u8:400000000"}], "launches": [{}]`), code: 2, fragment: "the buffers before it leave"},
			{
				name: "no module", text: strings.Replace(launch(oneLaunch), "k.ptx", "none.ptx", 1), code: 2,
				fragment: "none.ptx: no such file",
			},
			{
				name: "a module that is a folder", text: strings.Replace(launch(oneLaunch), "k.ptx", ".", 1), code: 2,
				fragment: ".: is a folder, want a file",
			},
			{
				name: "a module without end", text: strings.Replace(launch(oneLaunch), "k.ptx", "/dev/zero", 1), code: 2,
				fragment: "/dev/zero: does not end",
			},
			{
				name: "itself as module", text: strings.Replace(launch(oneLaunch), "k.ptx", "l.json", 1), code: 2,
				fragment: "l.json:1:1: ",
			},
			{
				name: "a module with errors", text: strings.Replace(launch(oneLaunch), "k.ptx", "bad.ptx", 1),
				more: files{"bad.ptx": body("frob;")}, code: 2, fragment: "bad.ptx:8:2: unknown instruction frob",
			},
			{
				name: "a name with NUL", text: strings.Replace(launch(oneLaunch), "k.ptx", `k\u0000.ptx`, 1), code: 2,
				fragment: "k\\u0000.ptx",
			},
			{
				name: "no machine", text: launch(`"machine": "none.toml", ` + oneLaunch), code: 2,
				fragment: "none.toml: no such file",
			},
			{
				name: "a machine with errors", text: launch(`"machine": "m.toml", ` + oneLaunch),
				more: files{"m.toml": "gpu.smz = 1\n"}, code: 2, fragment: "m.toml:1:1: unknown key \"gpu.smz\"",
			},
			{
				name: "a mechanism of nobody", text: launch(`"mechanism": "pdon", ` + oneLaunch), code: 2,
				fragment: "unknown mechanism \"pdon\"; did you mean \"pdom\"?",
			},
			{
				name: "orders to the terminal", text: launch(`"\u001b[2J": 1`), code: 2,
				fragment: "unknown member \"\\x1b[2J\"",
			},
			{name: "lists in lists", text: strings.Repeat("[", 1<<20), code: 2, fragment: "l.json:1:10001: no JSON"},
			{name: "lists in a launch", text: launch(`"launches": ` + strings.Repeat("[", 9000) +
				strings.Repeat("]", 9000)), code: 2, fragment: "want a launch, an object"},
			{
				name: "100,000 errors on a line",
				text: launch(`"launches": [` + strings.TrimSuffix(repeat(100_000, `{"gird": %d},`), ",") + "]"),
				code: 2, fragment: "l.json: too many errors",
			},
			{
				name: "100,000 times a member", text: launch(repeat(100_000, `"seed": %d, `) + oneLaunch), code: 2,
				fragment: "l.json: too many errors",
			},
			{
				name: "50,000 buffers and a typo",
				text: launch(`"buffers": [` + strings.TrimSuffix(repeat(50_000,
					`{"name": "b%d", "init": "buf:zero:1"},`), ",") + `], "launches": [{"args": ["c", "u32:1"]}]`), code: 2, fragment: "unknown buffer \"c\"",
			},
			{
				name: "100,000 unknown buffers",
				text: launch(`"buffers": [{"name": "a", "init": "buf:zero:1"}], "launches": [{"args": [` +
					repeat(100_000, `"x%d",`) + `"a"]}]`), code: 2, fragment: "unknown buffer \"x9\"",
			},
			{
				name: "20,000 blocks that do not fit",
				text: launch(`"buffers": [{"name": "a", "init": "buf:zero:1"}], "launches": [` +
					strings.Repeat(`{"block": 2048, "args": ["a", "u32:1"]},`, 20_000) +
					`{"block": 2048, "args": ["a", "u32:1"]}]`), code: 2, fragment: "too many errors",
			},
			{
				name: "a value of a megabyte",
				text: launch(`"launches": [{"args": ["u32:` + strings.Repeat("9", 1<<20) + `"]}]`), code: 2,
				fragment: "l.json:1:",
			},
			{
				name: "a member of a megabyte", text: launch(`"` + strings.Repeat("x", 1<<20) + `": 1`), code: 2,
				fragment: "unknown member \"xxx",
			},
			{
				name: "20 GB", args: "", text: launch(`"machine": "huge", ` + oneLaunch), more: files{"huge": ""}, code: 2,
				fragment: "huge: has 21474836480 bytes, want at most 65536",
			},
			{
				name: "a second launch that fails",
				text: launch(`"launches": [{"block": 16, "args": ["buf:zero:64", "u32:16"]}, {"block": 32, "args": ["buf:zero:64", "u32:32"]}]`), code: 4, fragment: "launch 2, k: fault: out of bounds",
			},
			{
				name: "a dump of nobody", text: launch(oneLaunch), args: "--dump b=o", code: 2,
				fragment: "--dump b=o: unknown buffer \"b\"; want one of a",
			},
			{
				name: "a dump over its module", text: launch(oneLaunch), args: "--dump a=k.ptx", code: 2,
				fragment: "k.ptx: ",
			},
			{
				name: "a dump over a link to its data",
				text: launch(`"buffers": [{"name": "a", "init": "buf:@data"}], "launches": [{"block": 4, "args": ["a", "u32:4"]}]`), args: "--dump a=link", more: files{"link": "-> data"}, code: 2, fragment: "link: is a file of l.json too",
			},
			{
				name: "flags of PTX", text: launch(oneLaunch), args: "--grid 1 --arg u32:1", code: 2,
				fragment: "--grid is for a PTX file, l.json is a launch file",
			},
		}},
		{on: "journals", file: "j", args: "check pdom --runs 1 --journal", cases: []attack{
			{name: "a text", text: "# notes\n", args: "j", code: 2, fragment: "j: exists and is no journal"},
			{
				name: "a text without end of line", text: "notes", args: "j", code: 2,
				fragment: "j: exists and is no journal",
			},
			{name: "NUL bytes", text: "\x00\x00\x00\n", args: "j", code: 2, fragment: "j: exists and is no journal"},
			{
				name: "of another verb", text: `{"schema":"divergo.reproduce.v1"}` + "\n", args: "j",
				code: 2, fragment: "j: exists and is no journal of this",
			},
			{
				name: "a bundle that is an empty object", text: journalHead + "{}\n", args: "j", code: 2,
				fragment: "line 2 does not go on where the one before ends",
			},
			{
				name: "a bundle that is no JSON", text: journalHead + "{\"from\":0\n", args: "j", code: 2,
				fragment: "line 2 is damaged",
			},
			{
				name: "a bundle that goes back", text: journalHead + "{\"from\":0,\"to\":0}\n", args: "j", code: 2,
				fragment: "line 2 does not go on",
			},
			{
				name: "a bundle of less than nothing", text: journalHead + "{\"from\":0,\"to\":1,\"runs\":-5}\n",
				args: "j", code: 2, fragment: "line 2 does not go on",
			},
			{
				name: "20 GB", args: "huge", more: files{"huge": ""}, code: 2,
				fragment: "huge: has 21474836480 bytes, want at most 1073741824",
			},
			{name: "a folder", args: ".", code: 2, fragment: ".: want a regular file for a journal"},
			{name: "a device", args: "/dev/null", code: 2, fragment: "/dev/null: want a regular file for a journal"},
			{name: "no folder", args: "none/j", code: 2, fragment: "none/j: no such file or directory"},
		}},
		{on: "journals of figures", file: "j", args: "reproduce cost-fig6 --html p.html --journal j", cases: []attack{
			{
				name: "a figure that is no object", text: figuresHead + "[]\n", code: 2,
				fragment: "--journal: j: record 1: found array, want a figure",
			},
			{
				name: "a run that is a number", text: figuresHead + "{\"run\":3}\n", code: 2,
				fragment: "--journal: j: record 1: want a run as divergo writes it",
			},
			{
				name: "a figure of nothing", text: figuresHead + "{}\n", code: 2,
				fragment: "--journal: j: record 1: found no name, want a figure",
			},
			{name: "a script", text: figuresHead +
				`{"figure":"cost-fig6","header":["a"],"rows":[[1]],"svg":"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>"}` + "\n", code: 2, fragment: "record 1: cost-fig6: "},
			{
				name: "of another plan", text: strings.Replace(figuresHead, "3 inputs", "1 input", 1), code: 2,
				fragment: "journal of another configuration: plan is ",
			},
			{name: "the page as its journal", args: "--html j", code: 2, fragment: "--journal: j: is --html too"},
		}},
	}
}
