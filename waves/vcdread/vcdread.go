// Package vcdread reads waveform dumps in the Verilog format VCD (IEEE 1364-2005, clause 18). It
// reads vectors of up to 64 bits; bits that are x or z are unknown. It shares no code with the
// writer in package waves, so results computed from a dump also check the dump.
//
// A [Reader] reads a dump change by change, in constant memory:
//
//	r, err := vcdread.NewReader(f)
//	stalls := 0
//	for r.Next() {
//		if c := r.Change(); r.Net(c.Net).Path == "gpu.sm_00.Stall" && c.Value == 1 {
//			stalls++
//		}
//	}
//	err = r.Err()
//
// [ReadAll] keeps all changes and gives the value of a signal at any time.
package vcdread

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Signal is a declared variable. Aliases, variables with the same identifier, are signals with the same Net.
type Signal struct {
	Path  string // scopes and name with dots between, without the bit range
	Kind  string // reg, wire, ...
	Width int    // bits
	Net   int
}

// Change is a new value of a net.
type Change struct {
	Time    uint64 // in units of the timescale
	Net     int
	Value   uint64 // 0 where unknown
	Unknown uint64 // bits that are x or z
}

// Reader reads a dump from its beginning.
type Reader struct {
	Timescale string // such as "1 fs"
	Signals   []Signal

	in     *bufio.Scanner
	nets   map[string]int
	first  []int // signal of each net
	change Change
	time   uint64
	timed  bool
	err    error
}

// NewReader reads the declarations of a dump.
func NewReader(r io.Reader) (*Reader, error) {
	x := &Reader{in: bufio.NewScanner(r), nets: map[string]int{}}
	x.in.Buffer(make([]byte, 1<<16), 1<<20)
	x.in.Split(bufio.ScanWords)
	var scopes []string
	for {
		word, args, err := x.command()
		if err != nil {
			return nil, fmt.Errorf("vcdread: %w", err)
		}
		switch word {
		case "$timescale":
			x.Timescale = strings.Join(args, " ")
		case "$scope":
			if len(args) != 2 {
				return nil, fmt.Errorf("vcdread: $scope %q: expected a type and a name", args)
			}
			scopes = append(scopes, args[1])
		case "$upscope":
			if len(scopes) == 0 {
				return nil, fmt.Errorf("vcdread: $upscope outside a scope")
			}
			scopes = scopes[:len(scopes)-1]
		case "$var":
			if err := x.declare(args, scopes); err != nil {
				return nil, fmt.Errorf("vcdread: %w", err)
			}
		case "$enddefinitions":
			if len(scopes) > 0 {
				return nil, fmt.Errorf("vcdread: scope %s is not closed", strings.Join(scopes, "."))
			}
			return x, nil
		case "$version", "$date", "$comment", "$attrbegin", "$attrend":
		default:
			return nil, fmt.Errorf("vcdread: %q among the declarations, expected a $ command", word)
		}
	}
}

// command reads words up to $end.
func (r *Reader) command() (word string, args []string, err error) {
	if !r.in.Scan() {
		if err := r.in.Err(); err != nil {
			return "", nil, err
		}
		return "", nil, fmt.Errorf("the dump ends before $enddefinitions")
	}
	word = r.in.Text()
	if !strings.HasPrefix(word, "$") {
		return word, nil, nil
	}
	for r.in.Scan() {
		if r.in.Text() == "$end" {
			return word, args, nil
		}
		args = append(args, r.in.Text())
	}
	return "", nil, fmt.Errorf("%s without $end", word)
}

// declare reads the words of $var: kind, width, identifier, name and perhaps a bit range.
func (r *Reader) declare(args []string, scopes []string) error {
	if len(args) < 4 {
		return fmt.Errorf("$var %q: expected a kind, a width, an identifier and a name", args)
	}
	width, err := strconv.Atoi(args[1])
	if err != nil || width < 1 || width > 64 {
		return fmt.Errorf("$var %q: width %s, expected 1 to 64", args, args[1])
	}
	name, _, _ := strings.Cut(args[3], "[")
	net, known := r.nets[args[2]]
	if !known {
		net = len(r.first)
		r.nets[args[2]] = net
		r.first = append(r.first, len(r.Signals))
	}
	path := strings.Join(append(slices.Clone(scopes), name), ".")
	r.Signals = append(r.Signals, Signal{Path: path, Kind: args[0], Width: width, Net: net})
	return nil
}

// Net is the first signal of a net.
func (r *Reader) Net(net int) Signal { return r.Signals[r.first[net]] }

