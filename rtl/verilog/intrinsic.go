package verilog

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// intrinsic is the meaning of functions whose source is not executed: those of package rtl and of
// the standard library.
func (f *frame) intrinsic(fn *ssa.Function, args []value, now *flow) (value, bool) {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return nil, false
	}
	switch obj.Pkg().Path() {
	case "math/bits":
		return f.bitFunction(obj.Name(), args)
	case "encoding/binary":
		return f.littleEndian(obj.Name(), args, now)
	case "divergo/rtl":
		return f.storage(obj.Name(), args, now)
	}
	return nil, false
}

func (f *frame) bitFunction(name string, args []value) (value, bool) {
	w := args[0].(*word)
	switch name {
	case "TrailingZeros", "TrailingZeros64":
		return f.lowest(64, w), true
	case "TrailingZeros32":
		return f.lowest(32, w), true
	case "OnesCount64", "OnesCount32":
		return f.count(w), true
	case "Len", "Len64", "Len32":
		return f.length(w), true
	case "RotateLeft64":
		left := f.cut(args[1].(*word), 6)
		right := f.cut(f.binary("sub", 64, f.constant(64), left), 6)
		return f.binary("or", 64, f.binary("shl", 64, w, left), f.binary("shr", 64, w, right)), true
	}
	return nil, false
}

// littleEndian reads or writes eight bytes of a slice as a number.
func (f *frame) littleEndian(name string, args []value, now *flow) (value, bool) {
	bytes, ok := args[1].(window)
	if !ok {
		return nil, false
	}
	at := func(i int) pointer { return part(bytes.of, step{index: f.constant(uint64(bytes.from + i))}) }
	switch name {
	case "Uint64":
		r := f.constant(0)
		for i := range 8 {
			r = f.binary("or", 64, r, f.binary("shl", 64, f.get(at(i), now).(*word), f.constant(uint64(8*i))))
		}
		return r, true
	case "PutUint64":
		for i := range 8 {
			f.set(at(i), f.cut(f.binary("shr", 64, args[2].(*word), f.constant(uint64(8*i))), 8), now)
		}
		return list{}, true
	}
	return nil, false
}

// storage is a method of a State, Mem or Wire.
func (f *frame) storage(name string, args []value, now *flow) (value, bool) {
	p, ok := args[0].(pointer)
	if !ok {
		return nil, false
	}
	c, ok := f.get(p, now).(cell)
	if !ok {
		if name == "Any" { // observers: the hardware has none
			return f.constant(0), true
		}
		return nil, false
	}
	to := func(o *object) pointer { return pointer{null: f.constant(0), obj: o} }
	at := func(o *object) pointer { return part(to(o), step{index: args[1].(*word)}) }
	if len(args) == 2 && name != "Set" { // of a Mem
		switch name {
		case "At":
			return at(c.now), true
		case "Next", "Edit":
			return at(c.next), true
		}
		return nil, false
	}
	switch name {
	case "Q":
		return to(c.now), true
	case "D":
		return to(c.next), true
	case "Next":
		return to(c.next), true
	case "Regs":
		return list{to(c.now), to(c.next)}, true
	case "Get":
		return f.get(to(c.now), now), true
	case "At":
		return to(c.now), true
	case "Set":
		f.set(to(c.next), args[1], now)
		return list{}, true
	case "Write":
		f.set(at(c.next), args[2], now)
		return list{}, true
	case "Len":
		return f.constant(uint64(f.entries[c.next])), true
	}
	return nil, false
}
