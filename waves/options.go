package waves

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"divergo/internal/nearest"
)

// Options selects the part of a run that goes into a dump. The zero value dumps every signal from
// the first to the last cycle.
//
// Patterns are paths of the design (sm[3].Issue.Class) or names of the dump (sm_03.Issue.Class). In
// a pattern, * stands for any text within a segment, and ** for any number of segments. A segment
// without an index selects every element of an array. A pattern that matches a module selects
// everything below it.
type Options struct {
	Filter  []string       // patterns of the signals to dump; none: all
	From    uint64         // first cycle of the dump; cycles are those of the first clock domain
	To      uint64         // last cycle; 0: the last of the run
	Trigger *Trigger       // opens the dump later than From
	Without []string       // options that the hardware does not have, see rtl.Signal: their signals are left out
	Sizes   map[string]int // of the hardware, by the names in tags: see rtl.Signal.Within
	FST     bool           // write GTKWave's own format, which is smaller than VCD, to an io.WriterAt such as a file
	Clocks  bool           // add a clock signal for each clock domain, and a counter of the cycles of the first

	Names  []Names // names of values in GTKWave, besides the enumerations of the design; the first match counts
	Groups []Group // how GTKWave arranges the signals; none: one group for each module
	// Marks are places where GTKWave may open, with its marker there, if there is no trigger. It
	// opens at the first mark in the dump. Each mark is a pattern of signals, which need not be in
	// the dump. Its place is the first change of one of them.
	Marks []string
	// Joins are patterns of signals. Where GTKWave opens at a mark, it shows the time up to the one at
	// which all of them that change at the mark, or first after it, have their earlier values again. If
	// that does not happen, it is the time at which another of them gets such a value.
	Joins []string
	At    uint64 // cycle at which GTKWave opens, with its marker there, if it is in the dump; 0: see Marks and Trigger
}

// Trigger opens a dump some cycles before the first time that a signal meets a condition. Memory
// holds only the changes of these cycles.
type Trigger struct {
	Signal string // pattern; any of the signals may meet the condition
	Op     string // == != < <= > >=
	Value  string // a number (0x and 0b too) or a name of the signal's enumeration
	Before uint64 // cycles to show before the condition holds

	// Holds, if not nil, is the condition instead of Op and Value. It gets the bits of the signal,
	// without sign extension.
	Holds func(value uint64) bool
}

var triggerText = regexp.MustCompile(`^\s*(?:(\d+)\s+before\s+)?(\S+?)\s*(==|!=|<=|>=|<|>)\s*(\S+)\s*$`)

// ParseTrigger reads a trigger as written on a command line: a signal, a comparison and a value. In
// front there may be the number of cycles to show before.
//
//	200 before sm[*].Div.Stats.Divergent > 0
//	sm[0].Issue.Class == W0_Mem
func ParseTrigger(text string) (*Trigger, error) {
	m := triggerText.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf(`trigger %q: expected "[N before] SIGNAL OP VALUE" with OP one of == != < <= > >=, for example "200 before sm[*].Div.Stats.Divergent > 0"`, text)
	}
	t := &Trigger{Signal: m[2], Op: m[3], Value: m[4]}
	if m[1] != "" {
		n, err := strconv.ParseUint(m[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("trigger %q: %s cycles before is more than a run can have", text, m[1])
		}
		t.Before = n
	}
	return t, nil
}

// condition is the trigger's test on the bits of v.
func (t *Trigger) condition(v *variable) (func(uint64) bool, error) {
	if t.Holds != nil {
		return t.Holds, nil
	}
	want, err := v.parseValue(t.Value)
	if err != nil {
		return nil, fmt.Errorf("trigger on %s: %w", v.sig.Path, err)
	}
	// Flipping the sign bit makes signed numbers compare as unsigned ones.
	flip := uint64(0)
	if v.signed() {
		flip = 1 << (v.width - 1)
	}
	want ^= flip
	switch t.Op {
	case "==":
		return func(x uint64) bool { return x^flip == want }, nil
	case "!=":
		return func(x uint64) bool { return x^flip != want }, nil
	case "<":
		return func(x uint64) bool { return x^flip < want }, nil
	case "<=":
		return func(x uint64) bool { return x^flip <= want }, nil
	case ">":
		return func(x uint64) bool { return x^flip > want }, nil
	case ">=":
		return func(x uint64) bool { return x^flip >= want }, nil
	}
	return nil, fmt.Errorf("trigger on %s: operator %q, expected one of == != < <= > >=", v.sig.Path, t.Op)
}

// parseValue returns the bits of a number or of a name of the variable's enumeration.
func (v *variable) parseValue(text string) (uint64, error) {
	names := v.called()
	for _, n := range names {
		if n.text == text {
			return n.value, nil
		}
	}
	mask := v.mask()
	if x, err := strconv.ParseUint(text, 0, 64); err == nil && x <= mask {
		return x, nil
	}
	if x, err := strconv.ParseInt(text, 0, 64); err == nil && v.signed() && x < 0 && x >= -1<<(v.width-1) {
		return uint64(x) & mask, nil
	}
	switch text {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	expected := fmt.Sprintf("a number of %d bits", v.width)
	if len(names) > 0 {
		words := make([]string, len(names))
		for i, n := range names {
			words[i] = n.text
		}
		if len(words) > 8 {
			near := nearest.Word(text, words)
			words = []string{"a name of " + v.sig.Type.String()}
			if near != "" {
				words = append(words, "perhaps "+near)
			}
		}
		expected += " or " + strings.Join(words, ", ")
	}
	return 0, fmt.Errorf("value %q: expected %s", text, expected)
}

// Names gives names to values of the signals that Pattern matches, such as instructions to PCs.
// Unlike a pattern of a filter, Pattern does not select what is below a match.
type Names struct {
	Pattern string
	Of      map[uint64]string
}

// Group is a titled, coloured set of signals in GTKWave; without a name it has no title. A signal
// is in the first group with a pattern that selects it. Within a group the order is that of the
// patterns, then that of the design.
//
// A pattern that ends in #5 makes a row of bit 5 of each signal that it selects, the first signal
// on the right. This shows the rows of a memory stored by columns.
type Group struct {
	Name     string
	Color    Color
	Patterns []string

	// Label returns the name of the row of a signal with this path. By default it is the name,
	// without the scopes that all signals of the group share.
	Label func(path string) string

	Decimal bool // numbers are decimal; otherwise those of more than 8 bits are hexadecimal
	Used    bool // leave out signals that are 0, or of several bits all 1, throughout the dump
	Closed  bool // closed groups come after the open ones, and GTKWave shows only their names
	// Opens are patterns that keep a closed group open if a signal that they select changes where
	// GTKWave opens. That is at its marker, or, with Options.At, in the cycles shown up to it. Signals of
	// Options.Joins that change first after the marker count too.
	Opens []string
}

// Color is a colour of GTKWave's traces.
type Color uint8

// The colours of GTKWave.
const (
	Normal Color = iota
	Red
	Orange
	Yellow
	Green
	Blue
	Indigo
	Violet
)
