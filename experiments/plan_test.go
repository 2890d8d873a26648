package experiments

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlan: under the plan an SM holds the CTAs of table 1 (Fung & Aamodt, HPCA 2011), also where a
// thread of ours needs more registers than theirs. The largest launch has two waves of them.
func TestPlan(t *testing.T) {
	for kernel, ctas := range map[string]int{
		"facedetect": 5, "mummer": 4, "persistent": 3, "hotspot": 2, "aes": 2, "store": 1, "coulomb": 8,
		"bfs": 4, // table 1 has 2 of 512 threads, ours have 256
	} {
		if testing.Short() && (kernel == "mummer" || kernel == "persistent" || kernel == "bfs") {
			continue // large inputs
		}
		p, err := paperPDOM.planned(kernel)
		require.NoError(t, err)
		assert.Equal(t, ctas, p.ctas, kernel)
		assert.GreaterOrEqual(t, p.waves, 2., kernel)
	}
	p, err := paperPDOM.planned("hotspot")
	require.NoError(t, err)
	assert.Equal(t, "medium", p.size.Name, "the least size with two waves: 30 CTAs, of which three SMs hold 6")
}

// TestFullMachine: a run by the plan is on 3 SMs with a channel and the caches of table 2, and the CTAs of
// table 1.
func TestFullMachine(t *testing.T) {
	s := paperPDOM
	s.seed = 1
	p, err := s.planned("facedetect")
	require.NoError(t, err)
	c, err := s.filled(p).config()
	require.NoError(t, err)
	assert.Equal(t, []int{3, 1, 3}, []int{c.GPU.SMs, c.DRAM.Channels, c.Icnt.Concentration})
	assert.Equal(t, []int{8 << 10, 32 << 10}, []int{c.Const.Size, c.Texture.Size})
	assert.Equal(t, 5, c.SM.CTAs)
	quick, err := paperPDOM.config()
	require.NoError(t, err)
	assert.Equal(t, []int{2, 8}, []int{quick.GPU.SMs, quick.DRAM.Channels})
}

// TestVerdict: a match is within a quarter of the effect, an order has its sign and a twentieth of it.
func TestVerdict(t *testing.T) {
	for _, test := range []struct {
		number *Number
		ours   float64
		want   Verdict
	}{
		{speedOf(1.22, nil), 1.17, Match},
		{speedOf(1.22, nil), 1.16, Order},
		{speedOf(1.22, nil), 1.28, Order},
		{speedOf(1.22, nil), 1.005, Differs},
		{speedOf(1.22, nil), .9, Differs},
		{speedOf(1, nil), 1.019, Match},
		{speedOf(1, nil), 1.03, Differs},
		{speedOf(1.02, nil), 1, Differs},
		{speedOf(.96, nil), .95, Match},
		{gainOf(30, nil), 23, Match},
		{gainOf(30, nil), 5, Order},
		{gainOf(30, nil), 1, Differs},
		{rateOf(71.5, nil), 66.6, Match},
		{rateOf(71.5, nil), 64.7, Order},
		{rateOf(3.2, nil), 0, Differs},
		{speedOf(math.NaN(), nil), 1.01, Order},
		{speedOf(math.NaN(), nil), 1.009, Differs},
	} {
		assert.Equal(t, test.want, test.number.Verdict(test.ours), "theirs %v, ours %v", test.number.Theirs, test.ours)
	}
}

// TestBy: several inputs have their mean, the least and the largest value.
func TestBy(t *testing.T) {
	n := speedOf(1.1, func(seed uint64) (float64, string, error) { return float64(1 + seed*seed), "", nil })
	m, err := n.By(Full)
	require.NoError(t, err)
	assert.Equal(t, Measured{Mean: 17. / 3, Least: 2, Most: 10, Inputs: 3}, round3(m))
	m, err = n.By(Quick)
	require.NoError(t, err)
	assert.Equal(t, Measured{Mean: 1, Least: 1, Most: 1, Inputs: 1}, m)
}

func round3(m Measured) Measured {
	if math.Abs(m.Mean-17./3) < 1e-9 {
		m.Mean = 17. / 3
	}
	return m
}
