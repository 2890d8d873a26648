package docs

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	verilog "divergo/blocks"
	"divergo/gpu"
	"divergo/gpu/area"
	"divergo/internal/need"
)

// TestAreaComparison: the page compares published areas with those that the model gives.
func TestAreaComparison(t *testing.T) {
	page, err := os.ReadFile("explanation/area.md")
	require.NoError(t, err)
	estimate := func(nm int, preset string, settings ...string) area.Area {
		p, err := gpu.FindPreset(preset)
		require.NoError(t, err)
		cfg := p.Config()
		for _, s := range settings {
			require.NoError(t, cfg.Set(s))
		}
		node, err := area.FindNode(nm)
		require.NoError(t, err)
		a, err := area.Of(&cfg, node)
		require.NoError(t, err)
		return a
	}
	part := func(a area.Area, name string) area.Part {
		for _, p := range a.Parts {
			if p.Name == name {
				return p
			}
		}
		require.Fail(t, name)
		return area.Part{}
	}
	digits := func(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
	bounds := func(r area.Range) string {
		return fmt.Sprintf("%s (%s to %s)", digits(r.Mid), digits(r.Low), digits(r.High))
	}
	row := func(published, ours string, limit, found float64) {
		t.Helper()
		assert.True(t, regexp.MustCompile(`(?m)^\| `+published+`.* \| `+ours+` \|$`).Match(page), "%s: ours is %s", published, ours)
		if limit > 0 {
			assert.Less(t, found, limit, published)
		}
	}
	quote := func(s string) string { return "\\Q" + s + "\\E" }

	gt200, gm107 := estimate(65, "tbc"), estimate(28, "maxwell", "sm.schedulers=4", "sm.dp_width=1", "sm.sfu_width=8")
	ga100 := estimate(7, "ampere")
	row("GT200", quote(bounds(gt200.SM)), 576./30, gt200.SM.High)
	row("GM107", quote(bounds(gm107.SM)), 148./5, gm107.SM.High)
	row("GM200", quote(bounds(gm107.SM)), (601.-398)/8, gm107.SM.High)
	row("GA100", quote(bounds(ga100.SM)), 826./128, ga100.SM.High)

	dwf := estimate(65, "tbc", "divergence.mechanism=dwf")
	row("dynamic warp formation", fmt.Sprintf("%.1f %%", 100*(dwf.Mid/gt200.Mid-1)), 0, 0)

	tbc := estimate(65, "tbc", "divergence.mechanism=tbc")
	var encoders float64
	for _, g := range part(tbc, "divergence mechanism").Gates {
		require.Contains(t, g.Name, "compactor")
		encoders += 30 * g.Count.Mid
	}
	gate, placed := area.Nodes()[0].Gate.Range, figure(t, "placed logic over its cells")
	each := func(gate, placed float64) float64 { return encoders * gate * placed * 1e-6 }
	row("encoders", quote(bounds(area.Range{
		Low: each(gate.Low, placed.Low), Mid: each(gate.Mid, placed.Mid), High: each(gate.High, placed.High),
	})), 1, each(gate.High, placed.High))

	capri := estimate(65, "tbc", "divergence.mechanism=capri")
	row("thread block compaction and its", fmt.Sprintf("%.1f more than stacks", capri.Mid-gt200.Mid), 0, 0)
	alone := 30 * (part(capri, "divergence mechanism").Area.Mid - part(gt200, "divergence mechanism").Area.Mid)
	ours := fmt.Sprintf("The mechanism alone takes %.1f mm2 more", alone)
	assert.True(t, strings.Contains(strings.Join(strings.Fields(string(page)), " "), ours), ours)

	balanced := estimate(65, "slp", "divergence.mechanism=tbc", "sm.lanes=balanced")
	permutation := part(balanced, "lane permutation")
	row("permutation table", fmt.Sprint(permutation.Bits()), 0, 0)
	assert.Equal(t, 160, permutation.Bits())
}

// figure returns a number of the area model.
func figure(t *testing.T, name string) area.Range {
	t.Helper()
	for _, f := range area.Figures() {
		if f.Name == name {
			return f.Range
		}
	}
	require.Fail(t, name)
	return area.Range{}
}

// TestSynthesis: the gates of blocks in the area model are those of a synthesis. With -update all are
// measured again, which takes minutes; without it the small ones.
func TestSynthesis(t *testing.T) {
	need.Tool(t, "yosys", "abc", "osu018")
	process, err := verilog.FindProcess("osu018")
	require.NoError(t, err)
	var text strings.Builder
	measured := 0
	for _, s := range area.Syntheses() {
		if !*update && (testing.Short() || s.Gates > 250) {
			continue
		}
		b, err := verilog.Find(s.Block)
		require.NoError(t, err)
		sizes := verilog.Sizes{}
		for _, x := range b.Sizes {
			sizes[x.Name] = s.Sizes[x.Name]
		}
		a, err := b.Area(sizes, process)
		require.NoError(t, err)
		fmt.Fprintf(&text, "%s %d %d %.0f\n", s.Block, s.Sizes["lanes"], s.Sizes["warps"], a.Gates)
		if measured++; !*update {
			assert.InDelta(t, a.Gates, s.Gates, .5, s.String())
		}
	}
	if *update {
		require.NoError(t, os.WriteFile("../gpu/area/synthesis.txt", []byte(text.String()), 0o644))
	} else if !testing.Short() {
		assert.Greater(t, measured, 5)
	}
}
