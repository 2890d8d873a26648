package isa

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"divergo/internal/nearest"
)

// herdingSchema is the version of the format of herding files.
const herdingSchema = 1

// Herding names the herded instructions of a kernel; a herding file holds one. At a herded branch
// all active lanes of a warp follow the majority. In a herded load all read the block of memory
// that most of them read (Sartori & Kumar, Branch and Data Herding, sections III and IV). PCs are
// those of the kernel's listing.
type Herding struct {
	Kernel    string `json:"kernel"`              // name of the kernel; "" for any
	Branches  []int  `json:"branches"`            // PCs
	Loads     []int  `json:"loads"`               // PCs
	Threshold int    `json:"threshold,omitempty"` // herded instructions of a launch before herding stops; 0: no limit

	file     string // from which it was read
	kernelAt Pos
	branchAt []Pos // of Branches
	loadAt   []Pos // of Loads
}

// MarshalJSON is the text of a herding file.
func (h Herding) MarshalJSON() ([]byte, error) {
	type plain Herding
	if h.Branches == nil {
		h.Branches = []int{}
	}
	if h.Loads == nil {
		h.Loads = []int{}
	}
	return json.Marshal(struct {
		Schema int `json:"schema"`
		plain
	}{herdingSchema, plain(h)})
}

// ReadHerding reads the text of a herding file. The error lists the first ten mistakes, each with
// file name, line and column.
func ReadHerding(file string, text []byte) (*Herding, error) {
	r := herdingReader{
		file: file, text: text, json: json.NewDecoder(bytes.NewReader(text)), of: &Herding{file: file},
		seen: map[string]bool{},
	}
	r.json.UseNumber()
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		at, reason := len(bytes.TrimRight(text, " \t\r\n")), "the text ends in the middle of a value"
		if e := (*json.SyntaxError)(nil); errors.As(err, &e) && !strings.HasPrefix(e.Error(), "unexpected end") {
			at, reason = int(e.Offset)-1, e.Error()
		}
		return nil, r.pos(at).errorf(file, "no JSON: %s", reason)
	}
	r.document()
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	return r.of, nil
}

// herdingReader reads syntactically correct JSON token by token, which gives the place of each
// value.
type herdingReader struct {
	file string
	text []byte
	json *json.Decoder
	of   *Herding
	seen map[string]bool // members
	errs []error         // the first ones

	at, line, start int // the last place, its line from 0, and the start of that line
}

// maxHerdingErrors is the largest number of reported errors about a herding.
const maxHerdingErrors = 10

// herdingMembers are the members of a herding file.
var herdingMembers = []string{"schema", "kernel", "branches", "loads", "threshold"}

// next is the next token and its place.
func (r *herdingReader) next() (any, Pos) {
	at := int(r.json.InputOffset())
	for at < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[at]) >= 0 {
		at++
	}
	t, _ := r.json.Token()
	return t, r.pos(at)
}

// pos is the place of a byte, not before the last place.
func (r *herdingReader) pos(at int) Pos {
	passed := r.text[r.at:at]
	r.line += bytes.Count(passed, []byte("\n"))
	if n := bytes.LastIndexByte(passed, '\n'); n >= 0 {
		r.start = r.at + n + 1
	}
	r.at = at
	return Pos{Line: int32(r.line + 1), Col: int32(at - r.start + 1)}
}

func (r *herdingReader) errorf(at Pos, format string, args ...any) {
	if len(r.errs) < maxHerdingErrors {
		r.errs = append(r.errs, at.errorf(r.file, format, args...))
	}
}

// errorf is an error with its place, if known.
func (at Pos) errorf(file, format string, args ...any) error {
	if at.Line == 0 {
		return fmt.Errorf(format, args...)
	}
	return fmt.Errorf("%s:%d:%d: %s", file, at.Line, at.Col, fmt.Sprintf(format, args...))
}

// document reads the whole file.
func (r *herdingReader) document() {
	t, start := r.next()
	if t != json.Delim('{') {
		r.errorf(start, `want an object, {"schema": %d, "kernel": ..., "branches": [...], "loads": [...]}`,
			herdingSchema)
		return
	}
	for r.json.More() {
		t, at := r.next()
		name := t.(string)
		if r.seen[name] {
			r.errorf(at, "%q is there twice", name)
		}
		r.seen[name] = true
		if !slices.Contains(herdingMembers, name) {
			r.errorf(at, "%v", nearest.Unknown("member", name, herdingMembers))
		}
		r.member(name)
	}
	if !r.seen["schema"] {
		r.errorf(start, `no "schema": want "schema": %d`, herdingSchema)
	}
}

