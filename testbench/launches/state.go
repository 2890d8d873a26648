package launches

import (
	"crypto/sha256"

	"divergo/testbench"
)

// State is the contents of device memory after a launch. It has a hash of each buffer of the plan
// and of each variable of the kernel's module.
type State []Held

// Held is a buffer or a variable.
type Held struct {
	Name string
	Sum  [sha256.Size]byte
}

// State returns the state of a session after a launch, with the plan placed on it.
func (p *Plan) State(s *testbench.Session, placed *Placed, number int) State {
	var list State
	hold := func(name string, addr, bytes uint64) {
		data := make([]byte, bytes)
		s.Read(addr, data)
		list = append(list, Held{name, sha256.Sum256(data)})
	}
	for i := range p.Buffers {
		hold("buffer "+p.Buffers[i].Name, placed.Addrs[i], p.Buffers[i].Bytes)
	}
	prog := placed.Launches[number].Prog
	for _, g := range prog.Globals {
		if g.Addr != prog.Printer { // records are in the order of the threads' arrival
			hold("variable "+g.Name, g.Addr, g.Size)
		}
	}
	return list
}

// Difference returns the first launch after which two sessions differ, and the name of what
// differs; -1 if there is none. It compares the launches that both have run.
func Difference(a, b []State) (number int, name string) {
	for i := range min(len(a), len(b)) {
		for j := range a[i] {
			if a[i][j] != b[i][j] {
				return i, a[i][j].Name
			}
		}
	}
	return -1, ""
}
