package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm/divergence/verilog"
)

// wave is a timing diagram in the JSON of WaveDrom.
type wave struct {
	Signal []lane `json:"signal"`
	Head   struct {
		Text string `json:"text"`
	} `json:"head"`
}

type lane struct {
	Name string   `json:"name"`
	Wave string   `json:"wave"`
	Data []string `json:"data,omitempty"`
}

// rtlWaves are the timing diagrams of the port specification: name, meaning, signals. A column is a
// cycle, which begins with a rising edge.
var rtlWaves = []struct{ name, title, text string }{
	{
		"launch", "A launch",
		`{"signal": [
  {"name": "clk",          "wave": "p....."},
  {"name": "launch_valid", "wave": "010..."},
  {"name": "launch_warp",  "wave": "x=x...", "data": ["3"]},
  {"name": "launch_mask",  "wave": "x=x...", "data": ["ff"]},
  {"name": "slot_valid[3]", "wave": "0.1..."},
  {"name": "slot_pc[3]",   "wave": "x.=...", "data": ["0"]},
  {"name": "slot_mask[3]", "wave": "x.=...", "data": ["ff"]}
], "head": {"text": "A warp starts at PC 0, a cycle after launch_valid"}}`,
	},
	{
		"fire", "Instructions that are issued",
		`{"signal": [
  {"name": "clk",          "wave": "p......"},
  {"name": "fire_valid",   "wave": "01.0..."},
  {"name": "fire_warp",    "wave": "x=.x...", "data": ["3"]},
  {"name": "fire_pc",      "wave": "x==x...", "data": ["0", "1"]},
  {"name": "fire_control", "wave": "x01x..."},
  {"name": "slot_pc[3]",   "wave": "=.=....", "data": ["0", "1"]}
], "head": {"text": "The slot moves on, unless fire_control says that an outcome will follow"}}`,
	},
	{
		"outcome", "The outcome of a divergent branch",
		`{"signal": [
  {"name": "clk",            "wave": "p....."},
  {"name": "outcome_valid",  "wave": "010..."},
  {"name": "outcome_kind",   "wave": "x=x...", "data": ["BRANCH"]},
  {"name": "outcome_warp",   "wave": "x=x...", "data": ["3"]},
  {"name": "outcome_taken",  "wave": "x=x...", "data": ["0f"]},
  {"name": "outcome_target", "wave": "x=x...", "data": ["10"]},
  {"name": "outcome_fall",   "wave": "x=x...", "data": ["2"]},
  {"name": "outcome_meet",   "wave": "x=x...", "data": ["20"]},
  {"name": "slot_pc[3]",     "wave": "=.=...", "data": ["1", "10"]},
  {"name": "slot_mask[3]",   "wave": "=.=...", "data": ["ff", "0f"]}
], "head": {"text": "The taken side runs; the other one is parked"}}`,
	},
	{
		"join", "Paths meet",
		`{"signal": [
  {"name": "clk",          "wave": "p......"},
  {"name": "fire_valid",   "wave": "010.10."},
  {"name": "fire_pc",      "wave": "x=x.=x.", "data": ["19", "19"]},
  {"name": "slot_pc[3]",   "wave": "=.=..=.", "data": ["19", "2", "20"]},
  {"name": "slot_mask[3]", "wave": "=.=..=.", "data": ["0f", "f0", "ff"]}
], "head": {"text": "A side that is at the reconvergence point is replaced at the same edge"}}`,
	},
	{
		"retire", "The last threads exit",
		`{"signal": [
  {"name": "clk",           "wave": "p....."},
  {"name": "outcome_valid", "wave": "010..."},
  {"name": "outcome_kind",  "wave": "x=x...", "data": ["EXIT"]},
  {"name": "outcome_taken", "wave": "x=x...", "data": ["ff"]},
  {"name": "slot_valid[3]", "wave": "1.0..."},
  {"name": "retire_valid",  "wave": "0.10.."},
  {"name": "retire_warp",   "wave": "x.=x..", "data": ["3"]}
], "head": {"text": "The warp retires, for one cycle; its number is free"}}`,
	},
	{
		"barrier", "A CTA barrier",
		`{"signal": [
  {"name": "clk",           "wave": "p......"},
  {"name": "outcome_valid", "wave": "010...."},
  {"name": "outcome_kind",  "wave": "x=x....", "data": ["BARRIER"]},
  {"name": "resume[3]",     "wave": "0..10.."},
  {"name": "slot_pc[3]",    "wave": "=...=..", "data": ["7", "8"]}
], "head": {"text": "The warp keeps its slot and waits; resume lets it go on"}}`,
	},
	{
		"slots", "Two paths of a warp",
		`{"signal": [
  {"name": "clk",             "wave": "p......"},
  {"name": "fire_valid",      "wave": "01.0..."},
  {"name": "fire_warp",       "wave": "x=.x...", "data": ["3"]},
  {"name": "fire_slot",       "wave": "x==x...", "data": ["0", "1"]},
  {"name": "fire_control",    "wave": "x01x..."},
  {"name": "outcome_valid",   "wave": "0...10."},
  {"name": "outcome_slot",    "wave": "x...=x.", "data": ["1"]},
  {"name": "slot_pc[6]",      "wave": "=.=....", "data": ["10", "11"]},
  {"name": "slot_pc[7]",      "wave": "=....=.", "data": ["2", "5"]},
  {"name": "slot_pending[7]", "wave": "0..1.0."}
], "head": {"text": "SLOTS = 2: each path of warp 3 issues, and waits for its own outcome"}}`,
	},
	{
		"tokens", "Tokens",
		`{"signal": [
  {"name": "clk",            "wave": "p........"},
  {"name": "fire_valid",     "wave": "010.10..."},
  {"name": "fire_ssy",       "wave": "x1x.0x..."},
  {"name": "fire_target",    "wave": "x=x......", "data": ["20"]},
  {"name": "fire_sync",      "wave": "x0x.1x..."},
  {"name": "fire_control",   "wave": "x0x.1x..."},
  {"name": "outcome_valid",  "wave": "0.....10."},
  {"name": "outcome_kind",   "wave": "x.....=x.", "data": ["SYNC"]},
  {"name": "slot_pc[3]",     "wave": "=.=....=.", "data": ["1", "2", "20"]}
], "head": {"text": "TOKENS = 1: ssy at PC 1 pushes a token, and the slot moves on; sync pops it"}}`,
	},
	{
		"spill", "Words that move to memory",
		`{"signal": [
  {"name": "clk",             "wave": "p........"},
  {"name": "outcome_valid",   "wave": "010......"},
  {"name": "outcome_kind",    "wave": "x=x......", "data": ["BRANCH"]},
  {"name": "slot_valid[3]",   "wave": "1.0...1.."},
  {"name": "transfer_valid",  "wave": "0.10....."},
  {"name": "transfer_warp",   "wave": "x.=x.....", "data": ["3"]},
  {"name": "transfer_store",  "wave": "x.1x....."},
  {"name": "transfer_at",     "wave": "x.=x.....", "data": ["0"]},
  {"name": "transfer_words",  "wave": "x.=x.....", "data": ["4"]},
  {"name": "transfer_data",   "wave": "x.=x.....", "data": ["w3-w0"]},
  {"name": "answer_valid",    "wave": "0....10.."},
  {"name": "answer_warp",     "wave": "x....=x..", "data": ["3"]}
], "head": {"text": "SPILLS = 1: a push moves 4 words to memory; the warp waits for the answer"}}`,
	},
	{
		"fill", "Words that come back",
		`{"signal": [
  {"name": "clk",             "wave": "p........"},
  {"name": "outcome_valid",   "wave": "010......"},
  {"name": "outcome_kind",    "wave": "x=x......", "data": ["SYNC"]},
  {"name": "slot_valid[3]",   "wave": "1.0...1.."},
  {"name": "slot_pc[3]",      "wave": "=.x...=..", "data": ["9", "20"]},
  {"name": "transfer_valid",  "wave": "0.10....."},
  {"name": "transfer_store",  "wave": "x.0x....."},
  {"name": "transfer_at",     "wave": "x.=x.....", "data": ["0"]},
  {"name": "answer_valid",    "wave": "0....10.."},
  {"name": "answer_data",     "wave": "x....=x..", "data": ["w3-w0"]}
], "head": {"text": "A pop that finds no token on the chip loads 4 words; the slot goes on with the top one"}}`,
	},
	{
		"compact", "A branch at which warps are compacted",
		`{"signal": [
  {"name": "clk",           "wave": "p........"},
  {"name": "outcome_valid", "wave": "01010...."},
  {"name": "outcome_kind",  "wave": "x=x=x....", "data": ["BRANCH", "BRANCH"]},
  {"name": "outcome_cta",   "wave": "x1x1x...."},
  {"name": "outcome_warp",  "wave": "x=x=x....", "data": ["4", "5"]},
  {"name": "outcome_taken", "wave": "x=x=x....", "data": ["1", "2"]},
  {"name": "slot_valid[4]", "wave": "1.0...1.."},
  {"name": "slot_valid[5]", "wave": "1...0...."},
  {"name": "busy",          "wave": "0...1.0.."},
  {"name": "compact_valid", "wave": "0.....10."},
  {"name": "compact_slot",  "wave": "x.....=x.", "data": ["4"]},
  {"name": "compact_home",  "wave": "x.....=x.", "data": ["0504"]},
  {"name": "slot_mask[4]",  "wave": "=.x...=..", "data": ["3", "3"]}
], "head": {"text": "COMPACTS = 1: warps 4 and 5 of a CTA wait for each other; their takers are one warp"}}`,
	},
	{
		"late", "A unit that needs longer",
		`{"signal": [
  {"name": "clk",           "wave": "p......"},
  {"name": "outcome_valid", "wave": "010...."},
  {"name": "slot_valid[3]", "wave": "1.0.1.."},
  {"name": "busy",          "wave": "0.1.0.."},
  {"name": "slot_pc[3]",    "wave": "=.x.=..", "data": ["1", "10"]}
], "head": {"text": "A slot that is not valid issues nothing; busy asks for clock edges"}}`,
	},
}

