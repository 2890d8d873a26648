package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"divergo/internal/printable"
	"divergo/testbench"
)

// The outcomes of a point that has a result. Others are the ends of package gpu: "finished",
// "fault", "deadlock", "endless loop", "grid deadlock" and "watchdog".
const (
	Refused = "refused" // the machine cannot run the launch, for example because no CTA fits an SM
	Wrong   = "wrong"   // a built-in kernel's result differs from its reference
	Failed  = "failed"  // a CUDA program ended with an exit code other than 0
)

// Result is what a point has given. Every worker gives the same one.
type Result struct {
	Outcome   string    // "finished", or why not
	Message   string    // the reason of an outcome, in a line; of a herded kernel, how its result differs
	LimitedBy string    // what bounds the CTAs of an SM: see Limits
	Warnings  []Warning // each once
	Stats     []Stat    // in the order of the statistics catalogue; elements that are 0 can be missing
}

// Grid is the limit of a launch whose CTAs the SMs hold all at once.
const Grid = "grid"

// Limits are the values of Result.LimitedBy: the limits of sm.Occupancy, and Grid. Launches with different limits give several, joined by ", ".
var Limits = []string{"threads", "CTAs", "registers", "shared memory", Grid}

// Warning is a message about a run. Warnings of different points with the same key are the same
// warning.
type Warning = testbench.Warning

// Stat is a statistic with its value. An element of a histogram or of a breakdown is a statistic,
// too: "active_lane_histogram[4]", "cycle_breakdown.Stall".
type Stat struct {
	Name  string
	Value any // uint64 or float64
}

// Value returns a statistic, 0 if the result does not have it.
func (r *Result) Value(name string) float64 {
	for i := range r.Stats {
		if r.Stats[i].Name == name {
			return number(r.Stats[i].Value)
		}
	}
	return 0
}

// number returns the value of a statistic.
func number(v any) float64 {
	if n, ok := v.(uint64); ok {
		return float64(n)
	}
	return v.(float64)
}

// stats returns the statistics of a session, flat. Of histograms and breakdowns it leaves out the
// elements that are 0.
func stats(c *testbench.Counters) (list []Stat) {
	for _, s := range testbench.Stats() {
		switch v := s.Value(c).(type) {
		case []uint64:
			for i, n := range v {
				if n != 0 {
					list = append(list, Stat{s.Name + "[" + strconv.Itoa(i) + "]", n})
				}
			}
		case map[string]uint64:
			for _, name := range sortedKeys(v) {
				if n := v[name]; n != 0 {
					list = append(list, Stat{s.Name + "." + name, n})
				}
			}
		default:
			list = append(list, Stat{s.Name, v})
		}
	}
	return list
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// whole lists the statistics of the catalogue that are whole numbers, by the part of their name
// before an element, and their order.
var whole = sync.OnceValues(func() (map[string]bool, map[string]int) {
	integers, order := map[string]bool{}, map[string]int{}
	var none testbench.Counters
	for i, s := range testbench.Stats() {
		_, float := s.Value(&none).(float64)
		integers[s.Name], order[s.Name] = !float, i
	}
	return integers, order
})

// stem returns the name of a statistic in the catalogue, and its element.
func stem(name string) (statistic, element string) {
	if at := bytes.IndexByte([]byte(name), '['); at >= 0 {
		return name[:at], name[at:]
	}
	_, order := whole()
	if _, ok := order[name]; ok {
		return name, ""
	}
	for at := range name {
		if _, ok := order[name[:at]]; ok && name[at] == '.' {
			return name[:at], name[at:]
		}
	}
	return name, ""
}

// resultLine is the form of a result in a file. Its statistics are read by themselves.
type resultLine struct {
	Outcome   string          `json:"outcome"`
	Message   string          `json:"message,omitempty"`
	LimitedBy string          `json:"limited_by,omitempty"`
	Warnings  []Warning       `json:"warnings,omitempty"`
	Stats     json.RawMessage `json:"stats"`
}

// encode returns the line of a result.
func (r *Result) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	line := resultLine{r.Outcome, r.Message, r.LimitedBy, r.Warnings, appendStats(nil, r.Stats)}
	err := e.Encode(line)
	return b.Bytes(), err
}

