package docs

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/cmd/divergo/cli"
	"divergo/waves/vcdread"
)

// TestWarp: the picture of the README shows warp 6 of bitonic under pdom. It begins at the first
// divergent branch and ends at the barrier behind it.
func TestWarp(t *testing.T) {
	const file = "img/warp.svg"
	svg := drawWarp(warpSpans(t))
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(svg), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(got), svg, "%s: run go test ./docs -run Warp -update", file)
}

// span is a time in which PC, mask and stack depth of a warp stay the same.
type span struct {
	from, to, pc, mask, depth uint64
}

const (
	firstCycle, lastCycle = 1160, 1710
	left, right           = 92.0, 872.0
)

func warpSpans(t *testing.T) (spans []span) {
	name := filepath.Join(t.TempDir(), "bitonic.vcd")
	var errs strings.Builder
	require.Zero(t, cli.Run([]string{"run", "bitonic", "--vcd", name, "--vcd-filter", "sm[0].Div"}, io.Discard, &errs),
		&errs)
	vcd, err := os.Open(name)
	require.NoError(t, err)
	defer vcd.Close()
	dump, err := vcdread.ReadAll(vcd)
	require.NoError(t, err)
	for c := uint64(firstCycle); c < lastCycle; c++ {
		value := func(signal string) uint64 {
			v, err := dump.Value("sm_00.Div."+signal, c*1_000_000_000/1300+1000)
			require.NoError(t, err)
			return v
		}
		now := span{
			from: c, to: c + 1, pc: value("Table_06.PC"), mask: value("Table_06.Mask"),
			depth: value("Stack.Depth_06"),
		}
		if n := len(spans); n > 0 && spans[n-1].pc == now.pc && spans[n-1].mask == now.mask &&
			spans[n-1].depth == now.depth {
			spans[n-1].to++
		} else {
			spans = append(spans, now)
		}
	}
	return spans
}

// arms holds the colour and label of the kernel's paths, by the PC of their first instruction.
var arms = map[uint64][2]string{
	31: {"#4c78a8", "32 lanes"},
	32: {"#72b7b2", "16: if (partner > tid)"},
	42: {"#e45756", "8: else"},
	44: {"#f2a19b", "4: swap"},
	37: {"#54a24b", "8: then"},
	39: {"#a3d39c", "4: swap"},
	46: {"#4c78a8", "32: join"},
}

func drawWarp(spans []span) string {
	const (
		lanes, lane     = 58.0, 7.0
		pcs             = lanes + 32*lane + 20
		masks, depths   = pcs + 34, pcs + 68
		height, busHigh = depths + 62, 22.0
	)
	at := func(cycle uint64) float64 {
		return left + (right-left)*float64(cycle-firstCycle)/(lastCycle-firstCycle)
	}
	var b strings.Builder
	text := func(x, y float64, attributes, format string, a ...any) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f"%s>`, x, y, attributes)
		fmt.Fprintf(&b, format+"</text>\n", a...)
	}
	const middle, end = ` text-anchor="middle"`, ` text-anchor="end"`
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="888" height="%.0f" viewBox="0 0 888 %.0f" `, height,
		height)
	b.WriteString(`font-family="sans-serif" font-size="13" fill="#222222">` +
		"\n<title>A warp splits and joins</title>\n")
	fmt.Fprintf(&b, `<rect width="888" height="%.0f" fill="#ffffff"/>`+"\n", height)
	bar := func(from, to uint64, l int, color string) {
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n",
			at(from), lanes+float64(l)*lane, at(to)-at(from), lane-1, color)
	}
	for l := range 32 {
		bar(firstCycle, lastCycle, l, "#eeeeee")
		if l%8 == 0 || l == 31 {
			text(left-8, lanes+float64(l)*lane+7, end, "lane %d", l)
		}
	}
	// bus draws one box for each value, like waveform viewers.
	bus := func(y float64, s span, label string) {
		x, w := at(s.from), at(s.to)-at(s.from)
		fmt.Fprintf(&b, `<path d="M%.1f %.1fL%.1f %.1fH%.1fL%.1f %.1fL%.1f %.1fH%.1fZ" fill="none" stroke="#4c78a8"/>`+
			"\n",
			x, y+busHigh/2, x+3, y, x+w-3, x+w, y+busHigh/2, x+w-3, y+busHigh, x+3)
		if float64(len(label))*7 < w-4 {
			text(x+w/2, y+16, middle+` font-family="monospace" font-size="12"`, "%s", label)
		}
	}
	text(left-8, pcs+16, end, "PC")
	text(left-8, masks+16, end, "mask")
	text(left-8, depths+16, end, "stack depth")
	var path, depth span
	var color string
	high := false
	for i, s := range spans {
		p, begins := arms[s.pc]
		if begins {
			color = p[0]
		}
		if begins {
			y := 48.0
			if high = !high; high {
				y = 30
			}
			text(at(s.from)+2, y, "", "%s", p[1])
			fmt.Fprintf(&b, `<path d="M%.1f %.1fV%.1f" stroke="#999999"/>`+"\n", at(s.from), y-10, depths+busHigh)
		}
		bus(pcs, s, fmt.Sprint(s.pc))
		if path.to == 0 || path.mask != s.mask {
			path = s
		}
		if depth.to == 0 || depth.depth != s.depth {
			depth = s
		}
		path.to, depth.to = s.to, s.to
		if i+1 == len(spans) || spans[i+1].mask != s.mask {
			bus(masks, path, fmt.Sprintf("%08X", s.mask))
			for l := range 32 {
				if s.mask>>l&1 == 1 {
					bar(path.from, path.to, l, color)
				}
			}
		}
		if i+1 == len(spans) || spans[i+1].depth != s.depth {
			bus(depths, depth, fmt.Sprint(s.depth))
		}
	}
	for c := uint64(1200); c <= 1700; c += 100 {
		text(at(c), height-14, middle, "%d", c)
		fmt.Fprintf(&b, `<path d="M%.1f %.1fv5" stroke="#222222"/>`+"\n", at(c), height-32)
	}
	text(left-8, height-14, end, "cycle")
	b.WriteString("</svg>\n")
	return b.String()
}
