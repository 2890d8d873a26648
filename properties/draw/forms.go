package draw

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"divergo/ptx"
)

// tableForms are the computing instructions, in each form of the instruction table.
var tableForms = sync.OnceValue(ptx.Forms)

// computing lists their opcodes, in order, and the indices of the forms of each.
var computing = sync.OnceValues(func() (names []string, byName map[string][]int) {
	byName = map[string][]int{}
	for i, text := range tableForms() {
		name := Mnemonic(text)
		if byName[name] == nil {
			names = append(names, name)
		}
		byName[name] = append(byName[name], i)
	}
	return names, byName
})

// typed lists the forms of each opcode with each list of operand types, in order.
var typed = sync.OnceValue(func() (list [][]int) {
	at := map[string]int{}
	for i, text := range tableForms() {
		key := Mnemonic(text)
		for _, reg := range formRegister.FindAllStringSubmatch(text, -1) {
			key += " " + reg[1]
		}
		n, known := at[key]
		if !known {
			n = len(list)
			at[key], list = n, append(list, nil)
		}
		list[n] = append(list[n], i)
	}
	return list
})

// worded lists the forms that have each word behind the opcode, in order of the words.
var worded = sync.OnceValue(func() (list [][]int) {
	byWord := map[string][]int{}
	for i, text := range tableForms() {
		words, _, _ := strings.Cut(text[strings.Index(text, Mnemonic(text)):], " ")
		words = strings.TrimSuffix(words, ";")
		for _, word := range strings.Split(words, ".")[1:] {
			if list := byWord[word]; len(list) == 0 || list[len(list)-1] != i {
				byWord[word] = append(list, i)
			}
		}
	}
	for _, word := range slices.Sorted(maps.Keys(byWord)) {
		list = append(list, byWord[word])
	}
	return list
})

// holder is a register type of forms: its declaration and its bits.
type holder struct {
	declared string
	bits     int
}

var holders = map[string]holder{
	"u8_": {"u8", 8}, "s8_": {"s8", 8},
	"b16_": {"b16", 16}, "u16_": {"u16", 16}, "s16_": {"s16", 16}, "f16_": {"f16", 16}, "bf16_": {
		"b16",
		16,
	}, "e4m3x2_": {"b16", 16}, "e5m2x2_": {"b16", 16},
	"b32_": {"b32", 32}, "u32_": {"u32", 32}, "s32_": {"s32", 32}, "f32_": {"f32", 32}, "f16x2_": {
		"f16x2",
		32,
	}, "bf16x2_": {"b32", 32}, "tf32_": {"b32", 32},
	"b64_": {"b64", 64}, "u64_": {"u64", 64}, "s64_": {"s64", 64}, "f64_": {"f64", 64}, "f32x2_": {"b64", 64},
	"p": {"pred", 1},
}

var formRegister = regexp.MustCompile(`%([a-z]+[a-z0-9]*_|p)([0-9])`)

// FormRegister is a register of a form.
type FormRegister struct {
	Name     string
	Declared string // its type in PTX
	Bits     int
	Result   bool                 // the form sets it
	Specials [SpecialCount]uint64 // values at the edges of its type
}

// Format is the format of the register's values, such as u32, bf16x2 or p for a predicate. PTX has no types for some.
func (r *FormRegister) Format() string {
	name, _, _ := strings.Cut(r.Name[1:len(r.Name)-1], "_")
	return name
}

// FormRegisters returns the registers of a form (ptx.Forms), in order.
func FormRegisters(form string) (list []FormRegister) {
	for i, reg := range formRegister.FindAllStringSubmatch(form, -1) {
		h := holders[reg[1]]
		list = append(list, FormRegister{
			Name: reg[0], Declared: h.declared, Bits: h.bits, Result: i == 0 || strings.Contains(form, "|"+reg[0]),
			Specials: specialValues[classes[reg[1]]],
		})
	}
	return list
}

// form writes a form. Its sources take the bits of the kernel's registers, and its result is moved
// back into one of them.
func (e *emitter) form(s *Stmt) {
	text := tableForms()[s.N%len(tableForms())]
	d := e.r(s.D)
	values := []string{d, e.r(s.A), e.r(s.B), d, e.r(s.A)}
	bits := func(reg []string) int {
		e.forms[reg[1]] = true
		return holders[reg[1]].bits
	}
	regs := formRegister.FindAllStringSubmatch(text, -1)
	for i, reg := range regs {
		if i == 0 || strings.Contains(text, "|"+reg[0]) {
			bits(reg)
			continue
		}
		from, and := values[i%len(values)], values[(i+1)%len(values)]
		if s.isSpecial(i) {
			of := classes[reg[1]]
			if of == classInteger && bits(reg) == 32 && s.literal(i) && i > 1 {
				first, _ := s.specials(i, of)
				text = strings.Replace(text, reg[0], fmt.Sprint(uint32(first)), 1)
				continue
			}
			from, and = e.special(s, i, of, "%sp1", "%sp2")
		}
		switch bits(reg) {
		case 1:
			e.line("setp.lt.s32 %s, %s, %s;", reg[0], from, and)
		case 8:
			e.line("cvt.u8.u32 %s, %s;", reg[0], from)
		case 16:
			e.line("cvt.u16.u32 %%h, %s;", from)
			e.line("mov.b16 %s, %%h;", reg[0])
		case 32:
			e.line("mov.b32 %s, %s;", reg[0], from)
		default:
			e.line("mov.b64 %s, {%s, %s};", reg[0], from, and)
		}
	}
	e.line("%s", text)
	switch out := regs[0][0]; bits(regs[0]) {
	case 1:
		e.line("selp.u32 %s, %s, %s, %s;", d, e.r(s.A), e.r(s.B), out)
	case 8:
		e.line("cvt.u32.u8 %s, %s;", d, out)
	case 16:
		e.line("mov.b16 %%h, %s;", out)
		e.line("cvt.u32.u16 %s, %%h;", d)
	case 32:
		e.line("mov.b32 %s, %s;", d, out)
	default:
		e.line("mov.b64 {%%v, %%w}, %s;", out)
		e.line("xor.b32 %s, %%v, %%w;", d)
	}
}

// declareForms declares the registers of forms.
func (e *emitter) declareForms(say printer) {
	for _, name := range slices.Sorted(maps.Keys(e.forms)) {
		say(".reg .%s %%%s<9>;", holders[name].declared, name)
	}
}
