package report_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu/area"
	"divergo/internal/sample"
	"divergo/sweep/report"
)

// small is two mechanisms by two widths, on two kernels with two seeds. Times are by mechanism,
// width, kernel and seed.
func small() *report.Study {
	s := &report.Study{
		Name: "plan.toml",
		Axes: []report.Axis{
			{Name: "mechanism", Values: []string{"pdom", "tbc"}},
			{Name: "sm.simd_width", Values: []string{"8", "16"}},
			{Name: "kernel", Kind: report.Work, Values: []string{"bfs", "bitonic"}},
			{Name: "seed", Kind: report.Seed, Values: []string{"1", "2"}},
		},
		Fixed: []string{"preset=tbc"},
		Idle:  []report.Idle{{Axis: "sm.threads", Why: "registers limit the CTAs"}},
	}
	times := [2][2][2][2]float64{
		{{{8, 16}, {100, 200}}, {{4, 8}, {50, 100}}}, // pdom: width 16 halves all times
		{{{4, 4}, {100, 200}}, {{2, 2}, {100, 200}}}, // tbc: bfs gains 2 and 4, bitonic nothing
	}
	areas := [2][2]float64{{10, 20}, {12, 25}}
	for i := range 16 {
		m, w, k, seed := i/8, i/4%2, i/2%2, i%2
		s.Points = append(s.Points, report.Point{
			At: []int{m, w, k, seed}, Outcome: "finished", Time: times[m][w][k][seed],
			Area:    area.Range{Low: areas[m][w] / 2, Mid: areas[m][w], High: areas[m][w] * 2},
			Command: fmt.Sprintf("divergo run %s --mech %s --set sm.simd_width=%s --seed %d", s.Axes[2].Values[k], s.Axes[0].Values[m], s.Axes[1].Values[w], seed+1),
		})
	}
	return s
}

// TestNew compares with means that were computed by hand.
func TestNew(t *testing.T) {
	r, err := report.New(small(), report.Options{Budget: 24})
	require.NoError(t, err)
	assert.Equal(t, []string{"bfs", "bitonic"}, r.Kernels)
	assert.Equal(t, "mechanism=pdom sm.simd_width=8", r.Settings(r.Baseline))
	var speeds []float64
	for _, c := range r.Machines {
		speeds = append(speeds, c.Speed.Mid)
	}
	// of seeds 1 and 2, on bfs and bitonic: 2, 4, 1, 1 and 4, 8, 1, 1
	assert.InDeltaSlice(t, []float64{1, 2, math.Pow(8, .25), math.Pow(32, .25)}, speeds, 1e-12)
	assert.Equal(t, []int{0, 2, 1, 3}, r.Front)
	assert.Equal(t, []int{1, 2, 0}, r.Best, "25 mm² are beyond the budget")

	assert.Equal(t, 4, r.Common(true))
	r.Machines[0].Area.Low = 20 // above that of the others
	assert.Equal(t, 3, r.Common(false))
	r.Machines[1].Area.High, r.Machines[2].Area.High = 60, 70 // above that of the last
	assert.Equal(t, 2, r.Common(true))

	c := r.Machines[2]
	assert.InDelta(t, math.Sqrt(8), c.ByKernel[0].Mid, 1e-12)
	assert.Equal(t, 1.0, c.ByKernel[1].Mid)
	assert.False(t, c.ByKernel[1].Wide())
	// means of seeds are √2 and 2, so the logarithms have the standard error ln(2)/4
	half := 12.7062 * math.Ln2 / 4
	assert.InDelta(t, math.Pow(8, .25)*math.Exp(-half), c.Speed.Low, 1e-3)
	assert.InDelta(t, math.Pow(8, .25)*math.Exp(half), c.Speed.High, 1e-2)
	assert.Equal(t, "divergo run bitonic --mech tbc --set sm.simd_width=8 --seed 1", c.Commands[1])

	// pairs of observations differ by seed in bfs under tbc only
	assert.True(t, r.Balanced)
	require.Len(t, r.Factors, 3)
	l := r.Factors[1].Levels[1]
	assert.Equal(t, "16", l.Name)
	assert.InDelta(t, math.Pow(2*2*2*2*4*8, 1./8), l.Speed, 1e-12)
	assert.Equal(t, 8, l.N)
	sum := r.Higher + r.Within
	for _, e := range r.Effects {
		sum += e.Share
	}
	assert.InDelta(t, 1, sum, 1e-9)

	for mean, want := range map[sample.Mean]float64{sample.Harmonic: 4 / (1./2 + 1./4 + 1 + 1), sample.Arithmetic: 2} {
		r, err := report.New(small(), report.Options{Mean: mean})
		require.NoError(t, err)
		assert.InDelta(t, want, r.Machines[2].Speed.Mid, 1e-12, mean)
	}
	r, err = report.New(small(), report.Options{Baseline: []string{"sm.simd_width=16"}})
	require.NoError(t, err)
	assert.InDelta(t, .5, r.Machines[0].Speed.Mid, 1e-12)
	assert.Equal(t, 1, r.Baseline)
}

