package verilog

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/nearest"
)

// record is a clock edge of a trace: the ports of a unit as they are sampled at the edge.
type record struct {
	In  Inputs
	Out Outputs
}

// recording reads a trace that a bench has written: CSV with a line for each clock edge. The first
// line has the names of ports, in any order. Values are hexadecimal, as $fdisplay writes them with
// %h; a port with a value for each warp has that of warp 0 at its end.
type recording struct {
	name   string
	file   io.Closer
	csv    *csv.Reader
	line   int
	column map[string]int // by port
	begun  bool           // the reset is over
}

// unrecorded are ports that a trace need not have.
func unrecorded(port string) bool {
	return port == "clk" || port == "busy" || strings.HasPrefix(port, "debug_")
}

// openRecording opens a trace and reads the names of its ports.
func openRecording(name string) (*recording, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r := &recording{name: name, file: file, csv: csv.NewReader(bufio.NewReader(file)), column: map[string]int{}}
	if err := r.names(); err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

func (r *recording) names() error {
	r.csv.ReuseRecord = true
	names, err := r.csv.Read()
	r.line = 1
	if errors.Is(err, io.EOF) {
		return r.wrong("is empty, want the names of ports in the first line")
	}
	if err != nil {
		return r.reason(err)
	}
	var known []string
	for _, p := range Plain.Ports() {
		known = append(known, p.Name)
	}
	for i, name := range names {
		if name = strings.TrimSpace(name); !slices.Contains(known, name) {
			return r.wrong("%v", nearest.Unknown("port", name, known))
		}
		if _, twice := r.column[name]; twice {
			return r.wrong("port %s stands twice", name)
		}
		r.column[name] = i
	}
	for _, name := range known {
		if _, ok := r.column[name]; !ok && !unrecorded(name) {
			return r.wrong("no port %s, want all ports but clk, busy and those of debug", name)
		}
	}
	return nil
}

// wrong returns an error at the line that was read last.
func (r *recording) wrong(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.name, r.line, fmt.Sprintf(format, args...))
}

// reason returns an error of the CSV reader, whose lines are those of the file.
func (r *recording) reason(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s:%d: %w", r.name, parse.Line, parse.Err)
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// next reads the next clock edge. The error at the end is io.EOF.
//
// A value that has no meaning at the edge may be unknown (x, z): that of an event that is not valid, or
// of a slot that is not. It is then 0.
func (r *recording) next() (*record, error) {
	words, err := r.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, r.reason(err)
	}
	r.line, _ = r.csv.FieldPos(0)
	x := &record{}
	if err := r.fill(&x.In, words, func(string) bool { return false }, 0); err != nil {
		return nil, err
	}
	in := &x.In
	valid := map[string]uint8{"launch": in.Launch, "fire": in.Fire, "outcome": in.Outcome}
	branch := in.OutcomeKind == Branch
	err = r.fill(in, words, func(port string) bool {
		event, of, _ := strings.Cut(port, "_")
		switch of {
		case "target", "fall", "meet":
			return valid[event] != 0 && branch
		case "taken":
			return valid[event] != 0 && (branch || in.OutcomeKind == Exit)
		}
		return of == "valid" || valid[event] != 0 || port == "rst" || port == "resume"
	}, 0)
	if err != nil || in.Reset != 0 {
		return x, err
	}
	err = r.fill(&x.Out, words, func(port string) bool { return strings.HasSuffix(port, "_valid") || port == "error" }, 0)
	if err != nil {
		return x, err
	}
	return x, r.fill(&x.Out, words, func(port string) bool { return port != "retire_warp" || x.Out.Retire != 0 }, x.Out.Valid[0])
}

// fill sets the fields of Inputs or Outputs to the values of their ports. It wants known values of the
// ports that must tells, and of the warps in a set.
func (r *recording) fill(to any, words []string, must func(port string) bool, warps uint64) error {
	v := reflect.ValueOf(to).Elem()
	for i := range v.NumField() {
		port := v.Type().Field(i).Tag.Get("port")
		at, ok := r.column[port]
		if !ok {
			continue
		}
		text := strings.TrimSpace(words[at])
		f := v.Field(i)
		if f.Type() == setType {
			f = f.Index(0)
		}
		if f.Kind() != reflect.Array {
			n, err := r.number(port, text, f.Type().Bits(), must(port))
			if err != nil {
				return err
			}
			f.SetUint(n)
			continue
		}
		digits := f.Type().Elem().Bits() / 4
		if len(text) > digits*Warps {
			return r.wrong("%s = %d digits, want at most %d", port, len(text), digits*Warps)
		}
		text = strings.Repeat("0", digits*Warps-len(text)) + text
		for w := range Warps {
			from := digits * (Warps - 1 - w)
			n, err := r.number(port, text[from:from+digits], 4*digits, must(port) && warps>>w&1 != 0)
			if err != nil {
				return err
			}
			f.Index(w).SetUint(n)
		}
	}
	return nil
}

// number parses the value of a port of so many bits. A value that is not known is an error if it must
// be known, else 0.
func (r *recording) number(port, text string, bits int, must bool) (uint64, error) {
	n, err := strconv.ParseUint(text, 16, bits)
	switch {
	case err == nil:
		return n, nil
	case strings.Trim(text, "0123456789abcdefABCDEFxXzZ") == "" && strings.ContainsAny(text, "xXzZ"):
		if must {
			return 0, r.wrong("%s = %s: unknown, want a number", port, text)
		}
		return 0, nil
	}
	return 0, r.wrong("%s = %q, want a hexadecimal number of %d bits", port, text, bits)
}
