package forall

import (
	"math/bits"
	"reflect"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
)

// Struct draws structs of type S from generators of their fields, which must be exported.
func Struct[S any](fields map[string]gopter.Gen) gopter.Gen {
	return gen.StrictStruct(reflect.TypeFor[S](), fields)
}

// List draws slices of at most so many elements. The slices of the first half of the cases are
// shorter.
func List(most int, element gopter.Gen) gopter.Gen {
	return func(p *gopter.GenParameters) *gopter.GenResult {
		// so that a list in a list has its own length
		elements := func(*gopter.GenParameters) *gopter.GenResult { return element(p) }
		result := gen.SliceOf(elements)(p.WithSize(min(most, most*p.MaxSize/50) + 1))
		smaller := result.Shrinker
		result.Shrinker = func(v any) gopter.Shrink { return gopter.ConcatShrinks(none(v), smaller(v)) }
		return result
	}
}

// none is the empty slice, which the shrinker of gopter leaves out.
func none(list any) gopter.Shrink {
	v := reflect.ValueOf(list)
	return func() (any, bool) {
		if v.Len() == 0 {
			return nil, false
		}
		v = v.Slice(0, 0)
		return v.Interface(), true
	}
}

// OneOf draws one of a list of values. Earlier ones are smaller.
func OneOf[V comparable](list ...V) gopter.Gen {
	return func(p *gopter.GenParameters) *gopter.GenResult {
		return gopter.NewGenResult(list[p.Rng.Intn(len(list))], func(v any) gopter.Shrink {
			i := 0
			return func() (any, bool) {
				if list[i] == v {
					return nil, false
				}
				i++
				return list[i-1], true
			}
		})
	}
}

// Bool draws true and false. False is smaller.
func Bool() gopter.Gen { return OneOf(false, true) }

// Mask draws sets of the lowest n bits: empty and full ones, single bits, sparse and dense sets.
// Sets of fewer and lower bits are smaller.
func Mask[M uint32 | uint64](n int) gopter.Gen {
	return func(p *gopter.GenParameters) *gopter.GenResult {
		all := uint64(1)<<n - 1
		m, other, third := p.NextUint64(), p.NextUint64(), p.NextUint64()
		switch p.Rng.Intn(8) {
		case 0:
			m = 0
		case 1:
			m = all
		case 2:
			m = 1 << p.Rng.Intn(n)
		case 3, 4:
			m &= other & third
		case 5:
			m |= other | third
		}
		return gopter.NewGenResult(M(m&all), smallerMask[M])
	}
}

// smallerMask drops all bits, halves of them and single ones, and moves all of them or single ones down.
func smallerMask[M uint32 | uint64](v any) gopter.Shrink {
	m := uint64(v.(M))
	var list []uint64
	if m != 0 {
		list = append(list, 0, m>>bits.TrailingZeros64(m))
	}
	for part := 32; part > 0; part /= 2 {
		for at := 0; at < 64; at += part {
			list = append(list, m&^((1<<part-1)<<at))
		}
	}
	for i := range 63 {
		if m>>i&3 == 2 {
			list = append(list, m^3<<i)
		}
	}
	return func() (any, bool) {
		for len(list) > 0 {
			next := list[0]
			if list = list[1:]; next != m {
				return M(next), true
			}
		}
		return nil, false
	}
}

// Bits is a picture of the lowest n bits of a mask, bit 0 on the left.
func Bits(mask uint64, n int) string {
	row := make([]byte, n)
	for i := range row {
		row[i] = '0' + byte(mask>>i&1)
	}
	return string(row)
}
