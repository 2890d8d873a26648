package draw

import (
	"fmt"
	"strconv"
	"strings"
)

// types are the types of loads and stores, of 32-bit registers or of two that hold one value.
var types = []string{"u32", "u8", "s8", "u16", "s16", "s32", "b32", "b64", "f32", "b8", "b16", "u64", "s64", "f64"}

// drawnTypes is the number of types that generate draws; they are the first ones.
const drawnTypes = 8

// sameSize lists, for a type, the types of the same size that vary may put in its place.
var sameSize = map[uint8][]uint8{0: {8}, 1: {9}, 3: {10}, 5: {8}, 7: {11, 12, 13}}

// orders are the words of loads and stores before and after the space. The first ones are valid for
// shared memory as well.
var orders = []struct{ load, store, loadCache, storeCache string }{
	{},
	{load: ".volatile", store: ".volatile"},
	{load: ".relaxed.cta", store: ".relaxed.cta"},
	{load: ".acquire.gpu", store: ".release.gpu"},
	{load: ".relaxed.gpu", store: ".relaxed.gpu"},
	{loadCache: ".ca", storeCache: ".wb"},
	{loadCache: ".cg", storeCache: ".cg"},
	{loadCache: ".cs", storeCache: ".cs"},
	{loadCache: ".cv", storeCache: ".wt"},
}

const sharedOrders = 4

// load writes a load, store a store, of so many words.
func (e *emitter) load(s *Stmt, space string, words int, at string) {
	o, typ := s.how(space, words)
	at = s.inside(space, typ, words, at)
	if reg, bits := carrier(typ); reg != "" {
		e.line("ld%s%s%s.%s %s, %s;", o.load, space, o.loadCache, typ, reg, at)
		e.line("mov.%s %s, %s;", bits, e.few(s.D, words), reg)
		return
	}
	name := "ld"
	if s.Kind == Load && s.A == s.B && s.Order == 0 && !s.Herd { // it is read-only
		name = "ldu"
	}
	mark := ""
	if s.Kind == Load && s.Order == 0 {
		mark = s.herds()
	}
	e.line("%s%s%s%s%s%s.%s %s, %s;", name, o.load, space, mark, o.loadCache, vector(words), typ, e.few(s.D, words), at)
}

func (e *emitter) store(s *Stmt, guard, space string, words int, at string, source int) {
	o, typ := s.how(space, words)
	at = s.inside(space, typ, words, at)
	if reg, bits := carrier(typ); reg != "" {
		e.line("mov.%s %s, %s;", bits, reg, e.few(source, words))
		e.line("%sst%s%s%s.%s %s, %s;", guard, o.store, space, o.storeCache, typ, at, reg)
		return
	}
	e.line("%sst%s%s%s%s.%s %s, %s;", guard, o.store, space, o.storeCache, vector(words), typ, at, e.few(source, words))
}

// inside returns the place of a narrow access of so many values in the words at an address.
func (s *Stmt) inside(space, typ string, words int, at string) string {
	size := 4 * words
	switch {
	case space == ".param":
	case strings.HasSuffix(typ, "16"):
		size = 2 * words
	case strings.HasSuffix(typ, "8"):
		size = words
	}
	place := s.N >> 2
	switch s.Kind {
	case Give, Take, Pass, Receive, Spill, Fill: // N is always 0
		place = s.A ^ s.B
	}
	offset := place * size & (4*words - 1)
	if offset == 0 {
		return at
	}
	base, from, _ := strings.Cut(strings.Trim(at, "[]"), "+")
	before, _ := strconv.Atoi(from) // none: 0
	return fmt.Sprintf("[%s+%d]", base, before+offset)
}

// carrier returns a register for values of a type that the kernel's registers cannot hold, and the
// type of the move.
func carrier(typ string) (reg, bits string) {
	switch typ {
	case "f32":
		return "%x", "b32"
	case "f64":
		return "%z", "b64"
	case "b64", "u64", "s64":
		return "%q", "b64"
	}
	return "", ""
}