// member reads the value of a member.
func (r *herdingReader) member(name string) {
	value, at := r.next()
	n, is := natural(value)
	want := ""
	switch name {
	case "branches":
		r.list(name, value, at, &r.of.Branches, &r.of.branchAt)
		return
	case "loads":
		r.list(name, value, at, &r.of.Loads, &r.of.loadAt)
		return
	case "kernel":
		if r.of.Kernel, is = value.(string); !is {
			want = "the name of a kernel"
		}
		r.of.kernelAt = at
	case "schema":
		if !is || n != herdingSchema {
			want = fmt.Sprint(herdingSchema)
		}
	case "threshold":
		if r.of.Threshold = n; !is {
			want = wantThreshold
		}
	}
	if want != "" {
		r.errorf(at, "%s: found %v, want %s", name, value, want)
	}
	r.skip(value)
}

// list reads a list of PCs, whose first token has been read.
func (r *herdingReader) list(name string, first any, at Pos, to *[]int, places *[]Pos) {
	if first != json.Delim('[') {
		r.errorf(at, "%s: found %v, want a list of PCs, [12, 40]", name, first)
		r.skip(first)
		return
	}
	for r.json.More() {
		t, at := r.next()
		n, is := natural(t)
		if !is {
			r.errorf(at, "%s: found %v, want a PC", name, t)
			r.skip(t)
			continue
		}
		*to, *places = append(*to, n), append(*places, at)
	}
	r.next()
}

