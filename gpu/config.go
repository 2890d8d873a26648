package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"divergo/internal/nearest"
	"divergo/memsys"
	"divergo/sm"
	"divergo/sm/divergence"
)

// Config is a whole machine. Every field is a key, named by the toml tags on
// the way to it: sm.warp_size, dram.channels. Keys lists them with units and
// sources. The embedded part is the memory system.
type Config struct {
	GPU        Chip               `toml:"gpu"`
	Clocks     Clocks             `toml:"clocks"`
	SM         sm.Config          `toml:"sm"`
	Divergence divergence.Options `toml:"divergence"`
	memsys.Config
}

// Chip counts the parts of the machine.
type Chip struct {
	SMs int `toml:"sms"`
}

// Clocks are the frequencies of the three clock domains in MHz. The ratios are
// exact: 1300, 650 and 800 MHz have their edges on a common tick of 10.4 GHz.
type Clocks struct {
	CoreMHz int `toml:"core_mhz"`
	IcntMHz int `toml:"icnt_mhz"`
	DRAMMHz int `toml:"dram_mhz"`
}

// MaxSMs is the largest number of streaming multiprocessors.
const MaxSMs = 128

// Check reports everything that keeps the machine from being built: what each
// block refuses, and what two blocks disagree about. Each error names the key,
// the value and what is possible.
func (c *Config) Check() error {
	var errs []error
	for _, b := range []struct {
		key       string
		v, lo, hi int
	}{
		{"gpu.sms", c.GPU.SMs, 1, MaxSMs},
		{"clocks.core_mhz", c.Clocks.CoreMHz, 1, 100_000},
		{"clocks.icnt_mhz", c.Clocks.IcntMHz, 1, 100_000},
		{"clocks.dram_mhz", c.Clocks.DRAMMHz, 1, 100_000},
	} {
		if b.v < b.lo || b.v > b.hi {
			errs = append(errs, fmt.Errorf("%s = %d: want %d to %d", b.key, b.v, b.lo, b.hi))
		}
	}
	errs = append(errs, c.SM.Check(), c.Divergence.Check(), c.Config.Check())
	if n := c.Icnt.Concentration; n > 0 && (c.GPU.SMs+n)/n > memsys.MaxPorts {
		errs = append(errs, fmt.Errorf("icnt.concentration = %d: %d SMs would need more than the %d ports of a crossbar", n, c.GPU.SMs, memsys.MaxPorts))
	}
	return errors.Join(errs...)
}

// Load overlays a TOML document on c; keys that it does not mention keep their
// value. The file name is for messages, which say file:line:column, show the
// line and name the nearest key.
func (c *Config) Load(file string, text []byte) error {
	next := *c
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	err := decoder.Decode(&next)
	if err == nil {
		*c = next
		return nil
	}
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		var errs []error
		for i := range unknown.Errors {
			e := &unknown.Errors[i]
			errs = append(errs, place(file, text, e, unknownKey(strings.Join(e.Key(), ".")).Error()))
		}
		return errors.Join(errs...)
	case errors.As(err, &wrong):
		return place(file, text, wrong, reason(wrong))
	}
	return fmt.Errorf("%s: %w", file, err)
}

// reason is what is wrong with a document that the TOML decoder refused. Its
// messages about syntax are fit to print, those about types name Go types.
func reason(e *toml.DecodeError) string {
	name := strings.Join(e.Key(), ".")
	message := strings.TrimPrefix(e.Error(), "toml: ")
	if !strings.HasPrefix(message, "cannot ") {
		return message
	}
	if k, err := FindKey(name); err == nil {
		return fmt.Sprintf("%s: want %s", name, k.want())
	}
	return name + ": a value of the wrong type; [" + name + "] is a table, whose keys \"divergo list keys\" shows with their types"
}

// place puts a message at its line and column, with the line below it and a
// caret below that.
func place(file string, text []byte, e *toml.DecodeError, message string) error {
	row, column := e.Position()
	lines := strings.Split(string(text), "\n")
	if row > len(lines) {
		return fmt.Errorf("%s:%d:%d: %s", file, row, column, message)
	}
	line := strings.TrimRight(lines[row-1], "\r")
	indent := []byte(line[:min(max(column-1, 0), len(line))])
	for i, b := range indent {
		if b != '\t' {
			indent[i] = ' '
		}
	}
	return fmt.Errorf("%s:%d:%d: %s\n    %s\n    %s^", file, row, column, message, line, indent)
}

// Set changes one value, given as key=value. The error names the key, the
// value and what was expected.
func (c *Config) Set(assignment string) error {
	name, value, found := strings.Cut(assignment, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !found {
		return fmt.Errorf("%q: want key=value, for example sm.simd_width=16", assignment)
	}
	k, err := FindKey(name)
	if err != nil {
		return err
	}
	return k.Set(c, value)
}

// Setting is one key of a resolved configuration with its value, an int, a
// bool or a string.
type Setting struct {
	Key   string
	Value any
}

// Resolved lists every key with its value, in the order of Keys. It is part of
// every result, so that a result says which machine it comes from.
func (c *Config) Resolved() []Setting {
	var list []Setting
	for _, k := range Keys() {
		list = append(list, Setting{k.Name, k.field(c).Interface()})
	}
	return list
}

// TOML is the resolved configuration as a document that Load reads, with the
// unit and the meaning of each key beside it.
func (c *Config) TOML() []byte {
	var b bytes.Buffer
	section := ""
	for _, k := range Keys() {
		table, name, _ := strings.Cut(k.Name, ".")
		if table != section {
			if section != "" {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "[%s]\n", table)
			section = table
		}
		fmt.Fprintf(&b, "%-24s # %s\n", name+" = "+k.literal(c), k.describe())
	}
	return b.Bytes()
}

func unknownKey(name string) error {
	var names []string
	for _, k := range Keys() {
		names = append(names, k.Name)
	}
	if w := nearest.Word(name, names); w != "" {
		return fmt.Errorf("unknown key %q; did you mean %q?", name, w)
	}
	return fmt.Errorf("unknown key %q; \"divergo list keys\" shows all", name)
}
