package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"divergo/internal/key"
	"divergo/internal/place"
	"divergo/memsys"
	"divergo/sm"
	"divergo/sm/divergence"
	_ "divergo/sm/divergence/all"
)

// Config is a whole machine. Every field is a key, named by the toml tags on the path to it, for
// example sm.warp_size or dram.channels. Keys lists the keys with units and sources. The embedded
// part is the memory system.
type Config struct {
	GPU        Chip               `toml:"gpu"`
	Clocks     Clocks             `toml:"clocks"`
	SM         sm.Config          `toml:"sm"`
	Divergence divergence.Options `toml:"divergence"`
	memsys.Config
}

// Chip sets the number of SMs and the size of device memory.
type Chip struct {
	SMs    int `toml:"sms" range:"1..1024" doc:"streaming multiprocessors" source:"tbc: table 2"`
	Memory int `toml:"memory" range:"1..3072" unit:"MiB" doc:"device memory that the host can allocate, beside variables and local memory" source:"ours"`
}

// Bytes returns the bytes of device memory that the host can allocate.
func (c *Chip) Bytes() uint64 { return uint64(c.Memory) << 20 }

// Clocks are the frequencies of the three clock domains in MHz. The ratios are
// exact: 1300, 650 and 800 MHz have their edges on a common tick of 10.4 GHz.
type Clocks struct {
	CoreMHz int `toml:"core_mhz" range:"1..100000" unit:"MHz" doc:"clock of the streaming multiprocessors and their L1 caches" source:"tbc: table 2"`
	IcntMHz int `toml:"icnt_mhz" range:"1..100000" unit:"MHz" doc:"clock of the interconnect and the L2 slices" source:"tbc: table 2"`
	DRAMMHz int `toml:"dram_mhz" range:"1..100000" unit:"MHz" doc:"command clock of the DRAM" source:"tbc: table 2"`
}

// maxStorage is the limit for registers, caches and shared memory of a machine together, in bytes.
// It protects the memory of the host computer, where a machine takes some times its storage. It
// admits 1,024 SMs with the 512 KiB of an SM of a GH100, and as much again in the L2.
const maxStorage = 1 << 30

// Check reports every reason why the machine cannot be built: the refusals of each block, and
// conflicts between blocks. Each error names the key, the value and the allowed values.
func (c *Config) Check() error {
	k := key.NewCheck("", c)
	c.SM.Rules(k)
	c.Config.Rules(k)
	if k.Sound("gpu.sms", "sm.registers", "l1.size", "const.size", "icache.size", "texture.size", "shared.size", "dram.channels",
		"l2.size") {
		sm := c.SM.Registers*4 + c.L1.Size + c.Const.Size + c.ICache.Size + c.Texture.Size + c.Shared.Size
		if n := c.GPU.SMs*sm + c.DRAM.Channels*c.L2.Size; n > maxStorage {
			k.Refuse("with sm.registers, l1.size, const.size, icache.size, texture.size and shared.size in each SM, and l2.size for each of dram.channels = %d, the chip stores %d bytes: want at most %d", c.DRAM.Channels, n, maxStorage)
		}
	}
	return k.Err()
}

// Under returns the machine with a mechanism, for comparisons of mechanisms. It has one sub-core if
// the mechanism does not support several.
func (c Config) Under(mechanism string) Config {
	c.Divergence.Mechanism = mechanism
	if m, ok := divergence.Find(mechanism); ok && c.SM.Schedulers > 1 {
		p, err := m.Build(c.Divergence, c.SM.Geometry(), &divergence.Code{})
		if err == nil && !p.Connections().Divides {
			c.SM.Schedulers = 1
		}
	}
	return c
}

// maxErrors is the largest number of unknown keys of a document that Load reports.
const maxErrors = 10

// Load overlays a TOML document on c; keys absent from it keep their value. Errors begin with
// file:line:column, show the line and name the nearest key.
func (c *Config) Load(file string, text []byte) error {
	doc, take := key.Open(c)
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	err := decoder.Decode(doc)
	if err == nil {
		take()
		return nil
	}
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		var errs []error
		for i := range unknown.Errors {
			if i == maxErrors {
				errs = append(errs, fmt.Errorf("%s: and %d more unknown keys", file, len(unknown.Errors)-i))
				break
			}
			e := &unknown.Errors[i]
			errs = append(errs, placeOf(file, text, e, unknownKey(strings.Join(e.Key(), ".")).Error()))
		}
		return errors.Join(errs...)
	case errors.As(err, &wrong):
		return placeOf(file, text, wrong, reason(wrong))
	}
	return fmt.Errorf("%s: %w", file, err)
}

// placeOf adds to a message the place that the decoder reports.
func placeOf(file string, text []byte, e *toml.DecodeError, message string) error {
	row, column := e.Position()
	return place.Error(file, text, row, column, message)
}

// reason describes the fault of a document that the TOML decoder refused. The decoder's messages
// about syntax are fit to print; those about types name Go types.
func reason(e *toml.DecodeError) string {
	name := strings.Join(e.Key(), ".")
	message := strings.TrimPrefix(e.Error(), "toml: ")
	if !strings.HasPrefix(message, "cannot ") {
		return message
	}
	if k, err := findKey(name); err == nil {
		return fmt.Sprintf("%s: want %s", name, k.Want())
	}
	return name + ": a value of the wrong type; [" + name +
		"] is a table, whose keys \"divergo list keys\" shows with their types"
}

// Set changes one value, given as key=value. The error names the key, the value and the expected
// values.
func (c *Config) Set(assignment string) error {
	name, value, found := strings.Cut(assignment, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !found {
		return fmt.Errorf("%q: want key=value, for example sm.simd_width=16", assignment)
	}
	keys, err := findKeys(name)
	for i := range keys {
		if err = keys[i].Set(c, value); err != nil {
			break
		}
	}
	return err
}

// Setting is one key of a resolved configuration with its value: an int, a bool or a kind of
// string.
type Setting struct {
	Key   string
	Value any
}

// Resolved lists every key with its value, in the order of Keys. It is part of every result, so
// that a result identifies its machine.
func (c *Config) Resolved() []Setting {
	var list []Setting
	for _, k := range Keys() {
		list = append(list, Setting{k.Name, k.Value(c)})
	}
	return list
}

// TOML returns the resolved configuration as a document for Load. Each key has its range, unit and
// meaning beside it.
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
		fmt.Fprintf(&b, "%-24s # %s\n", name+" = "+k.Literal(c), k.Describe())
	}
	return b.Bytes()
}
