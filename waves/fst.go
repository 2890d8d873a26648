package waves

import "divergo/waves/fst"

// femtoseconds is the unit of time as a power of ten seconds.
const femtoseconds = -15

// fstFormat writes FST, GTKWave's own format.
type fstFormat struct {
	to    *fst.Writer
	order []uint32 // by variable: its number in the file, where variables are in the order of scopes
}

func (f *fstFormat) header(root *scope) error {
	f.scopes(root)
	return nil // the file begins with the first values
}

// scopes declares the entries of a scope.
func (f *fstFormat) scopes(s *scope) {
	for _, x := range s.entries {
		switch {
		case x.v != nil && x.v.shown:
			f.declare(x.v)
		case x.sub != nil && x.sub.shown:
			f.to.Scope(x.sub.name)
			f.scopes(x.sub)
			f.to.Up()
		}
	}
}

func (f *fstFormat) declare(v *variable) {
	kind := fst.Reg
	if v.isWire() {
		kind = fst.Wire
	}
	f.order[v.id] = uint32(f.to.Var(kind, v.name, v.width))
}

func (f *fstFormat) values(fs uint64, values []uint64) {
	ordered := make([]uint64, len(values))
	for id, x := range values {
		ordered[f.order[id]] = x
	}
	f.to.Start(fs, ordered)
}

func (f *fstFormat) time(fs uint64) { f.to.Time(fs) }

func (f *fstFormat) changes(list []change) {
	for _, c := range list {
		if int(c.id) < len(f.order) {
			f.to.Change(int(f.order[c.id]), c.value)
		}
	}
}

func (f *fstFormat) failed() bool { return f.to.Failed() }

func (f *fstFormat) close() error { return f.to.Close() }
