package ptx

import (
	"fmt"
	"slices"
	"strings"

	"divergo/isa"
)

// Forms lists instructions that together cover each type and each modifier of each computing row of
// the table. Sources and destinations are registers, and each thread computes by itself. A
// register's name is its type and the place of its operand; a predicate's name has only the place.
// Examples are add.sat.s32 %s32_0, %s32_1, %s32_2 and setp.lt.f32 %p0, %f32_1, %f32_2.
func Forms() (texts []string) {
	for _, f := range table {
		if f.computes() {
			texts = append(texts, f.instances()...)
		}
	}
	return texts
}

// computes reports whether instructions of the row have registers as operands and a result that is
// independent of other threads.
func (f *family) computes() bool {
	in := isa.Inst{Op: f.op}
	return len(f.args) > 1 && f.args[0].role != src && !in.Control() && !in.CrossLane() && !in.Memory() &&
		!slices.ContainsFunc(f.args, func(a arg) bool {
			return a.role == dstVec || a.role == srcVec || a.role == symbolic || a.role == memory || a.role == target
		})
}

// instances are instructions that use the row. For each combination of types every word of every
// group occurs once; the other groups then have their first word, if they require one.
func (f *family) instances() (texts []string) {
	combos := [][]isa.Type{nil}
	for _, set := range f.types {
		var next [][]isa.Type
		for _, c := range combos {
			for t := range isa.Type(len(typeWords)) {
				if set.has(t) {
					next = append(next, append(c[:len(c):len(c)], t))
				}
			}
		}
		combos = next
	}
	for _, types := range combos {
		texts = append(texts, f.instance(types, -1, nil))
		for g := range f.groups {
			for i := range f.groups[g].words {
				texts = append(texts, f.instance(types, g, &f.groups[g].words[i]))
			}
		}
	}
	return texts
}

// instance is an instruction of the given types, with a word of the chosen group if there is one.
func (f *family) instance(types []isa.Type, chosen int, m *modifier) string {
	op := []string{f.name}
	has := map[string]bool{}
	for g := range f.groups {
		switch {
		case g == chosen:
			op = append(op, m.word)
			has[m.word] = true
		case f.groups[g].need:
			op = append(op, f.groups[g].words[0].word)
			has[f.groups[g].words[0].word] = true
		}
	}
	switch {
	case has["relaxed"] && f.name != "atom" && f.name != "red", has["acquire"] && f.name == "ld", has["release"] &&
		f.name == "st":
		op = append(op, "gpu")
	case has["nc"]:
		op = append(op, "global")
	case has["sat"] && (f.name == "mad" || f.name == "mad24") && !types[0].Float():
		op[1] = "hi"
	}
	for _, t := range types {
		op = append(op, typeName(t))
	}
	var operands []string
	for i, a := range f.args {
		operands = append(operands, f.sample(a, i, types, has))
	}
	if len(operands) > 0 && operands[len(operands)-1] == "" {
		operands = operands[:len(operands)-1]
	}
	guard := ""
	if f.op == isa.OpBra && has["hrd"] {
		guard = "@%p0 " // herding requires a condition
	}
	return guard + strings.Join(op, ".") + " " + strings.Join(operands, ", ") + ";"
}

// sample is an operand: register number i of the type that the row requires.
func (f *family) sample(a arg, i int, types []isa.Type, has map[string]bool) string {
	t := isa.U64
	switch a.of {
	case same:
		if len(types) > 0 {
			t = types[0]
		}
	case second:
		t = types[1]
	case doubled:
		t = types[0]
		if has["wide"] {
			t = twice[t]
		}
	case word32:
		t = isa.U32
	case onePred:
		t = isa.Pred
	}
	reg := fmt.Sprintf("%%%s_%d", typeName(t), i)
	if t == isa.Pred {
		reg = fmt.Sprintf("%%p%d", i)
	}
	switch {
	case a.name == "table":
		return "0x96"
	case (f.op == isa.OpLop3 || f.op == isa.OpElect) && a.role == dstPred:
		return reg + "|%p8"
	}
	switch a.role {
	case memory:
		return "[%u64_8+4]"
	case target:
		return "there"
	case dstVec, srcVec:
		if has["v2"] {
			return "{" + reg + "," + reg + "}"
		}
		if has["v4"] {
			return "{" + reg + "," + reg + "," + reg + "," + reg + "}"
		}
	case srcPred:
		if a.opt && !has["and"] && !has["or"] && !has["xor"] {
			return ""
		}
	}
	return reg
}
