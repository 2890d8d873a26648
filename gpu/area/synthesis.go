package area

import (
	_ "embed"
	"fmt"
	"strings"

	"divergo/units"
)

// Synthesis is logic that the model prints as Verilog, made of standard cells: see "divergo area".
// Registers are not part of it.
type Synthesis struct {
	Block string         // its name, as in "divergo area BLOCK"
	Sizes map[string]int // of the block
	Gates float64        // without flip-flops, in gate equivalents: NAND gates of the same library
	// Declares is the logic by which parts declare the block. Some have it several times.
	Declares []units.Logic
}

// String returns block and sizes, as in "path-pair lanes=32".
func (s *Synthesis) String() string {
	text := s.Block
	for _, size := range []string{"lanes", "warps"} {
		if n := s.Sizes[size]; n > 0 {
			text += fmt.Sprintf(" %s=%d", size, n)
		}
	}
	return text
}

// The file has a line for each: block, lanes, warps (0: the block has none) and gates. It is made by
// yosys 0.23 and ABC from cells of osu018: go test ./docs -run Synthesis -update.
//
//go:embed synthesis.txt
var synthesisText string

// Syntheses lists the synthesized blocks.
func Syntheses() []Synthesis { return syntheses }

var syntheses = readSyntheses(synthesisText)

func readSyntheses(text string) (list []Synthesis) {
	for line := range strings.Lines(text) {
		s := Synthesis{Sizes: map[string]int{}}
		var lanes, warps int
		if _, err := fmt.Sscan(line, &s.Block, &lanes, &warps, &s.Gates); err != nil {
			panic(fmt.Sprintf("area: synthesis.txt: %q: %v", line, err))
		}
		s.Sizes["lanes"] = lanes
		if warps > 0 {
			s.Sizes["warps"] = warps
		}
		s.Declares = declares(s.Block, lanes, warps)
		list = append(list, s)
	}
	return list
}

// declares returns the logic by which parts of a machine declare a block.
func declares(block string, lanes, warps int) []units.Logic {
	switch block {
	case "compactor": // units.Compactor
		return []units.Logic{{Kind: units.Encoder, Bits: warps, Count: lanes}}
	case "path-pair": // PPC, of each warp
		return []units.Logic{
			{Kind: units.Equality, Bits: wordBits, Count: 1}, {Kind: units.LessThan, Bits: wordBits, Count: 1},
		}
	case "smallest-pc": // PTPC, of each warp
		return []units.Logic{
			{Kind: units.Equality, Bits: wordBits, Count: lanes},
			{Kind: units.LessThan, Bits: wordBits, Count: lanes - 1},
		}
	case "majority":
		for _, h := range units.HerdParts() {
			if h.Name == block {
				return h.Logic(lanes)
			}
		}
	}
	panic("area: synthesis.txt: nothing declares block " + block)
}

// Synthesized finds synthesized blocks in the logic that a part with so many lanes declares. It returns
// their gates, and the logic that is left.
func Synthesized(logic []units.Logic, lanes int) (found []Gates, left []units.Logic) {
	left = append(left, logic...)
	for i := range syntheses {
		s := &syntheses[i]
		if s.Sizes["lanes"] != lanes && s.Block != "compactor" { // each lane has its own encoder
			continue
		}
		if n, others := without(left, s.Declares); n > 0 {
			left = others
			found = append(found, Gates{fmt.Sprintf("%d x %s, synthesized", n, s), exactly(float64(n) * s.Gates)})
		}
	}
	return found, left
}

// without returns how many times logic has all of what, and the rest. It is 0 unless nothing is left of
// the same pieces.
func without(logic, what []units.Logic) (times int, rest []units.Logic) {
	rest = append(rest, logic...)
	for _, w := range what {
		at := -1
		for i, l := range rest {
			if l.Kind == w.Kind && l.Bits == w.Bits && l.Count%w.Count == 0 &&
				(times == 0 || l.Count/w.Count == times) {
				at = i
				break
			}
		}
		if at < 0 {
			return 0, nil
		}
		times = rest[at].Count / w.Count
		rest = append(rest[:at:at], rest[at+1:]...)
	}
	return times, rest
}
