package verify

import (
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCarries compares chains of carries with arithmetic on big integers.
func TestCarries(t *testing.T) {
	p := load(t, "testdata/carries.ptx")
	s := session(t, small())
	l := p.runs[0].launch(t, s, p.module)
	require.NoError(t, s.Launch(l))
	number := func(addr uint64, bytes int) *big.Int {
		data := make([]byte, bytes)
		s.Read(addr, data)
		slices.Reverse(data)
		return new(big.Int).SetBytes(data)
	}
	low := func(n *big.Int, bits uint) *big.Int {
		return n.And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1)))
	}
	out, in := binary.LittleEndian.Uint64(l.Params), binary.LittleEndian.Uint64(l.Params[8:])
	for i := range uint64(80) {
		to, from := out+64*i, in+24*i
		a, b := number(from, 12), number(from+12, 12)
		assert.Equal(t, low(new(big.Int).Add(a, b), 96), number(to, 12), "sum %d", i)
		assert.Equal(t, low(new(big.Int).Sub(a, b), 96), number(to+16, 12), "difference %d", i)
		a, b = number(from, 8), number(from+12, 8)
		product := new(big.Int).Mul(a, b)
		assert.Equal(t, product, number(to+32, 16), "product %d", i)
		sum := new(big.Int).Add(a, b)
		high := new(big.Int).Rsh(product, 64)
		high.Add(high, new(big.Int).Rsh(sum, 64)).Add(high, low(sum, 64))
		assert.Equal(t, low(high, 64), number(to+56, 8), "high word %d", i)
	}
}