// appendStats appends statistics as an object of JSON.
func appendStats(b []byte, list []Stat) []byte {
	b = append(b, '{')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, list[i].Name)
		b = append(b, ':')
		b = appendNumber(b, list[i].Value)
	}
	return append(b, '}')
}

// appendNumber appends a statistic. A fraction has the shortest text that gives the same number.
func appendNumber(b []byte, v any) []byte {
	switch v := v.(type) {
	case uint64:
		return strconv.AppendUint(b, v, 10)
	case float64:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	panic(fmt.Sprintf("sweep: a statistic is a %T", v))
}

// decode reads the line of a result.
func decode(name string, text []byte) (*Result, error) {
	const member = `"stats":`
	at := bytes.LastIndex(text, []byte(member))
	if at < 0 {
		return nil, damaged(name, errStats)
	}
	var line resultLine
	head := append(bytes.Clone(text[:at]), member+"0}"...)
	if err := json.Unmarshal(head, &line); err != nil {
		return nil, damaged(name, err)
	}
	r := &Result{Outcome: line.Outcome, Message: line.Message, LimitedBy: line.LimitedBy, Warnings: line.Warnings}
	rest, ok := bytes.CutSuffix(text[at+len(member):], []byte("}\n"))
	var err error
	if r.Stats, err = readStats(rest); err != nil || !ok || r.Outcome == "" {
		return nil, damaged(name, errStats)
	}
	return r, nil
}

var errStats = errors.New("want an outcome and statistics, {\"cycles\":12,...}")

func damaged(name string, err error) error {
	return fmt.Errorf("%s: is no result (%v); remove it, and the point runs again", printable.Name(name), err)
}

// known is a statistic that a file has had, with the text before its value.
type known struct {
	name   string
	member string
	whole  bool
}

// likely are the statistics of the last result that was read. Most results have the same ones.
var likely atomic.Pointer[[]known]

// newKnown describes the statistic whose member a text begins with.
func newKnown(b []byte) (k known, ok bool) {
	at := bytes.Index(b, []byte(`":`))
	if at < 1 || b[0] != '"' {
		return k, false
	}
	k = known{name: string(b[1:at]), member: string(b[:at+2])}
	integers, _ := whole()
	statistic, _ := stem(k.name)
	k.whole, ok = integers[statistic]
	return k, ok
}

// readStats reads the object that appendStats has written.
func readStats(b []byte) ([]Stat, error) {
	if len(b) < 2 || b[0] != '{' || b[len(b)-1] != '}' {
		return nil, errStats
	}
	var guess []known
	if last := likely.Load(); last != nil {
		guess = *last
	}
	list, right := make([]Stat, 0, len(guess)), true
	for b = b[1 : len(b)-1]; len(b) > 0; {
		var k known
		if n := len(list); n < len(guess) && bytes.HasPrefix(b, []byte(guess[n].member)) {
			k = guess[n]
		} else {
			var ok bool
			if k, ok = newKnown(b); !ok {
				return nil, errStats
			}
			if right {
				guess, right = slices.Clone(guess[:min(n, len(guess))]), false
			}
			guess = append(guess[:n], k)
		}
		var value []byte
		value, b, _ = bytes.Cut(b[len(k.member):], []byte(","))
		s := Stat{Name: k.name}
		var err error
		if k.whole {
			s.Value, err = strconv.ParseUint(string(value), 10, 64)
		} else {
			s.Value, err = strconv.ParseFloat(string(value), 64)
		}
		if err != nil {
			return nil, errStats
		}
		list = append(list, s)
	}
	if !right {
		likely.Store(&guess)
	}
	return list, nil
}

// elements tells which statistics of the catalogue are histograms or breakdowns.
var elements = sync.OnceValue(func() map[string]bool {
	list := map[string]bool{}
	var none testbench.Counters
	for _, s := range testbench.Stats() {
		switch s.Value(&none).(type) {
		case []uint64, map[string]uint64:
			list[s.Name] = true
		}
	}
	return list
})