// TestBaseline: words that are not of the plan, and a machine without a result.
func TestBaseline(t *testing.T) {
	s := small()
	for i := range s.Points[:4] {
		s.Points[i].Outcome = "deadlock"
	}
	for given, want := range map[string]string{
		"mechanism":                      `want AXIS=VALUE`,
		"mech=pdom":                      `unknown axis "mech"`,
		"kernel=bfs":                     `unknown axis "kernel"`,
		"mechanism=pdim":                 `"pdom"`,
		"sm.simd_width=8,mechanism=pdom": `mechanism=pdom sm.simd_width=8 on bfs: deadlock`,
	} {
		_, err := report.New(s, report.Options{Baseline: strings.Split(given, ",")})
		assert.ErrorContains(t, err, want, given)
	}
	r, err := report.New(s, report.Options{})
	require.NoError(t, err)
	assert.Equal(t, "mechanism=pdom sm.simd_width=16", r.Settings(r.Baseline), "the first that has results")
	assert.Equal(t, []report.LeftOut{{Outcome: "deadlock", Kernel: "bfs", Machines: 1, First: "mechanism=pdom sm.simd_width=8"}}, r.LeftOut)
	assert.False(t, r.Balanced)

	for i := range s.Points {
		s.Points[i].Outcome = ""
	}
	_, err = report.New(s, report.Options{})
	assert.ErrorContains(t, err, "no result of this build of divergo; run the sweep first")
}

// TestTogether: axes of a zip are one factor.
func TestTogether(t *testing.T) {
	s := small()
	s.Axes = append(s.Axes, report.Axis{Name: "sm.warps", Values: []string{"24", "48"}})
	for i := range s.Points {
		s.Points[i].At = append(s.Points[i].At, s.Points[i].At[1])
	}
	r, err := report.New(s, report.Options{})
	require.NoError(t, err)
	require.Len(t, r.Factors, 3)
	assert.Equal(t, "sm.simd_width & sm.warps", r.Factors[1].Name)
	assert.Equal(t, "8 / 24", r.Factors[1].Levels[0].Name)
}

// TestText: the tables for a terminal have the winner, the front and what was left out.
func TestText(t *testing.T) {
	s := small()
	s.Points[15].Outcome = "fault"
	r, err := report.New(s, report.Options{Budget: 24})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, r.WriteText(&b))
	text := b.String()
	for _, want := range []string{
		"16 points (15 finished): 3 machines on 2 kernels for 2 seeds",
		"geometric mean over kernels, relative to mechanism=pdom sm.simd_width=8",
		"the fastest within 24 mm²",
		"sm.threads changed nothing: registers limit the CTAs",
		"mechanism=tbc sm.simd_width=16",
	} {
		assert.Contains(t, text, want)
	}
	_, after, _ := strings.Cut(text, "the fastest")
	assert.Regexp(t, `(?s)^[^\n]*\narea[^\n]*\n\s*20.00  2.000`, after)
}

