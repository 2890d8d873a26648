package verilog

import (
	"fmt"
	"math/bits"
	"reflect"
	"strconv"
	"strings"

	"divergo/sm/divergence"
	"divergo/units"
)

// Version is the version of the port specification. It grows when a unit that works with one version
// may not work with the next.
const Version = 3

// The sizes of every unit. A smaller machine uses the first warps and lanes.
const (
	Warps      = units.MaxRows
	Lanes      = 32
	MaxSlots   = divergence.MaxSlots / Warps // of a warp
	DepthBits  = 16
	PCBits     = 32
	PointBits  = DepthBits + PCBits
	Words      = divergence.TransferWords // of a transfer, of 64 bits
	maxEntries = 4 * Lanes                // groups of threads that the debug port is asked for
)

// Shape is what a unit chooses, by constants in its file divergo.sv.
type Shape struct {
	Slots  int  // SLOTS of each warp, 1 to MaxSlots: paths that can run
	Spills bool // SPILLS: it has a memory port, for state that it spills
	Tokens bool // TOKENS: the instructions ssy and sync are events
	// Compacts is COMPACTS: the unit makes warps of the threads of a CTA.
	Compacts bool
}

// Plain is the shape of the unit that Init writes.
var Plain = Shape{Slots: 1}

// has reports whether a unit has ports under a condition, the tag "if" of Inputs and Outputs.
func (s Shape) has(condition string) bool {
	switch condition {
	case "SLOTS > 1":
		return s.Slots > 1
	case "SPILLS":
		return s.Spills
	case "TOKENS":
		return s.Tokens
	case "COMPACTS":
		return s.Compacts
	}
	return condition == ""
}

// slots is the number of slots of an SM as an expression.
func (s Shape) slots() string {
	if s.Slots > 1 {
		return "WARPS*SLOTS"
	}
	return "WARPS"
}

// slotBits are the bits of the number of a warp's slot.
func (s Shape) slotBits() int { return max(1, bits.Len(uint(s.Slots-1))) }

// kindBits are the bits of the kind of an outcome.
func (s Shape) kindBits() int {
	if s.Tokens {
		return 3
	}
	return 2
}

// Kind is what an outcome asks of the warp.
type Kind uint8

// The kinds.
const (
	Branch  Kind = iota // to outcome_target or outcome_fall, by lane
	Exit                // the lanes of outcome_taken end
	Barrier             // wait until resume
	Next                // continue with the next instruction
	Sync                // pop a token; only with Shape.Tokens
)

func (k Kind) String() string {
	return [...]string{"BRANCH", "EXIT", "BARRIER", "NEXT", "SYNC", "", "", ""}[k&7]
}

// condition is what a unit must choose for outcomes of the kind.
func (k Kind) condition() string {
	if k == Sync {
		return "TOKENS"
	}
	return ""
}

