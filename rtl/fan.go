package rtl

// fan is a set of processes to wake: words of one of the kernel's process sets. Most fans fit in
// one word.
type fan struct {
	word *uint64
	mask uint64
	more []fanWord
}

type fanWord struct {
	word *uint64
	mask uint64
}

// newFan makes the fan of the given processes into a set.
func newFan(set []uint64, procs []*process) fan {
	var f fan
	for _, p := range procs {
		f.add(&set[p.id/64], 1<<(p.id%64))
	}
	return f
}

func (f *fan) add(word *uint64, mask uint64) {
	if f.word == nil || f.word == word {
		f.word = word
		f.mask |= mask
		return
	}
	for i := range f.more {
		if f.more[i].word == word {
			f.more[i].mask |= mask
			return
		}
	}
	f.more = append(f.more, fanWord{word, mask})
}

// mark wakes the processes.
func (f *fan) mark() {
	if f.word != nil {
		*f.word |= f.mask
		if f.more != nil {
			f.markMore()
		}
	}
}

func (f *fan) markMore() {
	for _, x := range f.more {
		*x.word |= x.mask
	}
}