// how returns the order words of a load or store of so many words in a space, and its type.
func (s *Stmt) how(space string, words int) (o struct{ load, store, loadCache, storeCache string }, typ string) {
	o = orders[int(s.Order)%len(orders)]
	switch {
	case s.Kind == Fetch || space == ".local" || space == "" && (s.Kind == Spill || s.Kind == Fill):
		o = orders[0]
	case space == ".shared" || space == "" && (s.Kind == Give || s.Kind == Take):
		o = orders[int(s.Order)%sharedOrders]
	}
	if s.Kind == Load && o.loadCache == ".ca" { // the input is read-only
		o.loadCache = ".nc"
	}
	typ = types[int(s.Type)%len(types)]
	if words != 2 {
		typ = strings.Replace(typ, "64", "32", 1)
	}
	if typ == "f32" && words > 1 {
		typ = "b32"
	}
	return o, typ
}

// access writes a load or store.
func (e *emitter) access(s *Stmt) {
	space, words := ".global", 1<<s.Wide
	if s.Generic {
		space = ""
	}
	switch s.Kind {
	case Load:
		e.input(e.r(s.A), uint32(s.N), words)
		e.load(s, ".global", words, "[%at]")
	case Fetch:
		e.fetch(s, words)
	case Put, Get:
		e.needs |= needPrivate
		if !e.k.Apart {
			words = 1
		}
		at := fmt.Sprintf("[%%own+%d]", e.private(s.N&^(words-1)))
		if s.Kind == Get {
			e.load(s, space, words, at)
		} else {
			e.store(s, e.when(s), space, words, at, s.A)
		}
	case Give, Take:
		words = min(words, cellBytes/4)
		e.move(s, ".shared", words, s.Kind == Give, s.A, e.cell)
	case Pass, Receive:
		e.needs |= needExchange
		words = min(words, cellBytes/4)
		e.move(s, ".global", words, s.Kind == Pass, s.A, func() string {
			e.line("mul.wide.u32 %%at, %%place, %d;", cellBytes)
			e.line("add.u64 %%at, %%xch, %%at;")
			return "%at"
		})
	case Spill, Fill:
		e.needs |= needLocal
		e.move(s, ".local", words, s.Kind == Spill, s.B, func() string {
			e.line("and.b32 %%w, %s, %d;", e.r(s.A), localWords-words)
			return e.variable("frame", "%w", 4)
		})
	case Copy:
		e.input(e.r(s.A), uint32(s.N), cellBytes/4)
		e.line("mov.u64 %%q, %%at;")
		bytes := 4 << (s.Wide & 1)
		if s.Op != 0 {
			e.copies(s)
			break
		}
		at, size := e.cell(), s.copied(e, bytes)
		e.line("cp.async.ca.shared.global [%s], [%%q], %d%s;", at, bytes, size)
		if s.Alt {
			e.line("cp.async.commit_group;")
			e.line("cp.async.wait_group 0;")
		} else {
			e.line("cp.async.wait_all;")
		}
	}
}

// constWords is the size of constant memory.
const constWords = 64

// constants are the contents of constant memory: each byte has a value.
func constants() string {
	var list []string
	for i := range uint32(constWords) {
		list = append(list, fmt.Sprint((i+1)*0x9E3779B1))
	}
	return strings.Join(list, ", ")
}

// fetch loads from constant memory. In the kernel itself it may load a part of the first parameter,
// an address.
func (e *emitter) fetch(s *Stmt, words int) {
	if s.Alt && e.fn < 0 {
		e.needs |= needInput
		words = min(words, 2)
		size := 4 * words
		switch _, typ := s.how(".param", words); {
		case strings.HasSuffix(typ, "16"):
			size = 2 * words
		case strings.HasSuffix(typ, "8"):
			size = words
		}
		e.load(s, ".param", words, fmt.Sprintf("[input+%d]", s.N*size&7&^(size-1)))
		return
	}
	e.needs |= needConst
	e.line("add.u32 %%w, %s, %d;", e.r(s.A), s.N)
	e.line("and.b32 %%w, %%w, %d;", constWords-words)
	e.line("mul.wide.u32 %%at, %%w, 4;")
	e.line("mov.u64 %%base, constants;")
	e.line("add.u64 %%at, %%base, %%at;")
	space := ".const"
	if s.Generic {
		e.line("cvta.const.u64 %%at, %%at;")
		space = ""
	}
	e.load(s, space, words, "[%at]")
}

