package profile

import (
	"cmp"
	"slices"

	"divergo/isa"
)

// Kernel is a kernel of a profiled session.
type Kernel struct {
	Prog     *isa.Program
	Launches int
	Lines    []Line // that have come to something, by file and line
	Total    Counts
}

// Line is a line of the source that PTX was compiled from, or, where the PTX does not
// name one, of the PTX.
type Line struct {
	File   string // "" for what is no instruction's
	Number int32
	Insts  []Inst // in the order of PCs
	Counts
}

// Inst is an instruction of a kernel.
type Inst struct {
	PC uint32
	Counts
}

// Kernels are the kernels that have been launched, in the order of their first launch.
// Only between runs.
func (p *Profile) Kernels() []Kernel {
	p.close()
	var list []Kernel
	for i, prog := range p.programs {
		k := Kernel{Prog: prog, Launches: p.launches[i]}
		for pc := range len(prog.Insts) + 1 {
			var sum Counts
			for _, b := range p.books {
				if c := b.by[i][pc]; c != nil {
					sum.Add(c)
				}
			}
			if sum != (Counts{}) {
				k.add(uint32(pc), &sum)
			}
		}
		slices.SortStableFunc(k.Lines, func(a, b Line) int {
			return cmp.Or(cmp.Compare(file(prog, a.File), file(prog, b.File)), cmp.Compare(a.Number, b.Number))
		})
		list = append(list, k)
	}
	return list
}

// file is the place of a file in the order of lines: the sources as the PTX has them,
// then the PTX, then none.
func file(p *isa.Program, name string) int {
	if i := slices.Index(p.Files, name); i >= 0 {
		return i
	}
	if name == "" {
		return len(p.Files) + 1
	}
	return len(p.Files)
}

// add puts an instruction to its line.
func (k *Kernel) add(pc uint32, c *Counts) {
	name, number := Place(k.Prog, pc)
	at := slices.IndexFunc(k.Lines, func(l Line) bool { return l.File == name && l.Number == number })
	if at < 0 {
		at = len(k.Lines)
		k.Lines = append(k.Lines, Line{File: name, Number: number})
	}
	l := &k.Lines[at]
	if name != "" {
		l.Insts = append(l.Insts, Inst{pc, *c})
	}
	l.Add(c)
	k.Total.Add(c)
}

// Place is the file and the line that an instruction comes from; "" and 0 behind the
// last instruction.
func Place(p *isa.Program, pc uint32) (file string, line int32) {
	if int(pc) >= len(p.Insts) {
		return "", 0
	}
	in := &p.Insts[pc]
	if in.Loc.Line > 0 && int(in.Loc.File) < len(p.Files) {
		return p.Files[in.Loc.File], in.Loc.Line
	}
	return p.File, in.Pos.Line
}