// Inputs are the inputs of a unit at a clock edge, with the layout of the C struct of the same name.
// Each field is a port; its tag gives name, bits and meaning.
type Inputs struct {
	Resume uint64 `port:"resume" bits:"WARPS" doc:"warps that a CTA barrier releases: each continues with its next instruction"`
	Target uint64 `port:"outcome_target" bits:"POINT" doc:"BRANCH: where the lanes of outcome_taken continue"`
	Fall   uint64 `port:"outcome_fall" bits:"POINT" doc:"BRANCH: where the other lanes of the warp continue"`
	Meet   uint64 `port:"outcome_meet" bits:"POINT" doc:"BRANCH: the reconvergence point of both sides, or NOWHERE"`

	AnswerData [Words]uint64 `port:"answer_data" bits:"64" if:"SPILLS" doc:"words that a load returns"`

	FirePC  uint32 `port:"fire_pc" bits:"PC" doc:"PC of the issued instruction"`
	Taken   uint32 `port:"outcome_taken" bits:"LANES" doc:"BRANCH: lanes that take it; EXIT: lanes that end; a subset of slot_mask"`
	Started uint32 `port:"launch_mask" bits:"LANES" doc:"threads of the new warp, which begin at PC 0 and depth 0"`

	FireTarget uint32 `port:"fire_target" bits:"PC" if:"TOKENS" doc:"ssy: the PC of its token"`

	Reset        uint8 `port:"rst" bits:"1" doc:"synchronous reset: no warp is valid"`
	Fire         uint8 `port:"fire_valid" bits:"1" doc:"an instruction was issued in this cycle"`
	FireControl  uint8 `port:"fire_control" bits:"1" doc:"an outcome will follow: the warp must not move until then"`
	FireWarp     uint8 `port:"fire_warp" bits:"WARP" doc:"warp of the issued instruction"`
	FireSlot     uint8 `port:"fire_slot" bits:"SLOT" if:"SLOTS > 1" doc:"and its slot of the warp, from 0 on"`
	FireSSY      uint8 `port:"fire_ssy" bits:"1" if:"TOKENS" doc:"it is ssy: the warp pushes a token, and moves on"`
	FireSync     uint8 `port:"fire_sync" bits:"1" if:"TOKENS" doc:"it is sync: its outcome will be SYNC"`
	Outcome      uint8 `port:"outcome_valid" bits:"1" doc:"a control instruction has ended its execution"`
	OutcomeKind  Kind  `port:"outcome_kind" bits:"KIND" doc:"BRANCH, EXIT, BARRIER or NEXT"`
	OutcomeWarp  uint8 `port:"outcome_warp" bits:"WARP" doc:"warp of the outcome"`
	OutcomeSlot  uint8 `port:"outcome_slot" bits:"SLOT" if:"SLOTS > 1" doc:"and its slot of the warp"`
	Launch       uint8 `port:"launch_valid" bits:"1" doc:"a warp starts"`
	LaunchWarp   uint8 `port:"launch_warp" bits:"WARP" doc:"its number, which is free: it has never started, or has retired"`
	LaunchCTA    uint8 `port:"launch_cta" bits:"CTA" doc:"its CTA"`
	LaunchFirst  uint8 `port:"launch_first" bits:"WARP" doc:"the first warp of the CTA"`
	LaunchWarps  uint8 `port:"launch_warps" bits:"WARP + 1" doc:"warps of the CTA"`
	LaunchStatic uint8 `port:"launch_static" bits:"1" if:"COMPACTS" doc:"the threads of the CTA must stay in their warps"`
	OutcomeCTA   uint8 `port:"outcome_cta" bits:"1" if:"COMPACTS" doc:"BRANCH: the threads of the CTA can differ; BARRIER: all of them arrive"`
	Answer       uint8 `port:"answer_valid" bits:"1" if:"SPILLS" doc:"the transfer of a warp has ended"`
	AnswerWarp   uint8 `port:"answer_warp" bits:"WARP" if:"SPILLS" doc:"that warp"`
}