// skip skips the rest of a value that begins with token first.
func (r *herdingReader) skip(first any) {
	if _, nested := first.(json.Delim); !nested {
		return
	}
	for depth := 1; depth > 0; {
		switch t, _ := r.next(); t {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
}

// natural is a number of 32 bits without sign.
func natural(t any) (int, bool) {
	n, is := t.(json.Number)
	if !is {
		return 0, false
	}
	i, err := n.Int64()
	return int(i), err == nil && i >= 0 && i <= math.MaxUint32
}

// wantThreshold describes a valid threshold, a register of 32 bits.
var wantThreshold = fmt.Sprintf("a number of herded instructions, 0 to %d", uint32(math.MaxUint32))

// Unherdable is the reason for which in cannot be herded, as a branch or as a load. It is empty if
// in can be.
func (in *Inst) Unherdable() string {
	switch in.Op {
	case OpBra:
		return in.notBranch()
	case OpLd:
		return in.notLoad()
	}
	return "is " + in.what() + ": only branches and loads are herded"
}

// notBranch is the reason for which in cannot be herded as a branch.
func (in *Inst) notBranch() string {
	switch {
	case strings.HasPrefix(in.Text, "brx") || in.Op == OpCall && in.Indirect() || in.Returns():
		return "is an indirect branch, which may lead to more than two places: it is never herded"
	case in.Op != OpBra:
		return "is " + in.what() + ", no branch"
	case in.Inserted:
		return "is not of the kernel: it was put there for another instruction"
	case in.Guard.Kind != OperandPred:
		return "is a branch without a condition, which all lanes take"
	}
	return ""
}

// notLoad is the reason for which in cannot be herded as a load.
func (in *Inst) notLoad() string {
	switch {
	case in.Op != OpLd:
		return "is " + in.what() + ", no load"
	case in.Inserted:
		return "is not of the kernel: it was put there for another instruction"
	case in.Space == SpaceShared:
		return "is a load from shared memory, which has banks and no blocks"
	case in.Space == SpaceParam:
		return "is a load of a parameter, which comes from the constant bank of the launch"
	case in.Space == SpaceLocal:
		return "is a load from local memory, whose blocks hold variables of other threads"
	case in.Cache == CacheVolatile || in.Flags&FlagAcquire != 0:
		return "is a load with a memory order (.volatile, .relaxed or stronger), by which threads learn of each other"
	}
	return ""
}

// what names the kind of an instruction.
func (in *Inst) what() string {
	switch {
	case in.Op == OpSt:
		return "a store"
	case in.Op == OpAtom || in.Op == OpRed:
		return "an atomic"
	case in.Op == OpCopy:
		return "an asynchronous copy"
	case in.Op == OpLd:
		return "a load"
	case in.Op == OpTex:
		return "a read of a texture"
	case in.Op == OpBra:
		return "a branch"
	case in.Op == OpBar || in.Op == OpBarWarp:
		return "a barrier"
	case in.Op == OpCall:
		return "a call"
	case in.Exits():
		return "the end of a thread"
	case in.CrossLane():
		return "an instruction of several threads"
	}
	return "neither a branch nor a load"
}

// Herdable lists the PCs of all branches and loads of p that can be herded.
func (p *Program) Herdable() (branches, loads []int) {
	for pc := range p.Insts {
		in := &p.Insts[pc]
		if in.notBranch() == "" {
			branches = append(branches, pc)
		}
		if in.notLoad() == "" {
			loads = append(loads, pc)
		}
	}
	return branches, loads
}

// Apply is a copy of p in which the instructions that h names are marked with FlagHerd. Existing
// marks stay. The error lists the first ten mistakes, with their places in h's file.
func (h *Herding) Apply(p *Program) (*Program, error) {
	var errs []error
	if h.Kernel != "" && h.Kernel != p.Name {
		errs = append(errs, h.kernelAt.errorf(h.file, "it is for kernel %q, this is %q", h.Kernel, p.Name))
	}
	if h.Threshold < 0 || h.Threshold > math.MaxUint32 {
		errs = append(errs, fmt.Errorf("threshold %d: want %s", h.Threshold, wantThreshold))
	}
	branches, loads := p.Herdable()
	made := *p
	made.Insts = slices.Clone(p.Insts)
	made.HerdLimit = h.Threshold
	mark := func(pcs []int, places []Pos, kind string, not func(*Inst) string, possible []int) {
		for i, pc := range pcs {
			if len(errs) >= maxHerdingErrors {
				return
			}
			var at Pos
			if i < len(places) {
				at = places[i]
			}
			if pc < 0 || pc >= len(p.Insts) {
				errs = append(errs, at.errorf(h.file, "%s %d: %s has the PCs 0 to %d%s", kind, pc, p.Name,
					len(p.Insts)-1, near(pc, kind, possible)))
				continue
			}
			in := &made.Insts[pc]
			if why := not(in); why != "" {
				errs = append(errs, at.errorf(h.file, "%s %d: %s %s%s", kind, pc, p.Mnemonic(uint32(pc)), why,
					near(pc, kind, possible)))
				continue
			}
			in.herd()
		}
	}
	mark(h.Branches, h.branchAt, "branch", (*Inst).notBranch, branches)
	mark(h.Loads, h.loadAt, "load", (*Inst).notLoad, loads)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return &made, nil
}

// near names the instruction of the right kind nearest to pc.
func near(pc int, kind string, possible []int) string {
	if len(possible) == 0 {
		return fmt.Sprintf("; there is no %s that can be herded", kind)
	}
	best := possible[0]
	for _, c := range possible {
		if max(c-pc, pc-c) < max(best-pc, pc-best) {
			best = c
		}
	}
	return fmt.Sprintf("; the nearest %s that can be herded is at %d", kind, best)
}

// herd marks an instruction. On a branch .hrd replaces .uni.
func (in *Inst) herd() {
	if in.Flags&FlagHerd != 0 {
		return
	}
	in.Flags = in.Flags&^FlagUni | FlagHerd
	opcode, rest, _ := strings.Cut(in.Text, " ")
	words := strings.Split(opcode, ".")
	words = slices.DeleteFunc(words, func(w string) bool { return w == "uni" })
	at := 1
	if in.Op == OpLd && len(words) > 1 && in.Space != SpaceGeneric {
		at = 1 + max(0, slices.Index(words[1:], in.Space.String())+1)
	}
	in.Text = strings.Join(slices.Insert(words, at, "hrd"), ".") + " " + rest
}

// together reports whether in keeps the threads of a warp together because it is always herded.
// Such a branch takes no reconvergence instruction (section III).
func (p *Program) together(in *Inst) bool { return in.Flags&FlagHerd != 0 && p.HerdLimit == 0 }

// WithoutHerding is p, or a copy of it without marks.
func (p *Program) WithoutHerding() *Program {
	if !p.Herds() {
		return p
	}
	made := *p
	made.Insts, made.HerdLimit = slices.Clone(p.Insts), 0
	for pc := range made.Insts {
		made.Insts[pc].Flags &^= FlagHerd
	}
	return &made
}

// Herds reports whether an instruction of p is marked with FlagHerd.
func (p *Program) Herds() bool {
	return slices.ContainsFunc(p.Insts, func(in Inst) bool { return in.Flags&FlagHerd != 0 })
}
