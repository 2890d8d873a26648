package papers

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestUnknown: a word of an earlier release is refused with the present word, if that names
// something.
func TestUnknown(t *testing.T) {
	for _, test := range []struct{ kind, word, known, want string }{
		{"figure", "s4-fig11", "tbc-fig11", `unknown figure "s4-fig11"; its name is "tbc-fig11"`},
		{"figure", "s2-fig3", "herding-fig3", `unknown figure "s2-fig3"; its name is "herding-fig3"`},
		{"figure", "s4-fig99", "tbc-fig11", `unknown figure "s4-fig99"; want one of tbc-fig11`},
		{"claim", "C0-40", "SLP-40", `unknown claim "C0-40"; its name is "SLP-40"`},
		{"claim", "C3", "COST-01", `unknown claim "C3"; its name is "COST"`},
		{"claim", "C40", "TBC-01", `unknown claim "C40"; want one of TBC-01`},
		{"preset", "tbc2011", "tbc", `unknown preset "tbc2011"; its name is "tbc"`},
		{"preset", "ppc16", "ppc", `unknown preset "ppc16"; its name is "ppc"`},
		{"preset", "slp201", "slp2014", `unknown preset "slp201"; did you mean "slp2014"?`},
	} {
		assert.EqualError(t, Unknown(test.kind, test.word, []string{test.known}), test.want)
	}
}

func TestSource(t *testing.T) {
	assert.Equal(t, "Fung & Aamodt, HPCA 2011, section 5: 8 B", Source("tbc: section 5: 8 B"))
	assert.Equal(t, "Sartori & Kumar, 2012, figure 9", Source("herding: figure 9"))
	assert.Equal(t, "cost of a wire", Source("cost of a wire"))
	assert.Equal(t, "a manual: page 3", Source("a manual: page 3"))
	assert.Equal(t, "Bialas & Strzelecki, Benchmarking the cost of thread divergence in CUDA, 2015", Cost.String())
}
