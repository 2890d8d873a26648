package golden_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file checks video instructions by the programs of the manual (PTX ISA 9.0, "Video
// Instructions"), with random selectors.

var (
	scalarSelectors = map[string][2]int{
		"": {0, 32}, ".b0": {0, 8}, ".b1": {8, 8}, ".b2": {16, 8}, ".b3": {24, 8},
		".h0": {0, 16}, ".h1": {16, 16},
	}
	selectorNames = []string{"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"}
	kinds         = []string{"u32", "s32"}
)

func clampBits(signed bool, n int, v int64) int64 {
	if signed {
		return min(max(v, -1<<(n-1)), 1<<(n-1)-1)
	}
	return min(max(v, 0), 1<<n-1)
}

func partSelect(x uint64, t, sel string) int64 {
	s := scalarSelectors[sel]
	return num(fmt.Sprintf("%c%d", t[0], s[1]), x>>s[0]).Int64()
}

// primary is the switch in the middle of the manual's programs.
func primary(name string, a, b int64, wrapped bool) int64 {
	n := min(b, 32)
	if wrapped {
		n = b & 31
	}
	switch name {
	case "vadd":
		return a + b
	case "vsub":
		return a - b
	case "vabsdiff":
		if a < b {
			return b - a
		}
		return a - b
	case "vmin":
		return min(a, b)
	case "vmax":
		return max(a, b)
	case "vavrg":
		if a+b >= 0 {
			return (a + b + 1) >> 1
		}
		return (a + b) >> 1
	case "vshl":
		v := new(big.Int).Lsh(big.NewInt(a), uint(n))
		if !v.IsInt64() { // by 32, so that the low 32 bits are 0
			return 1 << 62 * int64(v.Sign())
		}
		return v.Int64()
	case "vshr":
		return a >> n
	case "vset.eq":
		return int64(one(a == b))
	case "vset.ne":
		return int64(one(a != b))
	case "vset.lt":
		return int64(one(a < b))
	case "vset.le":
		return int64(one(a <= b))
	case "vset.gt":
		return int64(one(a > b))
	}
	return int64(one(a >= b))
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// scalarVideo draws a scalar instruction with optional modifiers.
func scalarVideo(r *rand.Rand, name string) opcode {
	dtype, atype, btype := pick(r, kinds), pick(r, kinds), pick(r, kinds)
	base, compare, isSet := strings.Cut(name, ".")
	shift := base == "vshl" || base == "vshr"
	if shift {
		btype = "u32"
	}
	mode := pick(r, []string{"clamp", "wrap"})
	sat := r.IntN(2) == 0 && !isSet
	asel, bsel, dsel, op2 := pick(r, selectorNames), pick(r, selectorNames), "", ""
	switch r.IntN(3) {
	case 0:
		dsel = pick(r, selectorNames)
	case 1:
		op2 = pick(r, []string{".add", ".min", ".max"})
	}
	text := base + "." + dtype + "." + atype + "." + btype
	if isSet {
		text, dtype = base+"."+atype+"."+btype+"."+compare, "u32"
	}
	if sat {
		text += ".sat"
	}
	if shift {
		text += "." + mode
	}
	o := opcode{text: text + op2, dst: "b32", src: []string{"b32", "b32"}, sel: []string{dsel, asel, bsel, ""}}
	if dsel != "" || op2 != "" {
		o.src = append(o.src, "b32")
	}
	o.eval = func(s []uint64) (uint64, bool) {
		tmp := primary(name, partSelect(s[0], atype, asel), partSelect(s[1], btype, bsel), mode == "wrap")
		at, n := scalarSelectors[dsel][0], scalarSelectors[dsel][1]
		if sat {
			tmp = clampBits(dtype == "s32", n, tmp)
		}
		switch {
		case op2 == "" && dsel == "":
			return uint64(uint32(tmp)), true
		case op2 == "":
			field := uint64(1<<n-1) << at
			return s[2]&^field | uint64(tmp)<<at&field, true
		}
		c := num(dtype, s[2]).Int64()
		switch op2 {
		case ".add":
			tmp += c
		case ".min":
			tmp = min(tmp, c)
		case ".max":
			tmp = max(tmp, c)
		}
		return uint64(uint32(tmp)), true
	}
	return o
}

// simdVideo draws an instruction of n lanes.
func simdVideo(r *rand.Rand, name string, n int) opcode {
	dtype, atype, btype := pick(r, kinds), pick(r, kinds), pick(r, kinds)
	base, compare, isSet := strings.Cut(name, ".")
	unit, width := "h", 32/n
	if n == 4 {
		unit = "b"
	}
	elements := func(first int) (sel string, from []int) { // lane 0 first
		sel = "." + unit
		for i := range n {
			from = append(from, first+i)
		}
		if r.IntN(3) == 0 {
			return "", from
		}
		for i := n - 1; i >= 0; i-- {
			from[i] = r.IntN(2 * n)
			sel += fmt.Sprint(from[i])
		}
		return sel, from
	}
	asel, a := elements(0)
	bsel, b := elements(n)
	mask, dsel := 1<<n-1, ""
	if r.IntN(2) == 0 {
		mask, dsel = 1+r.IntN(1<<n-1), "."+unit
		for i := n - 1; i >= 0; i-- {
			if mask>>i&1 == 1 {
				dsel += fmt.Sprint(i)
			}
		}
	}
	text := fmt.Sprintf("%s%d.%s.%s.%s", base, n, dtype, atype, btype)
	if isSet {
		text, dtype = fmt.Sprintf("%s%d.%s.%s.%s", base, n, atype, btype, compare), "u32"
	}
	accumulate, sat := r.IntN(2) == 0, false
	if accumulate {
		text += ".add"
	} else if sat = r.IntN(2) == 0 && !isSet; sat {
		text += ".sat"
	}
	o := opcode{text: text, dst: "b32", src: of("b32", 3), sel: []string{dsel, asel, bsel, ""}}
	o.eval = func(s []uint64) (uint64, bool) {
		element := func(t string, i int) int64 {
			x := s[0]
			if i >= n {
				x, i = s[1], i-n
			}
			return num(fmt.Sprintf("%c%d", t[0], width), x>>(width*i)).Int64()
		}
		sum, merged := int64(s[2]), s[2]
		for i := range n {
			if mask>>i&1 == 0 {
				continue
			}
			t := primary(name, element(atype, a[i]), element(btype, b[i]), false)
			if sat {
				t = clampBits(dtype == "s32", width, t)
			}
			sum += t
			ones := uint64(1<<width-1) << (width * i)
			merged = merged&^ones | uint64(t)<<(width*i)&ones
		}
		if accumulate {
			return uint64(uint32(sum)), true
		}
		return merged, true
	}
	return o
}

// multiplyAdd draws a vmad.
func multiplyAdd(r *rand.Rand) opcode {
	atype, btype := pick(r, kinds), pick(r, kinds)
	asel, bsel := pick(r, selectorNames), pick(r, selectorNames)
	po, sat := r.IntN(4) == 0, r.IntN(2) == 0
	scale := pick(r, []string{"", ".shr7", ".shr15"})
	signs := []string{"", "", "", ""}
	negProduct, negC := false, false
	if !po {
		switch r.IntN(4) {
		case 0:
			signs[1], negProduct = "-", true
		case 1:
			signs[2], negProduct = "-", true
		case 2:
			signs[3], negC = "-", true
		}
	}
	final := "u32"
	if atype == "s32" || btype == "s32" || negProduct || negC {
		final = "s32"
	}
	text := "vmad." + final + "." + atype + "." + btype
	if po {
		text += ".po"
	}
	if sat {
		text += ".sat"
	}
	o := opcode{text: text + scale, dst: "b32", src: of("b32", 3), sel: []string{"", asel, bsel, ""}, neg: signs}
	o.eval = func(s []uint64) (uint64, bool) {
		tmp := mul(big.NewInt(partSelect(s[0], atype, asel)), big.NewInt(partSelect(s[1], btype, bsel)))
		c, extra := s[2], int64(0)
		switch {
		case po:
			extra = 1
		case negProduct:
			tmp.Not(tmp)
			extra = 1
		case negC:
			c, extra = ^c&0xFFFF_FFFF, 1
		}
		tmp = add(add(tmp, num(final, c)), big.NewInt(extra))
		switch scale {
		case ".shr7":
			tmp.Rsh(tmp, 7)
		case ".shr15":
			tmp.Rsh(tmp, 15)
		}
		if sat {
			tmp = clampTo(final, tmp)
		}
		return wrap("b32", tmp), true
	}
	return o
}

func TestVideoByTheManual(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	var list []opcode
	sets := []string{"vset.eq", "vset.ne", "vset.lt", "vset.le", "vset.gt", "vset.ge"}
	for range 12 {
		for _, name := range append([]string{
			"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", pick(r, sets),
			pick(r, sets),
		}, sets...) {
			list = append(list, scalarVideo(r, name))
		}
		for _, name := range []string{
			"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg", pick(r, sets),
			pick(r, sets),
		} {
			list = append(list, simdVideo(r, name, 2), simdVideo(r, name, 4))
		}
		list = append(list, multiplyAdd(r), multiplyAdd(r), multiplyAdd(r))
	}
	require.Greater(t, len(list), 300)
	for i := range list {
		try(t, &list[i])
	}
}