// Next advances to the next change, in the order of the dump. It returns false at the end and after
// an error.
func (r *Reader) Next() bool {
	for r.err == nil && r.in.Scan() {
		w := r.in.Bytes()
		switch c := w[0]; c {
		case '$': // $dumpvars and its $end only group changes
		case '#':
			t, err := strconv.ParseUint(string(w[1:]), 10, 64)
			if err != nil || r.timed && t < r.time {
				r.err = fmt.Errorf("vcdread: time %s after %d", w, r.time)
				return false
			}
			r.time, r.timed = t, true
		case 'b', 'B':
			digits := string(w[1:])
			if !r.in.Scan() {
				r.err = fmt.Errorf("vcdread: the dump ends within the change %s", w)
				return false
			}
			return r.set(digits, r.in.Text())
		case '0', '1', 'x', 'X', 'z', 'Z':
			return r.set(string(c), string(w[1:]))
		default:
			r.err = fmt.Errorf("vcdread: %q at time %d, expected a change, a time or a $ command", w, r.time)
			return false
		}
	}
	if r.err == nil {
		r.err = r.in.Err()
	}
	return false
}

// set makes the present change from the digits of a value and an identifier.
func (r *Reader) set(digits, id string) bool {
	net, ok := r.nets[id]
	if !ok {
		r.err = fmt.Errorf("vcdread: no variable has the identifier %q, at time %d", id, r.time)
		return false
	}
	width := r.Net(net).Width
	if len(digits) == 0 || len(digits) > width {
		r.err = fmt.Errorf("vcdread: value %q of %s, expected at most %d digits", digits, r.Net(net).Path, width)
		return false
	}
	r.change = Change{Time: r.time, Net: net}
	for _, c := range digits {
		r.change.Value <<= 1
		r.change.Unknown <<= 1
		switch c {
		case '0':
		case '1':
			r.change.Value |= 1
		case 'x', 'X', 'z', 'Z':
			r.change.Unknown |= 1
		default:
			r.err = fmt.Errorf("vcdread: value %q of %s, expected digits of 01xz", digits, r.Net(net).Path)
			return false
		}
	}
	if first := digits[0]; first != '0' && first != '1' { // x and z extend to the left
		r.change.Unknown |= (^uint64(0) >> (64 - width)) &^ (1<<len(digits) - 1)
	}
	return true
}

// Change is the present change, after Next returned true.
func (r *Reader) Change() Change { return r.change }

// Time is the last time read; after the end it is the end of the dump.
func (r *Reader) Time() uint64 { return r.time }

// Err is the error that ended the dump early, nil at its end.
func (r *Reader) Err() error { return r.err }

// Dump is a whole dump in memory.
type Dump struct {
	Timescale string
	Signals   []Signal
	Begin     uint64     // first time
	End       uint64     // last time
	Changes   [][]Change // by net, in the order of time
	byPath    map[string]Signal
}

// ReadAll reads a whole dump. It keeps the last of several changes of a net at one time.
func ReadAll(in io.Reader) (*Dump, error) {
	r, err := NewReader(in)
	if err != nil {
		return nil, err
	}
	d := &Dump{
		Timescale: r.Timescale, Signals: r.Signals, Changes: make([][]Change, len(r.first)),
		byPath: map[string]Signal{},
	}
	for _, s := range r.Signals {
		d.byPath[s.Path] = s
	}
	any := false
	for r.Next() {
		c := r.Change()
		if !any {
			d.Begin, any = c.Time, true
		}
		if n := len(d.Changes[c.Net]); n > 0 && d.Changes[c.Net][n-1].Time == c.Time {
			d.Changes[c.Net][n-1] = c
			continue
		}
		d.Changes[c.Net] = append(d.Changes[c.Net], c)
	}
	d.End = r.Time()
	return d, r.Err()
}

// Signal finds a signal by its path.
func (d *Dump) Signal(path string) (Signal, bool) {
	s, ok := d.byPath[path]
	return s, ok
}

// At is the value of a net at a time: the last change at or before it. Before the first change all
// bits are unknown.
func (d *Dump) At(net int, time uint64) Change {
	c := d.Changes[net]
	i, found := slices.BinarySearchFunc(c, time, func(c Change, t uint64) int { return cmp.Compare(c.Time, t) })
	if found {
		return c[i]
	}
	if i == 0 {
		return Change{Time: time, Net: net, Unknown: ^uint64(0)}
	}
	return c[i-1]
}

// Value is the value of the signal with the given path at a time. It is an error if there is no such signal or its
// value is unknown.
func (d *Dump) Value(path string, time uint64) (uint64, error) {
	s, ok := d.byPath[path]
	if !ok {
		return 0, fmt.Errorf("vcdread: the dump has no signal %s", path)
	}
	c := d.At(s.Net, time)
	if c.Unknown != 0 {
		return 0, fmt.Errorf("vcdread: %s is unknown at time %d", path, time)
	}
	return c.Value, nil
}