// Outputs are the outputs of a unit after a clock edge. The slots of warp w begin with number w times the
// slots of a warp.
type Outputs struct {
	Valid   units.Set                `port:"slot_valid" bits:"WARPS" doc:"the slot can be fetched and issued"`
	Pending units.Set                `port:"slot_pending" bits:"WARPS" if:"SLOTS > 1" doc:"the outcome of its control instruction is on the way"`
	Held    units.Set                `port:"slot_held" bits:"WARPS" if:"SLOTS > 1" doc:"it waits at a barrier"`
	Data    [Words]uint64            `port:"transfer_data" bits:"64" if:"SPILLS" doc:"words of a store"`
	PC      [Warps * MaxSlots]uint32 `port:"slot_pc" bits:"PC" doc:"its PC"`
	Mask    [Warps * MaxSlots]uint32 `port:"slot_mask" bits:"LANES" doc:"its active lanes; never 0 in a valid slot"`
	Depth   [Warps * MaxSlots]uint16 `port:"slot_depth" bits:"DEPTH" doc:"its call depth"`
	Home    [Lanes]uint8             `port:"compact_home" bits:"8" if:"COMPACTS" doc:"the warp of the thread in each of its lanes"`
	Compact uint8                    `port:"compact_valid" bits:"1" if:"COMPACTS" doc:"a slot has a new warp; for one cycle"`
	Into    uint8                    `port:"compact_slot" bits:"WARP" if:"COMPACTS" doc:"that slot, which is valid"`
	Retire  uint8                    `port:"retire_valid" bits:"1" doc:"a warp has no threads left; for one cycle"`
	Gone    uint8                    `port:"retire_warp" bits:"WARP" doc:"that warp"`
	Moves   uint8                    `port:"transfer_valid" bits:"1" if:"SPILLS" doc:"a warp moves words to or from its memory; for one cycle"`
	Mover   uint8                    `port:"transfer_warp" bits:"WARP" if:"SPILLS" doc:"that warp, which has no other transfer until the answer"`
	Store   uint8                    `port:"transfer_store" bits:"1" if:"SPILLS" doc:"to memory; otherwise it is a load"`
	From    uint8                    `port:"transfer_at" bits:"8" if:"SPILLS" doc:"place of the first word in the memory of the warp"`
	Count   uint8                    `port:"transfer_words" bits:"3" if:"SPILLS" doc:"number of words, 1 to WORDS"`
	Busy    uint8                    `port:"busy" bits:"1" doc:"the unit needs the next clock edge too, without an event"`
	Error   uint8                    `port:"error" bits:"8" doc:"not 0: the run ends with this number"`
}

// Entry is an answer of the debug port, which is combinational: a group of threads of a warp.
type Entry struct {
	At    uint64 `port:"debug_at" bits:"POINT" doc:"where its threads continue"`
	Meet  uint64 `port:"debug_meet" bits:"POINT" doc:"where they wait for others, or NOWHERE"`
	Mask  uint32 `port:"debug_mask" bits:"LANES" doc:"its threads; those of groups with a smaller index do not count"`
	Valid uint32 `port:"debug_valid" bits:"1" doc:"there is such a group"`
}

// Port is a port of a unit.
type Port struct {
	Name, Doc string
	Input     bool
	If        string // a condition of the constants, without which a unit has no such port
	Bits      string // an expression of the constants of the package divergo
	Each      string // the number of them, such as WARPS; empty: one
	Group     string // clock, launch, fire, outcome, barrier, slots, compaction, retire, memory, control or debug

	bytes uintptr // of one
}

// Ports lists the ports in the order of the specification.
func (s Shape) Ports() (list []Port) {
	clock := Port{Name: "clk", Doc: "clock; every effect is at its rising edge", Input: true, Bits: "1"}
	warp := Port{Name: "debug_warp", Doc: "warp of the question", Input: true, Bits: "WARP"}
	index := Port{Name: "debug_index", Doc: "number of a group: 0 runs, or waits to run; the others are parked", Input: true, Bits: "7"}
	all := append([]Port{clock}, s.portsOf(reflect.TypeFor[Inputs](), true)...)
	all = append(all, s.portsOf(reflect.TypeFor[Outputs](), false)...)
	all = append(append(all, warp, index), s.portsOf(reflect.TypeFor[Entry](), false)...)
	for _, g := range groups {
		for _, p := range all {
			if p.Group = g.name; g.has(p.Name) {
				list = append(list, p)
			}
		}
	}
	return list
}

// groups are the groups of ports, with the names or beginnings of names in them.
var groups = []group{
	{"clock", []string{"clk", "rst"}},
	{"launch", []string{"launch_"}},
	{"fire", []string{"fire_"}},
	{"outcome", []string{"outcome_"}},
	{"barrier", []string{"resume"}},
	{"slots", []string{"slot_"}},
	{"compaction", []string{"compact_"}},
	{"retire", []string{"retire_"}},
	{"memory", []string{"transfer_", "answer_"}},
	{"control", []string{"busy", "error"}},
	{"debug", []string{"debug_"}},
}

type group struct {
	name  string
	ports []string
}

