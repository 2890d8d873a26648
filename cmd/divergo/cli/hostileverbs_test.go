package cli

import "strings"

// attacksOnVerbs are arguments of verbs other than run and cuda.
func attacksOnVerbs() []attacks {
	return []attacks{
		{on: "herding", file: "h.json", args: "run vecadd --set gpu.sms=1 --herd h.json", cases: []attack{
			{name: "nothing", code: 2, fragment: "h.json:1:1: no JSON"},
			{name: "a list", text: "[]", code: 2, fragment: "h.json:1:1: want an object"},
			{name: "no schema", text: `{"kernel": "vecadd"}`, code: 2, fragment: "no \"schema\": want \"schema\": 1"},
			{name: "another schema", text: `{"schema": 2}`, code: 2, fragment: "h.json:1:12: schema: found 2, want 1"},
			{
				name: "a misspelt member", text: `{"schema": 1, "branch": [1]}`, code: 2,
				fragment: "unknown member \"branch\"; did you mean \"branches\"?",
			},
			{
				name: "a PC of less", text: `{"schema": 1, "branches": [-1]}`, code: 2,
				fragment: "h.json:1:28: branches: found -1, want a PC",
			},
			{
				name: "a PC beyond the last", text: `{"schema": 1, "branches": [99999]}`, code: 2,
				fragment: "vecadd has the PCs 0 to",
			},
			{
				name: "a PC in an object", text: `{"schema": 1, "loads": {"a": [1]}}`, code: 2,
				fragment: "loads: found {, want a list of PCs",
			},
			{
				name: "another kernel", text: `{"schema": 1, "kernel": "vecsub", "loads": [1]}`, code: 2,
				fragment: "unknown kernel \"vecsub\"; want one of vecadd",
			},
			{
				name: "a threshold of 2^32", text: `{"schema": 1, "threshold": 4294967296}`, code: 2,
				fragment: "threshold: found 4294967296, want a number of herded instructions",
			},
			{name: "300,000 PCs of nobody", text: "{\"schema\": 1, \"loads\": [\n" +
				strings.Repeat("99999,\n", 300_000) +
				"1]}", code: 2, fragment: "h.json:2:1: load 99999: vecadd has the PCs"},
			{name: "300,000 times nothing", text: "{\"schema\": 1, \"loads\": [\n" +
				strings.Repeat("null,\n", 300_000) + "1]}", code: 2, fragment: "h.json:2:1: loads: found"},
			{name: "a word of nobody", args: "--herd brances", code: 2, fragment: "did you mean \"branches\"?"},
			{name: "a branch without PCs", args: "--herd branch", code: 2, fragment: "want a file, or branches, loads"},
			{name: "a branch with a hole", args: "--herd branch=1,,2", code: 2, fragment: "branch \"\": want a PC"},
			{name: "nothing at all", args: "--herd ''", code: 2, fragment: "--herd"},
			{
				name: "a machine without", args: "--herd loads --set herd.enable=false", text: `{"schema": 1}`, code: 2,
				fragment: "the machine has no herding",
			},
		}},
		{on: "herding of nothing", args: "herd", cases: []attack{
			{
				name: "no verb", args: "analise", code: 2,
				fragment: "unknown verb \"analise\"; did you mean \"analyse\"?",
			},
			{
				name: "no kernel", args: "analyse vecad", code: 2,
				fragment: "unknown kernel \"vecad\"; did you mean \"vecadd\"?",
			},
			{name: "another entry", args: "analyse vecadd --kernel x", code: 2, fragment: "no kernel \"x\""},
			{
				name: "NaN", args: "profile vecadd --limit NaN", code: 2,
				fragment: "--limit NaN: want a percentage from 0 on",
			},
			{
				name: "infinity", args: "profile vecadd --limit inf", code: 2,
				fragment: "--limit +Inf: want a percentage from 0 on",
			},
			{
				name: "less than nothing", args: "profile vecadd --limit -1", code: 2,
				fragment: "--limit -1: want a percentage from 0 on",
			},
			{name: "no number", args: "profile vecadd --limit x", code: 2, fragment: "--limit \"x\": want"},
			{name: "no inputs", args: "profile vecadd --inputs 0", code: 2, fragment: "--inputs 0: want at least 1"},
			{
				name: "no picture", args: "profile vecadd --image x.png", code: 2,
				fragment: "--image: vecadd makes no picture",
			},
			{
				name: "one file for two", args: "profile vecadd --out x.json --svg x.json", code: 2,
				fragment: "--svg: x.json: ",
			},
		}},
		{on: "other verbs", args: "", cases: []attack{
			{name: "dis of nothing", args: "dis", code: 2, fragment: "divergo dis: want a PTX file"},
			{
				name: "dis of JSON", args: "dis l.json", more: files{"l.json": launch(oneLaunch)}, code: 2,
				fragment: "l.json:1:1: ",
			},
			{name: "dis of another kernel", args: "dis k.ptx --kernel K", code: 2, fragment: "no kernel \"K\""},
			{
				name: "wave of nothing", args: "wave none.vcd", code: 2,
				fragment: "none.vcd: no such file, want a waveform",
			},
			{name: "wave of a folder", args: "wave . --print", code: 2, fragment: ".: is a folder, want a waveform"},
			{name: "wave of no name", args: "wave ''", code: 2, fragment: "no such file, want a waveform"},
			{name: "list of nothing", args: "list", code: 2, fragment: "divergo list: want one of kernels"},
			{
				name: "list of nobody", args: "list stat", code: 2,
				fragment: "unknown list \"stat\"; did you mean \"stats\"?",
			},
			{name: "a statistic of nobody", args: "list stats cycels", code: 2, fragment: "did you mean \"cycles\"?"},
			{name: "a key of nobody", args: "list keys gpu.smz", code: 2, fragment: "did you mean \"gpu.sms\"?"},
			{name: "a claim of nobody", args: "list claims C99-99", code: 2, fragment: "unknown claim \"C99-99\""},
			{name: "the cost of presets", args: "list presets --cost", code: 2, fragment: "--cost"},
			{
				name: "keys of a bad machine", args: "list keys --set gpu.sms=0 --toml", code: 2,
				fragment: "gpu.sms = 0: want 1 to 1024",
			},
			{
				name: "a figure of nobody", args: "reproduce cost-fig66", code: 2,
				fragment: "unknown figure \"cost-fig66\"; did you mean",
			},
			{
				name: "a figure twice", args: "reproduce cost-fig6 cost-fig6", code: 2,
				fragment: "cost-fig6 is there twice",
			},
			{name: "a picture of all", args: "reproduce all --svg x.svg", code: 2, fragment: "--svg draws one figure"},
			{name: "a page of nothing", args: "reproduce --html x.html", code: 2, fragment: "want a figure"},
			{
				name: "a page in no folder", args: "reproduce cost-fig6 --html none/x.html", code: 2,
				fragment: "--html: none/x.html: no folder none",
			},
			{
				name: "check of nobody", args: "check pdon", code: 2,
				fragment: "unknown mechanism \"pdon\"; did you mean \"pdom\"?",
			},
			{name: "check by nobody", args: "check --jobs 0", code: 2, fragment: "--jobs 0: want at least 1"},
			{
				name: "check for less than no time", args: "check --time -1s", code: 2,
				fragment: "--time -1s: want no negative time",
			},
			{
				name: "check for longer than time", args: "check --time 9999999h", code: 2,
				fragment: "--time \"9999999h\": want a time such as 90s or 10m",
			},
			{
				name: "check without a kernel", args: "check --runs -1", code: 2,
				fragment: "--runs \"-1\": want a number from 0 on",
			},
			{
				name: "check beyond the last seed", args: "check pdom --runs 3 --seed 18446744073709551615", code: 2,
				fragment: "--seed 18446744073709551615: want at most 18446744073709551612",
			},
			{
				name: "check of no feature", args: "check --features loops,-loops", code: 2,
				fragment: "leaves no feature",
			},
			{
				name: "check of a feature of nobody", args: "check --features lops", code: 2,
				fragment: "unknown feature \"lops\"; did you mean \"loops\"?",
			},
			{
				name: "check into a file", args: "check pdom --runs 1 --dir data", code: 2,
				fragment: "--dir: data: data is no folder",
			},
			{name: "check again of nothing", args: "check --replay none", code: 2, fragment: "none: no such file"},
			{
				name: "check again of a folder of others", args: "check --replay .", code: 2,
				fragment: "has no launch.json, and no folder with one",
			},
			{name: "check again of two", args: "check pdom --replay .", code: 2, fragment: "want no \"pdom\""},
			{
				name: "bench of nobody", args: "bench vecad", code: 2,
				fragment: "unknown kernel \"vecad\"; did you mean \"vecadd\"?",
			},
			{name: "bench of no run", args: "bench --runs 0", code: 2, fragment: "--runs 0: want at least 1"},
			{name: "bench against nothing", args: "bench --against ./none", code: 2, fragment: "--against: "},
			{name: "bench against a folder", args: "bench --against .", code: 2, fragment: "--against: "},
			{name: "bench against a text", args: "bench --against ./data", code: 2, fragment: "--against: "},
			{
				name: "bench against what says nothing", args: "bench vecadd --size small --runs 1 --against ./old",
				more: files{"old": "#!/bin/sh\n"}, code: 2, fragment: "is not what run --json prints",
			},
			{
				name: "bench against what fails", args: "bench vecadd --size small --runs 1 --against ./old",
				more: files{"old": "#!/bin/sh\necho no >&2; exit 3\n"}, code: 2, fragment: "old run vecadd",
			},
			{
				name: "bench against JSON of others", args: "bench vecadd --size small --runs 1 --against ./old",
				more: files{"old": "#!/bin/sh\necho '{\"stats\": {\"cycles\": -1}}'\n"}, code: 2,
				fragment: "is not what run --json prints",
			},
			{name: "version of more", args: "version 2", code: 2, fragment: "2"},
		}},
	}
}
