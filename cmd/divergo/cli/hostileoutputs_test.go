package cli

import "strings"

// waveFiles are the files that a waveform of one signal with names leaves.
const waveFiles = "w.vcd w.gtkw w.sucl w.filters w.filters/1_Class.txt " +
	".surfer .surfer/mappings .surfer/mappings/w_1_Class.map"

// attacksOnOutputs are waveforms and other files to be written.
func attacksOnOutputs() []attacks {
	return []attacks{
		{on: "waveforms", args: "run vecadd --set gpu.sms=1 --vcd w.vcd", cases: []attack{
			{
				name: "a signal of nobody", args: "--vcd-filter 'sm[0].Isue'", code: 2,
				fragment: "did you mean \"Issue\"?",
			},
			{name: "no signal", args: "--vcd-filter ''", code: 2, fragment: "selects no signal"},
			{name: "an index without end", args: "--vcd-filter 'sm[0'", code: 2, fragment: "did you mean \"sm[0]\"?"},
			{name: "an SM too many", args: "--vcd-filter 'sm[1].**'", code: 2, fragment: "selects no signal"},
			{
				name: "a pattern of 400 stars", args: "--vcd-filter '" + strings.Repeat("**.", 200) + "none'", code: 2,
				fragment: "selects no signal",
			},
			{
				name: "a pattern that goes back", args: "--vcd-filter '" + strings.Repeat("*a", 2000) + "'", code: 2,
				fragment: "waves: filter \"*a*a",
			},
			{
				name: "a window that is empty", args: "--vcd-from 10 --vcd-to 9", code: 2,
				fragment: "the window from cycle 10 to cycle 9 is empty",
			},
			{
				name: "a cycle of less", args: "--vcd-from -1", code: 2,
				fragment: "--vcd-from \"-1\": want a number from 0 on",
			},
			{
				name: "a cycle of 2^64", args: "--vcd-to 18446744073709551616", code: 2,
				fragment: "--vcd-to \"18446744073709551616\": want a number from 0 on",
			},
			{
				name: "a cycle behind the end", args: "--vcd-from 18446744073709551615 --vcd-filter 'sm[0].Issue.Class'",
				fragment: "w.vcd has no changes: it starts with cycle",
				leaves:   waveFiles,
			},
			{
				name: "a trigger of nothing", args: "--vcd-trigger ' '", code: 2,
				fragment: "--vcd-trigger: trigger \" \": expected",
			},
			{
				name: "a trigger without a value", args: "--vcd-trigger 'sm[0].Issue.Class =='", code: 2,
				fragment: "--vcd-trigger",
			},
			{
				name: "a trigger with another sign", args: "--vcd-trigger 'sm[0].Issue.Class = 1'", code: 2,
				fragment: "--vcd-trigger",
			},
			{
				name: "a trigger too early", args: "--vcd-trigger '99999999999999999999 before sm[0].Issue.Class == 1'",
				code: 2, fragment: "more than a run can have",
			},
			{
				name: "a trigger on nothing", args: "--vcd-trigger 'nothing == 1'", code: 2,
				fragment: "trigger \"nothing\" selects no signal",
			},
			{
				name: "a value of nobody", args: "--vcd-trigger 'sm[0].Issue.Class == Frob'", code: 2,
				fragment: "value \"Frob\": expected",
			},
			{
				name: "launch 0", args: "--vcd-launch 0", code: 2,
				fragment: "--vcd-launch \"0\": want N or KERNEL:N, counted from 1",
			},
			{
				name: "launch 2 of one", args: "--vcd-launch 2", code: 2,
				fragment: "--vcd-launch 2: there were 1 launches", answers: true,
			},
			{
				name: "another kernel's", args: "--vcd-launch vecsub:1", code: 2, fragment: "unknown kernel \"vecsub\"",
				answers: true,
			},
			{name: "twice one file", args: "--profile w.vcd", code: 2, fragment: "w.vcd"},
			{name: "the save file of it", args: "--launches w.gtkw", code: 2, fragment: "w.gtkw"},
		}},
		{on: "outputs", args: "run k.ptx --set gpu.sms=1 --block 4 --arg buf:@data --arg u32:4", cases: []attack{
			{name: "over the program", args: "--dump 0=k.ptx", code: 2, fragment: "k.ptx"},
			{
				name: "over the program, by another way", args: "--dump 0=d/../k", more: files{"d/": "", "k": "-> k.ptx"},
				code: 2, fragment: "d/../k: is the PTX file too",
			},
			{name: "over the data", args: "--dump 0=data", code: 2, fragment: "data: is --arg buf:@data too"},
			{
				name: "over the data, by a link", args: "--dump 0=link", more: files{"link": "-> ./data"}, code: 2,
				fragment: "link: is --arg buf:@data too",
			},
			{
				name: "over the data, by links of folders", args: "--dump 0=up/data", more: files{"up": "-> ."}, code: 2,
				fragment: "up/data: is --arg buf:@data too",
			},
			{
				name: "over the machine", args: "--config m.toml --profile m.toml", more: files{"m.toml": "gpu.sms = 1\n"},
				code: 2, fragment: "m.toml",
			},
			{name: "one file for two", args: "--dump 0=o --profile ./o", code: 2, fragment: "./o: is --dump 0=o too"},
			{
				name: "one file for two, by a link", args: "--dump 0=o --profile p", more: files{"p": "-> o"}, code: 2,
				fragment: "p: is --dump 0=o too",
			},
			{
				name: "a link to itself", args: "--dump 0=loop", more: files{"loop": "-> loop"}, code: 2,
				fragment: "loop: more than 40 links lead on",
			},
			{
				name: "a link to nowhere", args: "--dump 0=away", more: files{"away": "-> none/at/all"}, code: 2,
				fragment: "away: no folder none/at",
			},
			{name: "no folder", args: "--dump 0=none/o", code: 2, fragment: "--dump 0=none/o: none/o: no folder none"},
			{
				name: "a file for a folder", args: "--profile data/o", code: 2,
				fragment: "--profile: data/o: no folder data",
			},
			{name: "a folder", args: "--dump 0=.", code: 2, fragment: ".: is a folder, want the name of a file"},
			{
				name: "a folder by its name", args: "--launches d/", more: files{"d/": ""}, code: 2,
				fragment: "d/: is a folder",
			},
			{
				name: "a file that is read-only", args: "--dump 0=readonly", more: files{"readonly": "mine"}, code: 2,
				fragment: "readonly: exists and is read-only",
			},
			{
				name: "a name of 300 bytes", args: "--dump 0=" + strings.Repeat("n", 300), code: 2,
				fragment: "file name too long",
			},
			{
				name: "a dash", args: "--dump 0=-", code: 2,
				fragment: "-: want the name of a file; /dev/stdout is that of standard output",
			},
			{
				name: "bytes as a picture", args: "--dump 0=o.png", code: 2,
				fragment: "raw bytes are written, .png is the name of another format",
			},
			{name: "a page as a waveform", args: "--vcd w.html", code: 2, fragment: "want the extension .vcd or .fst"},
			{
				name: "the second one fails", args: "--dump 0=o --vcd none/w.vcd", code: 2,
				fragment: "--vcd: none/w.vcd: no folder none",
			},
			{
				name: "a picture of a file", args: "--image o.png", code: 2,
				fragment: "--image is for a built-in kernel, k.ptx is a file",
			},
			{name: "sources without a profile", args: "--source .", code: 2, fragment: "--source: want --profile"},
			{
				name: "sources in a file", args: "--source data --profile p.txt", code: 2,
				fragment: "--source: data: want a folder",
			},
		}},
	}
}