func (g *group) has(port string) bool {
	for _, p := range g.ports {
		if strings.HasPrefix(port, p) {
			return true
		}
	}
	return false
}

func (s Shape) portsOf(t reflect.Type, input bool) (list []Port) {
	for _, f := range s.fields(t) {
		p := Port{
			Name: f.Tag.Get("port"), Doc: f.Tag.Get("doc"), Input: input, Bits: f.Tag.Get("bits"), If: f.Tag.Get("if"),
			bytes: f.Type.Size(),
		}
		switch {
		case f.Type == setType:
			p.Bits = s.slots()
		case f.Type.Kind() == reflect.Array && f.Type.Len() == Words:
			p.Each, p.bytes = "WORDS", f.Type.Elem().Size()
		case f.Type.Kind() == reflect.Array && f.Type.Len() == Lanes:
			p.Each, p.bytes = "LANES", f.Type.Elem().Size()
		case f.Type.Kind() == reflect.Array:
			p.Each, p.bytes = s.slots(), f.Type.Elem().Size()
		}
		list = append(list, p)
	}
	return list
}

// setType has a bit for each slot of an SM.
var setType = reflect.TypeFor[units.Set]()

// fields are those of Inputs, Outputs or Entry that are ports.
func (s Shape) fields(t reflect.Type) (list []reflect.StructField) {
	for i := range t.NumField() {
		if f := t.Field(i); s.has(f.Tag.Get("if")) {
			list = append(list, f)
		}
	}
	return list
}

// parameter is a constant of the package divergo.
type parameter struct {
	name  string
	value int
	doc   string
}

// flag is the value of a constant that says whether a unit has something.
func flag(has bool) int {
	if has {
		return 1
	}
	return 0
}

// constants are the constants of the package divergo, in order.
func (s Shape) constants() []parameter {
	return []parameter{
		{"VERSION", Version, "of the port specification"},
		{"WARPS", Warps, "warps of an SM"},
		{"LANES", Lanes, "threads of a warp"},
		{"SLOTS", s.Slots, fmt.Sprintf("slots of a warp: 1 to %d, as the unit needs", MaxSlots)},
		{"SPILLS", flag(s.Spills), "1: the unit has a memory port"},
		{"TOKENS", flag(s.Tokens), "1: the instructions ssy and sync are events"},
		{"COMPACTS", flag(s.Compacts), "1: warps are made of the threads of a CTA"},
		{"WARP", 6, "bits of a warp's number"},
		{"SLOT", s.slotBits(), "bits of the number of a warp's slot"},
		{"CTA", 5, "bits of a CTA's number"},
		{"KIND", s.kindBits(), "bits of the kind of an outcome"},
		{"PC", PCBits, "bits of a PC, which counts instructions"},
		{"DEPTH", DepthBits, "bits of a call depth"},
		{"POINT", PointBits, "bits of a point: {depth, PC}"},
		{"WORDS", Words, "words of 64 bits that move to or from memory at once"},
	}
}

// Declaration returns the port in SystemVerilog, as in "input  logic [PC-1:0] fire_pc".
func (p *Port) Declaration() string {
	direction, shape := "output", ""
	if p.Input {
		direction = "input "
	}
	if p.Each != "" {
		shape = "[" + p.Each + "-1:0]"
	}
	if n, err := strconv.Atoi(p.Bits); err == nil && n > 1 {
		shape += fmt.Sprintf("[%d:0]", n-1)
	} else if err != nil {
		shape += "[" + strings.Replace(p.Bits+"-1:0]", " + 1-1", "", 1)
	}
	return strings.TrimSpace(strings.Join([]string{direction, "logic", shape}, " ")) + " " + p.Name
}