// TestLaTeX: the table has the best machines, the baseline, and no character that LaTeX would read.
func TestLaTeX(t *testing.T) {
	r, err := report.New(small(), report.Options{Budget: 24})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, r.WriteLaTeX(&b))
	half := 12.7062 * math.Ln2 / 4
	low, high := math.Pow(8, .25)*math.Exp(-half), math.Pow(8, .25)*math.Exp(half)
	assert.Equal(t, fmt.Sprintf(`%% plan.toml: 16 points: 4 machines on 2 kernels for 2 seeds
%% Speed is the geometric mean over kernels, relative to mechanism=pdom sm.simd_width=8, with the 95 %% confidence interval of Student's t over 2 seeds.
%% the fastest within 24 mm²; \usepackage{booktabs}
\begin{tabular}{llrrr}
\toprule
mechanism & sm.simd\_width & area (mm$^2$) & speed & 95\,\%% interval \\
\midrule
pdom & 16 & 20.00 & 2.000 & - \\
tbc & 8 & 12.00 & 1.682 & %.3f--%.3f \\
pdom & 8 & 10.00 & 1.000 & - \\
\midrule
pdom & 8 & 10.00 & 1.000 & - \\
\bottomrule
\end{tabular}
`, low, high), b.String())
}

// large is a study of so many machines on four kernels, for one seed or more, with random times.
func large(machines, seeds int) *report.Study {
	random := rand.New(rand.NewPCG(3, 4))
	s := &report.Study{Name: "large.toml", Axes: []report.Axis{
		{Name: "mechanism", Values: []string{"pdom", "token", "barrier", "ppc", "tbc", "dwf", "dpe", "dpe-stack", "capri", "ideal"}},
		{Name: "sm.simd_width", Values: []string{"8", "16", "32"}},
		{Name: "l1.size", Values: nil},
		{Name: "kernel", Kind: report.Work, Values: []string{"bfs medium", "bitonic medium", "mandelbrot medium", "sortnet small"}},
		{Name: "seed", Kind: report.Seed, Values: []string{"1", "2", "3", "4"}[:seeds]},
	}}
	for i := range (machines + 29) / 30 {
		s.Axes[2].Values = append(s.Axes[2].Values, fmt.Sprint(1024*(i+1)))
	}
	for m := range machines {
		size := 10 + .7*float64(m%10) + 4*float64(m/10%3) + 20*math.Sqrt(float64(m)/float64(machines))
		for k := range 4 {
			for seed := range seeds {
				speed := (1 + .08*float64(m%10)*float64(k)/3) * (1 + .4*float64(m/10%3)) * (1 + .2*random.Float64())
				s.Points = append(s.Points, report.Point{
					At: []int{m % 10, m / 10 % 3, m / 30, k, seed}, Outcome: "finished", Time: float64(100*(k+1)) / speed,
					Area: area.Range{Low: .7 * size, Mid: size, High: 1.5 * size}, Command: fmt.Sprint("divergo run ", m, " ", k),
				})
			}
		}
	}
	return s
}

// TestBytes: the same study gives the same page. Text of the plan is escaped.
func TestBytes(t *testing.T) {
	s := small()
	s.Name, s.Axes[0].Values[1] = "</script><b>.toml", "</script><i>"
	pages := [2]string{}
	for i := range pages {
		r, err := report.New(s, report.Options{Budget: 24})
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, r.WritePage(&b))
		pages[i] = b.String()
	}
	assert.Equal(t, pages[0], pages[1])
	assert.NotContains(t, pages[0], "<b>.toml")
	assert.NotContains(t, pages[0], "<i>")
	assert.Equal(t, 2, strings.Count(pages[0], "</script>"))
}
