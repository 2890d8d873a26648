package cli

import (
	"divergo/internal/output"
	"divergo/testbench"
)

// herdFlags select the instructions to herd.
type herdFlags struct {
	given []string
	*testbench.Herds
}

// read parses the given flags.
func (h *herdFlags) read() (err error) {
	h.Herds, err = testbench.ReadHerds("--herd", h.given...)
	return err
}

// reads registers the files that the flags read.
func (h *herdFlags) reads(files *output.Set) {
	for _, spec := range h.given {
		if testbench.IsHerdingFile(spec) {
			files.Reads("--herd", spec)
		}
	}
}
