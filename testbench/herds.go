package testbench

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/input"
	"divergo/internal/nearest"
	"divergo/internal/printable"
	"divergo/isa"
)

// Herds select the instructions of a session that are herded.
type Herds struct {
	flag string // name of the setting in messages
	list []herding
}

// herding is one specification.
type herding struct {
	isa.Herding
	spec            string
	branches, loads bool // all branches, all loads
	applied         bool // a launched kernel used it
}

// maxHerding is the size limit of a herding file, in bytes.
const maxHerding = 16 << 20

// herdParts are the words of a specification.
var herdParts = []string{"branches", "loads", "all", "branch", "load", "threshold"}

// ReadHerds reads specifications: herding files, or texts as docs/howto/herding.md has them. Errors
// begin with the name of the setting, such as --herd.
func ReadHerds(flag string, specs ...string) (*Herds, error) {
	h := &Herds{flag: flag}
	var errs []error
	for _, spec := range specs {
		one, err := h.read(spec)
		if err != nil {
			errs = append(errs, err)
		}
		h.list = append(h.list, one)
	}
	return h, errors.Join(errs...)
}

// read reads a file or a text. A text with a word of a specification is one, unless
// a file of that name exists.
func (h *Herds) read(spec string) (herding, error) {
	one := herding{spec: spec}
	if IsHerdingFile(spec) {
		text, err := input.Read(spec, maxHerding)
		if err != nil {
			return one, fmt.Errorf("%s: %w", h.flag, err)
		}
		of, err := isa.ReadHerding(printable.Name(spec), text)
		if err == nil {
			one.Herding = *of
		}
		return one, err
	}
	for part := range strings.SplitSeq(spec, ";") {
		if err := one.part(strings.TrimSpace(part)); err != nil {
			return one, fmt.Errorf("%s %s: %w", h.flag, spec, err)
		}
	}
	return one, nil
}

// IsHerdingFile reports whether a specification names a file.
func IsHerdingFile(spec string) bool {
	if strings.HasSuffix(spec, ".json") {
		return true
	}
	info, err := os.Stat(spec)
	return err == nil && !info.IsDir()
}

// part reads a part of a specification.
func (h *herding) part(text string) error {
	name, value, found := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	switch {
	case !slices.Contains(herdParts, name):
		return nearest.Unknown("word", name, herdParts)
	case found != (name == "branch" || name == "load" || name == "threshold"):
		return errors.New("want a file, or branches, loads, all, branch=PC,PC, load=PC,PC, threshold=N, with ; between them")
	}
	switch name {
	case "branches":
		h.branches = true
	case "loads":
		h.loads = true
	case "all":
		h.branches, h.loads = true, true
	case "threshold":
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 32)
		if err != nil {
			return fmt.Errorf("threshold %q: want a number of herded instructions, 0 to %d", value,
				uint32(math.MaxUint32))
		}
		h.Threshold = int(n)
	default:
		to := &h.Branches
		if name == "load" {
			to = &h.Loads
		}
		for pc := range strings.SplitSeq(value, ",") {
			n, err := strconv.ParseUint(strings.TrimSpace(pc), 10, 31)
			if err != nil {
				return fmt.Errorf("%s %q: want a PC as \"divergo dis\" prints them", name, pc)
			}
			*to = append(*to, int(n))
		}
	}
	return nil
}

// Attach makes a session herd the selected instructions.
func (h *Herds) Attach(s *Session) error {
	if len(h.list) == 0 {
		return nil
	}
	if !s.Machine.Config.Herd.Enable {
		return errors.New(h.flag + ": herd.enable = false, so that the machine has no herding")
	}
	s.Herd = h.mark
	return nil
}

// mark returns the copy of a program to launch, with its herded instructions marked.
func (h *Herds) mark(p *isa.Program) (*isa.Program, error) {
	made, errs := p, []error(nil)
	for i := range h.list {
		one := &h.list[i]
		if one.Kernel != "" && one.Kernel != p.Name {
			continue
		}
		one.applied = true
		of := one.Herding
		branches, loads := p.Herdable()
		if one.branches {
			of.Branches = branches
		}
		if one.loads {
			of.Loads = loads
		}
		if of.Threshold == 0 {
			of.Threshold = made.HerdLimit
		}
		next, err := of.Apply(made)
		if err != nil {
			if !IsHerdingFile(one.spec) {
				err = fmt.Errorf("%s %s: %w", h.flag, one.spec, err)
			}
			errs = append(errs, err)
			continue
		}
		made = next
	}
	return made, errors.Join(errs...)
}

// Unused reports the specifications whose kernels were not launched.
func (h *Herds) Unused(s *Session) error {
	var names []string
	for _, k := range s.ByKernel() {
		names = append(names, k.Prog.Name)
	}
	var errs []error
	for i := range h.list {
		if one := &h.list[i]; !one.applied {
			errs = append(errs, fmt.Errorf("%s: %w", printable.Name(one.spec),
				nearest.Unknown("kernel", one.Kernel, names)))
		}
	}
	return errors.Join(errs...)
}

// Herded reports whether the session herded any instruction. Its results are then approximate.
func (s *Session) Herded() bool {
	c := s.Counters()
	return c.Herd.Branches+c.Coalescer.Herd.Loads > 0
}