// copied returns the last operand of an asynchronous copy, if it has one: how many of the bytes each thread
// reads, or which threads read none. The others are zeros.
func (s *Stmt) copied(e *emitter, bytes int) string {
	switch s.N >> 2 & 3 {
	case 0:
		e.line("and.b32 %%v, %s, %d;", e.r(s.B), 2*bytes-1)
		e.line("min.u32 %%v, %%v, %d;", bytes)
		return ", %v"
	case 1:
		e.line("setp.lt.s32 %%o, %s, 0;", e.r(s.B))
		return ", %o"
	}
	return ""
}

// copies copies both of the thread's words, the threads of a warp in turn. The second word is a
// group of its own, and the first one has Op groups, each for some threads. Meanwhile it loads from
// global and local memory. It reads the second word when all but the later groups have completed.
func (e *emitter) copies(s *Stmt) {
	at := e.cell()
	some := func(i, word int) {
		e.line("and.b32 %%w, %%lin, 3;")
		e.line("setp.eq.u32 %%p, %%w, %d;", i&3)
		size := s.copied(e, 4)
		e.line("@%%p cp.async.ca.shared.global [%s+%d], [%%q+%d], 4%s;", at, word, word, size)
	}
	for i := range 4 {
		some(i, 4)
	}
	e.line("cp.async.commit_group;")
	for i := range max(s.Op, 4) {
		some(i, 0)
		if s.Op > 1 || i == 3 {
			e.line("cp.async.commit_group;")
		}
	}
	e.needs |= needLinear | needLocal
	e.line("ld.global.u32 %%v, [%%q];")
	e.line("st.local.v4.u32 [frame], {%%v, %%v, %s, %s};", e.r(s.A), e.r(s.B))
	later := 1
	if s.Op > 1 {
		later = max(s.Op, 4)
	}
	e.line("cp.async.wait_group %d;", later)
	e.line("ld.shared.u32 %s, [%s+4];", e.r(s.D), at)
	e.line("cp.async.wait_group 0;")
}

// move stores so many registers, or loads D and the registers after it, at the address that is in a
// register in a space. With generic addresses, threads whose guard holds access words of their own
// in global memory instead.
func (e *emitter) move(s *Stmt, space string, words int, store bool, source int, address func() string) {
	at := ""
	if s.Generic {
		if e.needs |= needPrivate; !e.k.Apart {
			words = 1
		}
	}
	if at = address(); s.Generic {
		if at != "%at" {
			e.line("cvt.u64.u32 %%at, %s;", at)
		}
		e.line("cvta%s.u64 %%at, %%at;", space)
		e.line("@%%g add.u64 %%at, %%own, %d;", e.private(s.N&^(words-1)))
		at, space = "%at", ""
	}
	if store {
		e.store(s, "", space, words, "["+at+"]", source)
	} else {
		e.load(s, space, words, "["+at+"]")
	}
}

// edge makes one thread of the grid access the edge buffer across its end, at an aligned place.
func (e *emitter) edge() {
	if e.k.Edge == 0 {
		return
	}
	e.needs |= needEdge
	size := 2
	for e.k.Edge%size == 0 {
		size *= 2
	}
	at := e.k.Edge &^ (size - 1)
	e.line("setp.eq.u32 %%p, %s, %d;", e.gid(), e.k.Turn%(e.threads*e.grid))
	e.line("%s", map[int]string{
		2:  fmt.Sprintf("@%%p st.global.u16 [%%edge+%d], %%h;", at),
		4:  fmt.Sprintf("@%%p ld.global.u32 %%v, [%%edge+%d];", at),
		8:  fmt.Sprintf("@%%p atom.global.add.u64 %%q, [%%edge+%d], 1;", at),
		16: fmt.Sprintf("@%%p st.global.v4.u32 [%%edge+%d], {%%v, %%v, %%w, %%w};", at),
	}[size])
}

