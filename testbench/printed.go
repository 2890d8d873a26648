package testbench

import (
	"encoding/binary"
	"fmt"
	"slices"

	"divergo/internal/printf"
	"divergo/isa"
)

// Printed is the output of printf in a launch.
type Printed struct {
	Records []string // one for each call of printf, in the order in which they reserved their places
	Dropped uint32   // calls for which the print buffer had no room
}

// ReadPrinted formats the records in the print buffer of a finished program. Before its end they
// may still be in caches. The error is that of read.
func ReadPrinted(p *isa.Program, read func(addr uint64, data []byte) error) (Printed, error) {
	var out Printed
	if p.Printer == 0 {
		return out, nil
	}
	head := make([]byte, isa.PrintHead)
	if err := read(p.Printer, head); err != nil {
		return out, err
	}
	out.Dropped = binary.LittleEndian.Uint32(head[4:])
	records := make([]byte, min(binary.LittleEndian.Uint32(head), isa.PrintBytes-isa.PrintHead))
	if err := read(p.Printer+isa.PrintHead, records); err != nil {
		return out, err
	}
	for len(records) >= 8 {
		format := formatAt(p, binary.LittleEndian.Uint64(records))
		if format == nil || 8+format.Bytes > uint64(len(records)) {
			break // the first record without room
		}
		out.Records = append(out.Records,
			format.Sprint(records[8:], func(addr uint64) string { return cstring(read, addr) }))
		records = records[(8+format.Bytes+7)&^7:]
	}
	return out, nil
}

// formatAt returns the format of a program at an address, nil if there is none.
func formatAt(p *isa.Program, addr uint64) *printf.Format {
	i := slices.IndexFunc(p.Formats, func(f isa.Format) bool { return f.Addr == addr })
	if i < 0 {
		return nil
	}
	f, err := printf.Parse(p.Formats[i].Text)
	if err != nil {
		return nil // no program from package ptx has such a format
	}
	return f
}

// cstring returns the C string at an address in device memory.
func cstring(read func(addr uint64, data []byte) error, addr uint64) string {
	const most = 4096
	var out []byte
	for c := []byte{0}; len(out) < most; addr++ {
		if err := read(addr, c); err != nil {
			if len(out) == 0 {
				return fmt.Sprintf("(no string at %#x)", addr)
			}
			break
		}
		if c[0] == 0 {
			break
		}
		out = append(out, c[0])
	}
	return string(out)
}

// takePrinted empties the print buffer after a launch.
func (s *Session) takePrinted(p *isa.Program) Printed {
	store := s.Machine.Store
	out, err := ReadPrinted(p, store.Read)
	s.fail(err)
	s.Write(p.Printer, make([]byte, isa.PrintBytes))
	return out
}
