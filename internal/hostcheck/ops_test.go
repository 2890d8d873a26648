package hostcheck

import (
	"fmt"
	"slices"
	"strings"
)

// op is an operation that computes a value of a type.
type op struct {
	form string
	args []string // types
}

var (
	integers = []string{"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"}
	floats   = []string{"f32", "f64"}
	scalars  = slices.Concat(integers, floats)
)

// bitsOf is the size of a scalar.
func bitsOf(t string) int {
	n := 0
	fmt.Sscanf(t[1:], "%d", &n)
	return n
}

func isFloat(t string) bool { return t[0] == 'f' }

func isScalar(t string) bool { return slices.Contains(scalars, t) }

// The groups of operations. A program has some of them.
const (
	arithmetic = iota
	divisions
	shifts
	comparisons
	conversions
	floating
	counting
	wideWords
	instructions
	groups
)

// ops are the operations by group and type of the result; "bool" is the type of a condition.
var ops = func() (list [groups]map[string][]op) {
	for g := range list {
		list[g] = map[string][]op{}
	}
	add := func(group int, result, form string, args ...string) {
		list[group][result] = append(list[group][result], op{form, args})
	}
	for _, t := range integers {
		n := bitsOf(t)
		for _, o := range []string{"+", "-", "*", "&", "|", "^"} {
			add(arithmetic, t, fmt.Sprintf("(%s)($0 %s $1)", t, o), t, t)
		}
		for _, o := range []string{"-", "~"} {
			add(arithmetic, t, fmt.Sprintf("(%s)(%s$0)", t, o), t)
		}
		for _, f := range []string{"least", "most", "distance"} {
			add(arithmetic, t, fmt.Sprintf("%s<%s>($0, $1)", f, t), t, t)
		}
		for _, f := range []string{"quotient", "rest"} {
			add(divisions, t, fmt.Sprintf("%s<%s>($0, $1)", f, t), t, t)
		}
		for _, o := range []string{"<<", ">>"} { // a narrow bit field is an int
			add(shifts, t, fmt.Sprintf("(%s)((%s)$0 %s ($1 & %d))", t, t, o, n-1), t, "u32")
		}
		for _, f := range []string{"plus", "minus"} {
			add(wideWords, t, fmt.Sprintf("%s<%s>($0, $1)", f, t), t, t)
		}
		add(comparisons, t, fmt.Sprintf("(%s)$0", t), "bool")
		for _, from := range integers {
			if from != t {
				add(conversions, t, fmt.Sprintf("(%s)$0", t), from)
			}
		}
		for _, f := range floats {
			add(floating, t, fmt.Sprintf("whole<%s>($0)", t), f)
			add(floating, f, fmt.Sprintf("(%s)$0", f), t)
		}
	}
	for _, t := range scalars {
		for _, o := range []string{"<", "<=", ">", ">=", "==", "!="} {
			add(comparisons, "bool", fmt.Sprintf("($0 %s $1)", o), t, t)
		}
		add(comparisons, t, "($0 ? $1 : $2)", "bool", t, t)
	}
	for _, o := range []string{"&&", "||", "==", "!="} {
		for range 4 {
			add(comparisons, "bool", fmt.Sprintf("($0 %s $1)", o), "bool", "bool")
		}
	}
	add(comparisons, "bool", "(!$0)", "bool")
	for _, t := range floats {
		for _, o := range []string{"+", "-", "*", "/"} {
			add(floating, t, fmt.Sprintf("($0 %s $1)", o), t, t)
		}
		add(floating, t, "(-$0)", t)
		add(floating, t, "fused($0, $1, $2)", t, t, t)
		for _, f := range []string{"root", "magnitude", "down", "up", "toward", "nearest"} {
			add(floating, t, f+"($0)", t)
		}
		add(floating, t, "signed_as($0, $1)", t, t)
	}
	add(floating, "f32", "(f32)$0", "f64")
	add(floating, "f64", "(f64)$0", "f32")
	add(floating, "f32", "single($0)", "u32")
	add(floating, "f64", "real($0)", "u64")
	add(floating, "u32", "bits($0)", "f32")
	add(floating, "u64", "bits($0)", "f64")
	for _, t := range []string{"u32", "u64"} {
		suffix := map[string]string{"u32": "", "u64": "ll"}[t]
		n := bitsOf(t)
		add(counting, "u32", fmt.Sprintf("(u32)__builtin_popcount%s($0)", suffix), t)
		add(counting, "u32", "zeros($0)", t)
		add(counting, "u32", "trailing($0)", t)
		add(counting, t, fmt.Sprintf("(%s)__builtin_bitreverse%d($0)", t, n), t)
		add(counting, t, fmt.Sprintf("(%s)__builtin_bswap%d($0)", t, n), t)
		for _, d := range []string{"left", "right"} {
			add(counting, t, fmt.Sprintf("(%s)__builtin_rotate%s%d($0, $1)", t, d, n), t, t)
		}
	}
	add(counting, "u16", "(u16)__builtin_bswap16($0)", "u16")
	add(counting, "u8", "(u8)__builtin_bitreverse8($0)", "u8")
	add(counting, "u16", "(u16)__builtin_rotateleft16($0, $1)", "u16", "u16")
	for _, t := range []string{"u32", "i32", "u64", "i64"} {
		add(wideWords, t, "high($0, $1)", t, t)
	}
	add(wideWords, "u64", "(u64)((u128($0) * $1 + wide($2, $3)) >> ($4 & 127))", "u64", "u64", "u64", "u64", "u32")
	add(wideWords, "u64", "(u64)((wide($0, $1) - wide($2, $3)) >> 64)", "u64", "u64", "u64", "u64")
	add(wideWords, "i64", "(i64)(i128(wide($0, $1)) >> ($2 & 127))", "u64", "u64", "u32")
	add(wideWords, "u64", "(u64)(wide($0, $1) << ($2 & 127) >> 64)", "u64", "u64", "u32")
	add(wideWords, "bool", "(wide($0, $1) < wide($2, $3))", "u64", "u64", "u64", "u64")
	for _, f := range []string{
		"u32 bfe_u32 u32 u32 u32", "i32 bfe_s32 i32 u32 u32", "u64 bfe_u64 u64 u32 u32", "u32 bfi_b32 u32 u32 u32 u32",
		"u32 bfind_s32 i32", "u32 bfind_u64 u64", "u32 prmt u32 u32 u32", "u32 shf_l_clamp u32 u32 u32",
		"u32 shf_r_clamp u32 u32 u32",
		"u32 shf_l_wrap u32 u32 u32", "u32 shf_r_wrap u32 u32 u32", "u32 shl_far u32 u32", "i32 shr_far i32 u32",
		"u64 shr_far64 u64 u32",
		"i32 mul24 i32 i32", "u32 mad24_hi u32 u32 u32", "i32 mad_hi i32 i32 i32", "i64 mad_wide i32 i32 i64",
		"u32 sad i32 i32 u32",
		"u32 slct u32 u32 i32", "u32 cnot u32", "u32 set_lt i32 i32", "u32 carry u32 u32 u32 u32",
		"u32 borrow u32 u32 u32 u32", "u32 both u32 u32 u32",
	} {
		w := strings.Fields(f)
		var holes []string
		for i := range w[2:] {
			holes = append(holes, fmt.Sprintf("$%d", i))
		}
		add(instructions, w[0], fmt.Sprintf("%s(%s)", w[1], strings.Join(holes, ", ")), w[2:]...)
	}
	return list
}()