// room makes the first thread of the CTA read the last byte of shared memory, after it has stored
// there.
func (e *emitter) room() {
	if e.k.Room == 0 {
		return
	}
	e.needs |= needShared | needLinear
	e.line("setp.eq.u32 %%p, %%lin, 0;")
	e.line("@%%p ld.shared.u8 %%v, [cells+%d];", e.cellsBytes()-1)
}

// odd makes each thread read the ends of its odd local variable, after it has stored there.
func (e *emitter) odd() {
	if e.k.Odd == 0 {
		return
	}
	e.needs |= needLocal
	e.gid()
	e.line("ld.local.u8 %%v, [odd];")
	e.line("ld.local.u8 %%w, [odd+%d];", e.k.Odd-1)
}

// swap writes an atomic whose result is used, on a word that belongs to one thread.
func (e *emitter) swap(s *Stmt) {
	op := swaps[s.Op%len(swaps)]
	order := scopes[int(s.Order)%len(scopes)]
	half := 0 // offset in a word
	if strings.HasSuffix(op, "16") {
		half = 2 * (s.N & 1)
	}
	space, at := ".global", fmt.Sprintf("[%%own+%d]", e.private(s.N&^1)+half)
	if s.Alt {
		space, at = ".shared", fmt.Sprintf("[%s+%d]", e.cell(), half)
	} else if e.needs |= needPrivate; !e.k.Apart { // and words of 4 bytes
		op = strings.NewReplacer("64", "32", ".noftz.f16x2", ".u32").Replace(op)
	}
	if s.Generic && !s.Alt {
		space = ""
	}
	name, typ, _ := strings.Cut(op, ".")
	of := classes[strings.TrimPrefix(typ, "noftz.")+"_"]
	d, a, b := e.r(s.D), e.source(s, 1, s.A, of), e.source(s, 2, s.B, of)
	result, operand, other := d, a, b
	switch typ {
	case "f32":
		e.line("mov.b32 %%x, %s;", a)
		result, operand = "%x", "%x"
	case "f64":
		e.line("mov.b64 %%z, {%s, %s};", b, a)
		result, operand = "%z", "%z"
	case "noftz.f16x2", "noftz.bf16x2":
		e.line("mov.b32 %%b, %s;", a)
		result, operand = "%b", "%b"
	case "b16", "noftz.f16", "noftz.bf16":
		e.line("cvt.u16.u32 %%h, %s;", a)
		e.line("cvt.u16.u32 %%k, %s;", b)
		result, operand, other = "%h", "%h", "%k"
	default:
		if strings.HasSuffix(typ, "64") {
			e.line("mov.b64 %%q, {%s, %s};", a, b)
			e.line("mov.b64 %%l, {%s, %[1]s};", b)
			result, operand, other = "%q", "%q", "%l"
		}
	}
	if s.Wide != 0 && name != "cas" && name != "exch" { // the operation without a result, and a load
		if strings.Contains(order, ".acq") { // a red has no such order
			order = ""
		}
		e.line("red%s%s.%s %s, %s;", order, space, op, at, operand)
		e.line("ld%s.%s %s, %s;", space, map[bool]string{true: "u16", false: "u32"}[result == "%h"], d, at)
		return
	}
	if name == "cas" {
		operand += ", " + other
	}
	e.line("atom%s%s.%s %s, %s, %s;", order, space, op, result, at, operand)
	switch result {
	case "%x", "%b":
		e.line("mov.b32 %s, %s;", d, result)
	case "%h":
		e.line("cvt.u32.u16 %s, %%h;", d)
	case "%z":
		e.line("mov.b64 %%q, %%z;")
		fallthrough
	case "%q":
		e.line("shr.u64 %%q, %%q, 7;")
		e.line("cvt.u32.u64 %s, %%q;", d)
	}
}
