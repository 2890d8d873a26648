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
	Lines    []Line // with nonzero counts, by file and line
	Total    Counts
}

// Line is a line of the source that the PTX was compiled from. If the PTX names no source line, it
// is a line of the PTX.
type Line struct {
	File   string // "": no instruction's
	Number int32
	Insts  []Inst // in the order of PCs
	Counts
}

// Inst is an instruction of a kernel.
type Inst struct {
	PC uint32
	Counts
}

// Kernels returns the launched kernels, in the order of their first launch. Call it only between
// runs.
func (p *Profile) Kernels() []Kernel {
	p.close()
	var list []Kernel
	for i, prog := range p.programs {
		k := Kernel{Prog: prog, Launches: p.launches[i]}
		at := map[place]int{}
		for pc := range len(prog.Insts) + 1 {
			var sum Counts
			for _, b := range p.books {
				if c := b.by[i][pc]; c != nil {
					sum.Add(c)
				}
			}
			if sum != (Counts{}) {
				k.add(at, uint32(pc), &sum)
			}
		}
		slices.SortStableFunc(k.Lines, func(a, b Line) int { return order(prog, a.File, a.Number, b.File, b.Number) })
		list = append(list, k)
	}
	return list
}

// order compares lines: sources in the order of the PTX, then the PTX, then lines of no
// instruction.
func order(p *isa.Program, file string, number int32, than string, thanNumber int32) int {
	place := func(name string) int {
		i := slices.Index(p.Files, name)
		switch {
		case i >= 0:
			return i
		case name != "":
			return len(p.Files)
		}
		return len(p.Files) + 1
	}
	return cmp.Or(cmp.Compare(place(file), place(than)), cmp.Compare(number, thanNumber))
}

// place is a line of a file.
type place struct {
	file   string // "": no instruction's
	number int32
}

// add adds an instruction to its line; at holds the index of each line.
func (k *Kernel) add(at map[place]int, pc uint32, c *Counts) {
	of := placeOf(k.Prog, pc)
	i, ok := at[of]
	if !ok {
		i = len(k.Lines)
		at[of] = i
		k.Lines = append(k.Lines, Line{File: of.file, Number: of.number})
	}
	l := &k.Lines[i]
	if of.file != "" {
		l.Insts = append(l.Insts, Inst{pc, *c})
	}
	l.Add(c)
	k.Total.Add(c)
}

// placeOf returns the source line of an instruction; past the last instruction it is the zero
// place.
func placeOf(p *isa.Program, pc uint32) place {
	if int(pc) >= len(p.Insts) {
		return place{}
	}
	in := &p.Insts[pc]
	if in.Loc.Line > 0 && int(in.Loc.File) < len(p.Files) {
		return place{p.Files[in.Loc.File], in.Loc.Line}
	}
	return place{p.File, in.Pos.Line}
}