// TestRTLWaves: the diagrams are the text of the specification, drawn.
func TestRTLWaves(t *testing.T) {
	for _, w := range rtlWaves {
		var d wave
		require.NoError(t, json.Unmarshal([]byte(w.text), &d), w.name)
		svg := d.svg(t)
		file := "img/rtl-" + w.name + ".svg"
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(svg), 0o644))
		}
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(got), svg, "%s: run go test ./docs -run RTLWaves -update", file)
	}
}

// svg draws the diagram: a row for each signal, a column for each cycle.
func (d *wave) svg(t *testing.T) string {
	const left, column, row, high, head = 130, 56, 30, 18, 34
	cycles := len(d.Signal[0].Wave)
	width, height := left+column*cycles+16, head+row*len(d.Signal)+8
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="13" fill="#222222">`+
		"\n<title>%[3]s</title>\n<rect width=\"%[1]d\" height=\"%[2]d\" fill=\"#ffffff\"/>\n", width, height, d.Head.Text)
	fmt.Fprintf(&b, `<text x="%d" y="18">%s</text>`+"\n", left, d.Head.Text)
	for c := range cycles {
		fmt.Fprintf(&b, `<path d="M%d %dV%d" stroke="#cccccc" stroke-dasharray="2 3"/>`+"\n", left+column*c, head-8, height-4)
	}
	line := func(format string, a ...any) {
		fmt.Fprintf(&b, `<path d="`+format+`" fill="none" stroke="#4c78a8" stroke-width="1.5"/>`+"\n", a...)
	}
	for i, s := range d.Signal {
		require.Len(t, s.Wave, cycles, s.Name)
		top := head + row*i
		low := top + high
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end" font-family="monospace" font-size="12">%s</text>`+"\n", left-8, top+14, s.Name)
		data := s.Data
		for c := 0; c < cycles; {
			kind, to := s.Wave[c], c+1
			for ; to < cycles && s.Wave[to] == '.'; to++ {
			}
			x, end := left+column*c, left+column*to
			level := map[byte]int{'0': low, '1': top}
			switch kind {
			case 'p':
				for k := c; k < to; k++ {
					x := left + column*k
					line("M%d %dV%dH%dV%dH%d", x, low, top, x+column/2, low, x+column)
				}
			case '0', '1':
				from := level[kind]
				if before := strings.Trim(s.Wave[:c], "."); before != "" {
					if l, ok := level[before[len(before)-1]]; ok {
						from = l
					}
				}
				line("M%d %dV%dH%d", x, from, level[kind], end)
			case 'x':
				fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#eeeeee"/>`+"\n", x+2, top, end-x-4, high)
			case '=':
				require.NotEmpty(t, data, s.Name)
				line("M%d %dL%d %dH%dL%d %dL%d %dH%dZ", x, top+high/2, x+4, top, end-4, end, top+high/2, end-4, low, x+4)
				fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" font-family="monospace" font-size="12">%s</text>`+"\n",
					(x+end)/2, top+14, data[0])
				data = data[1:]
			default:
				require.Fail(t, "a wave of "+s.Name, "%c", kind)
			}
			c = to
		}
		require.Empty(t, data, s.Name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// rtlInterface writes the port specification.
func rtlInterface(p *page) {
	fmt.Fprintf(p, `
This is version %d of the ports of a Verilog divergence unit. [Your own RTL](../howto/your-own-rtl.md)
builds one. A change after which a unit may not work raises the version, which `+"`divergo rtl build`"+`
compares with the unit's file %[2]sdivergo.sv%[2]s.

## The unit in the SM

The unit has the PC, the active mask and the call depth of each warp, and what lies behind them: a
stack, a table, tokens. The bench around it has what is the same for every unit: fetch and issue, the
CTA barrier, and the count of threads that live.

- All events are inputs that are sampled at the rising edge of %[2]sclk%[2]s. All outputs are registers
  that change at that edge, apart from the debug port.
- A launch, an issued instruction, an outcome and resumed warps can come at the same edge. They concern
  different warps, if a warp has one slot.
- An edge without an event may be missing: the clock is gated. A unit that needs the next edge sets
  %[2]sbusy%[2]s.
- Before the first event there are two edges with %[2]srst%[2]s. Registers that it does not reset begin
  with noise.
- A point is a call depth and a PC: a PC of a recursive function at another depth is another point.
  PCs count instructions.

## Ports

| port | direction | bits | meaning |
|---|---|---|---|
`, verilog.Version, "`")
	for _, x := range (verilog.Shape{Slots: 2, Spills: true, Tokens: true, Compacts: true}).Ports() {
		direction, size := "out", x.Bits
		if x.Input {
			direction = "in"
		}
		if x.Each != "" {
			size = x.Each + " x " + size
		}
		size = strings.ReplaceAll(size, "WARPS*SLOTS", "SLOTS x WARPS")
		doc := x.Doc
		if x.If != "" {
			doc += "; only with `" + x.If + "`"
		}
		fmt.Fprintf(p, "| `%s` | %s | %s | %s |\n", x.Name, direction, size, doc)
	}
	p.WriteString("\nThe constants are those of the package `divergo`:\n\n")
	for line := range strings.Lines(verilog.Plain.Package()) {
		p.WriteString("    " + line)
	}
	p.WriteString(`
A unit chooses some of them in its ` + "`divergo.sv`" + `, and has the ports that they stand for:

| constant | value | the unit |
|---|---|---|
| ` + "`SLOTS`" + ` | 1 to 8 | has so many slots for each warp: paths of it that can run |
| ` + "`SPILLS`" + ` | 0 or 1 | has a memory port, for state that does not fit into it |
| ` + "`TOKENS`" + ` | 0 or 1 | has the instructions ` + "`ssy`" + ` and ` + "`sync`" + ` as events |
| ` + "`COMPACTS`" + ` | 0 or 1 | makes warps of the threads of a CTA; the other three then have their first value |

` + "`SLOT`" + ` are the bits of the number of a slot, at least 1. ` + "`KIND`" + ` is 3 with ` + "`TOKENS = 1`" + `, and there is a fifth kind
` + "`SYNC = 4`" + `. Slot k of warp w is element w x ` + "`SLOTS`" + ` + k of the slots. Its threads are those of the warp, in
their own lanes.

A unit of version 2 is one of version 3 with ` + "`SPILLS = 0`, `TOKENS = 0` and `COMPACTS = 0`" + `. One of version 1
has ` + "`SLOTS = 1`" + ` as well.
Only its ` + "`divergo.sv`" + ` changes.

## Cycles

A column is a cycle. It begins with a rising edge, at which inputs of the column before are sampled.
The numbers are hexadecimal masks and decimal PCs. The text of each diagram is WaveDrom's.
`)
	for _, w := range rtlWaves {
		fmt.Fprintf(p, "\n### %s\n\n![%s](../img/rtl-%s.svg)\n\n```json\n%s\n```\n", w.title, w.title, w.name, w.text)
	}
	p.WriteString(`
## Rules

- A valid slot has a mask that is not 0, a subset of the live threads.
- After ` + "`fire_control`" + ` the slot keeps its PC until the outcome. ` + "`NEXT`" + ` then means the next instruction.
- ` + "`outcome_taken`" + ` of a ` + "`BRANCH`" + ` may have no lane, or all lanes of the slot. A call and a return are branches to
  a point of another depth. At an indirect branch or call, ` + "`outcome_fall`" + ` is the branch itself: the lanes that
  go elsewhere execute it again.
- Of threads at different call depths the deeper ones must run first: those above wait for their return.
- An outcome may be late by any number of cycles, and other warps' events come in between.
- ` + "`EXIT`" + ` ends threads wherever their masks are: parked ones are never in ` + "`outcome_taken`" + `, which is a
  subset of the slot's mask. But the masks of parked groups can hold the same threads.
- ` + "`BARRIER`" + ` keeps the slot until ` + "`resume`" + `. All threads of a warp arrive together: part of a
  warp at a barrier is a fault. If the warp is the last one of its CTA, the outcome is ` + "`NEXT`" + ` instead.
- ` + "`retire_valid`" + ` frees the warp once all its threads have exited. A retired warp with live threads, or
  one that is not running, ends the run.
- ` + "`error`" + ` that is not 0, ` + "`$fatal`" + `, ` + "`$stop`" + `, ` + "`$finish`" + ` or a failed assertion ends the run with exit code 4.
  The message has the cycle and the Verilog line.

## Several slots

With ` + "`SLOTS > 1`" + ` the paths of a warp are issued independently of each other. ` + "`divergo rtl init DIR --printed dpe`" + `
writes a unit with two slots for each warp.

- The slots of a warp have no thread in common.
- One edge can have an instruction of one slot of a warp and the outcome of another. The instruction
  was issued in that cycle, and is first.
- The outcomes of a warp come in the order of issue. The outcome of one slot may put another path into a
  slot whose outcome is on the way. Then the next outcome of that slot is that of the old path, and
  ` + "`outcome_taken`" + ` names its threads. At most two outcomes of a slot are on the way.
- ` + "`slot_pending`" + ` is set from ` + "`fire_control`" + ` to the outcome, and ` + "`slot_held`" + ` from ` + "`BARRIER`" + ` to ` + "`resume`" + `. They
  are those of the path in the slot. Such a slot is valid, and issues nothing.
- A warp arrives at a barrier when all its live threads wait there. ` + "`resume`" + ` then is for all its slots
  that wait. It can come at the edge of an outcome of the same warp, which is first: an ` + "`EXIT`" + ` that leaves
  only threads that wait, or the ` + "`NEXT`" + ` of the slot that arrives last.
- Groups 0 to ` + "`SLOTS`" + ` - 1 of the debug port are the slots. A slot that is not valid has no threads there,
  unless they are about to run.
- The promise ` + "`stack`" + ` needs ` + "`SLOTS = 1`" + `.

` + "`divergo rtl score`" + ` takes traces of units with ` + "`SLOTS = 1`" + ` and the other choices 0.

## Tokens

With ` + "`TOKENS = 1`" + ` programs have the instructions of a stack of synchronisation tokens: see
[Mechanisms](mechanisms.md). ` + "`divergo rtl init DIR --printed token`" + ` writes such a unit.

- ` + "`fire_ssy`" + ` pushes a token with the mask of the slot and ` + "`fire_target`" + `. The slot moves to its next
  instruction at the same edge, and there is no outcome.
- ` + "`fire_sync`" + ` comes with ` + "`fire_control`" + `. The outcome ` + "`SYNC`" + ` pops a token. Without a token the warp continues
  at ` + "`outcome_target`" + `.
- A divergent branch pushes a token with the lanes that do not take it, and ` + "`outcome_fall`" + `.
- The first pop may begin with the issue of ` + "`sync`" + `: a unit can count its cycles from there. It clears
  ` + "`slot_valid`" + ` and sets ` + "`busy`" + ` meanwhile.

## Memory

With ` + "`SPILLS = 1`" + ` each warp has memory for 64 words of 64 bits, or 160 if functions are recursive. The words are
in the local memory of the SM, behind its L1.

- The port takes a transfer at each edge. Of several warps that have one at the same edge, the unit keeps
  the others and sets ` + "`busy`" + `.
- A warp has one transfer at a time: the next one may come at the edge of ` + "`answer_valid`" + `. Until then its
  slot is not valid.
- The memory of a warp is a stack that grows upwards: words above one that was stored last are lost.
- A store behind the last word ends the run with a fault of the instruction that pushed. A load from there
  is a failure of the unit, and so is a transfer of no words, or of a warp that is not running.
- An answer comes after any number of cycles, in the order of the transfers or another one. One answer can
  come with the events of other warps.
- ` + "`answer_data`" + ` has the words of ` + "`transfer_at`" + ` and behind. After a store it has no meaning.

## Warps of a CTA

With ` + "`COMPACTS = 1`" + ` a slot holds threads of several warps of a CTA, each in its own lane. The CTA has the slots
with the numbers of its warps. Events name slots: ` + "`fire_warp`, `outcome_warp` and `resume`" + ` are numbers of slots, and
` + "`launch_warp`, `retire_warp` and `debug_warp`" + ` those of warps. ` + "`divergo rtl init DIR --printed tbc`" + ` writes such a
unit, thread block compaction.

- A CTA is complete with the launch of its last warp, ` + "`launch_first + launch_warps - 1`" + `. Its slots may be valid from
  then on. ` + "`launch_static`" + ` is the same for all its warps.
- A slot gets threads at one edge, with ` + "`compact_valid`" + `: ` + "`compact_slot`" + ` is the slot, and ` + "`compact_home`" + ` has
  8 bits for each lane, the warp of its thread. Until its next threads a slot only loses some.
- A ` + "`BRANCH`" + ` with ` + "`outcome_cta`" + ` may take threads of the CTA apart: a unit lets warps wait there for each
  other, and clears their slots. Without ` + "`outcome_cta`" + ` all threads of the CTA go one way.
- The bench counts the threads at barriers. A slot whose ` + "`BARRIER`" + ` has ` + "`outcome_cta`" + ` waits for all live threads of
  the CTA, otherwise for a number of warps.
- A unit may park threads that wait for all: it clears the slot, and other threads of the CTA can run. When all have
  arrived, slots that are valid get ` + "`resume`" + `, or ` + "`NEXT`" + ` for the one that arrives last. If some are parked there is no
  ` + "`resume`" + `: the unit makes warps of all threads of the CTA, behind the barrier.
- ` + "`resume`" + ` comes with an outcome of the same CTA.
- The debug port has the threads of each warp that are in no slot: those for which the compactor has yet to make a
  warp, those that wait at a branch or a barrier, and the stack. Threads of slots may be in the groups too.

## The debug port

The checkers must know where parked threads are. ` + "`debug_warp`" + ` and ` + "`debug_index`" + ` ask for a group of
threads of a warp, and the answer is combinational. Group 0 runs, or is to run next. Of a stack, group 1
is the entry below, and so on. Indices are asked from 0 on until one is not valid; a group may be empty.
A thread counts in the group with the smallest index that has it, so a stack gives its entries as they
are: groups may share threads, and may be empty. Each live thread must be in some group. A warp without live
threads has none. Without the port a correct unit fails checker ` + "`partition`" + `.

## What a unit promises

A comment in the unit says what checkers may expect, beyond what holds for every mechanism:

    // divergo: meets in_step stack prompt=1

| word | meaning | without it |
|---|---|---|
| ` + "`meets`" + ` | threads that diverge at a branch run together again from its post-dominator | checker ` + "`reconvergence`" + ` is off |
| ` + "`in_step`" + ` | threads join only in the same iterations of all surrounding loops | votes and shuffles of drawn kernels become arithmetic; checker ` + "`uniform`" + ` is off |
| ` + "`stack`" + ` | the groups of the debug port are a stack: a mask is a subset of those below, or disjoint | checker ` + "`stack`" + ` is off |
| ` + "`prompt=N`" + ` | the warp can issue again at most N cycles after a branch outcome | no limit in checker ` + "`timing`" + ` |

Do not promise ` + "`prompt`" + ` for a unit in which a warp can wait for the events of others.

## What this version does not have

- Slots with threads of several CTAs, or of threads that change lanes. At an edge one slot gets new threads.
- One instruction and one outcome a cycle: no pairs, and ` + "`sm.schedulers`" + ` is 1.
- No statistics of its own: pushes, pops, compacted entries, and waits of warps for each other count as 0.
- CTA barriers count warps. Convergence barriers (` + "`bmov`, `warpsync`" + `) are not events.
`)
}