// Package returns the SystemVerilog package divergo, with the constants of the specification.
func (s Shape) Package() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Constants of divergo's port specification, version %d. \"divergo rtl init\" writes this file;\n"+
		"// \"divergo rtl build\" refuses another one. A unit chooses SLOTS, SPILLS, TOKENS and COMPACTS;\n"+
		"// SLOT and KIND follow.\npackage divergo;\n", Version)
	for _, c := range s.constants() {
		fmt.Fprintf(&b, "  localparam int %-8s = %d; // %s\n", c.name, c.value, c.doc)
	}
	fmt.Fprintf(&b, "  typedef logic [POINT-1:0] point_t; // {call depth, PC}\n"+
		"  localparam point_t NOWHERE = {%d'd0, 32'hffff_ffff}; // threads meet only at the exit\n", DepthBits)
	for k := Branch; k <= Sync && s.has(k.condition()); k++ {
		fmt.Fprintf(&b, "  localparam logic [KIND-1:0] %-7s = %d;\n", k, k)
	}
	b.WriteString("endpackage\n")
	return b.String()
}

// Header returns the head of module unit, with all ports.
func (s Shape) Header() string {
	var b strings.Builder
	b.WriteString("module unit\n  import divergo::*;\n(\n")
	ports, last := s.Ports(), ""
	for i, p := range ports {
		if p.Group != last {
			fmt.Fprintf(&b, "  // %s\n", p.Group)
			last = p.Group
		}
		comma := ","
		if i == len(ports)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "  %s // %s\n", fmt.Sprintf("%-48s", p.Declaration()+comma), p.Doc)
	}
	b.WriteString(");\n")
	return b.String()
}

// top returns the module around the unit. Verilator reports a missing port of the unit here.
func (s Shape) top() string {
	var b strings.Builder
	b.WriteString("// The bench of divergo around the unit.\nmodule divergo_top\n  import divergo::*;\n(\n")
	ports := s.Ports()
	var list, pins []string
	for _, p := range ports {
		list = append(list, "  "+p.Declaration())
		pins = append(pins, "    ."+p.Name+"("+p.Name+")")
	}
	fmt.Fprintf(&b, "%s\n);\n  unit unit (\n%s\n  );\nendmodule\n", strings.Join(list, ",\n"), strings.Join(pins, ",\n"))
	return b.String()
}

// ports.h of the shim: the structs and the copies between them and the ports of the model.
func (s Shape) header() string {
	var b strings.Builder
	b.WriteString("#include <cstdint>\n#include <cstring>\n")
	for _, t := range []reflect.Type{reflect.TypeFor[Inputs](), reflect.TypeFor[Outputs](), reflect.TypeFor[Entry]()} {
		fmt.Fprintf(&b, "struct %s {\n", t.Name())
		for i := range t.NumField() {
			f := t.Field(i)
			e, array := f.Type, ""
			if e.Kind() == reflect.Array {
				e, array = e.Elem(), fmt.Sprintf("[%d]", f.Type.Len())
			}
			fmt.Fprintf(&b, "  uint%d_t %s%s;\n", e.Size()*8, f.Name, array)
		}
		fmt.Fprintf(&b, "};\nstatic_assert(sizeof(%s) == %d, \"%[1]s is not laid out as in Go\");\n", t.Name(), t.Size())
	}
	fmt.Fprintf(&b, "enum { SLOTS = %d };\nstatic const struct { const char *name; int size; } PER_SLOT[] = {\n", Warps*s.Slots)
	for _, p := range s.Ports() {
		if p.Each != "" {
			fmt.Fprintf(&b, "  {\"%s\", %d},\n", p.Name, p.bytes)
		}
	}
	b.WriteString("};\n")
	copies := func(name, format string, t reflect.Type) {
		fmt.Fprintf(&b, "#define %s(m, x)", name)
		for _, f := range s.fields(t) {
			fmt.Fprintf(&b, " \\\n  "+format, f.Tag.Get("port"), f.Name)
		}
		b.WriteString("\n")
	}
	copies("DRIVE", "give((m)->%[1]s, (x)->%[2]s);", reflect.TypeFor[Inputs]())
	copies("SAMPLE", "take((x)->%[2]s, (m)->%[1]s);", reflect.TypeFor[Outputs]())
	copies("ANSWER", "take((x)->%[2]s, (m)->%[1]s);", reflect.TypeFor[Entry]())
	return b.String()
}
