package hostcheck

import (
	"slices"
	"time"
)

// tries is the number of smaller programs that are compiled together.
const tries = 12

// Shrink makes the program of a failure smaller until the time limit. The program must still fail
// at the same level under the same mechanism.
func (r *Runner) Shrink(f *Failure, limit time.Duration) *Failure {
	end := time.Now().Add(limit)
	for edit, changed := 0, false; time.Now().Before(end); {
		var batch []*Program
		for len(batch) < tries {
			p := f.Program.clone()
			if !p.simplify(edit + len(batch)) {
				break
			}
			batch = append(batch, p)
		}
		if len(batch) == 0 {
			if !changed {
				break
			}
			edit, changed = 0, false
			continue
		}
		failures, err := r.Check(batch, []string{f.Level}, only(f.Mechanism))
		if err != nil || len(failures) == 0 {
			edit += len(batch)
			continue
		}
		edit += slices.Index(batch, failures[0].Program)
		f, changed = failures[0], true
	}
	return f
}

// only is a plan with one mechanism.
func only(mechanism string) Plan {
	return func(uint64, int) []string {
		if mechanism == "" { // refused: no run is needed
			return nil
		}
		return []string{mechanism}
	}
}

// simplify makes the program simpler in the n-th of all possible ways. A way drops a part of a list
// of statements, or puts a body in place of the statement around it. It may also put an argument or
// a constant in place of an expression, or use fewer threads.
func (p *Program) simplify(n int) bool {
	done := false
	turn := func(change func()) {
		if n == 0 && !done {
			change()
			done = true
		}
		n--
	}
	for _, f := range slices.Backward(p.Funcs) {
		var lists []*[]*Stmt
		f.bodies(func(body *[]*Stmt) { lists = append(lists, body) })
		for _, list := range lists {
			for size := len(*list); size > 0; size /= 2 {
				for at := 0; at+size <= len(*list); at += size {
					turn(func() { *list = slices.Delete(*list, at, at+size) })
					if done {
						return true
					}
				}
			}
			for i, s := range *list {
				for _, body := range s.Bodies {
					turn(func() { *list = slices.Replace(*list, i, i+1, body...) })
					if done {
						return true
					}
				}
			}
		}
		f.exprs(func(e *Expr) {
			if done || e.Type == "" {
				return
			}
			for _, a := range e.Args {
				if a.Type == e.Type {
					turn(func() { *e = *a })
				}
				if done {
					return
				}
			}
			if zero := (Expr{Form: e.Type + "(0)", Type: e.Type}); len(e.Args) > 0 &&
				(isScalar(e.Type) || e.Type == "bool") {
				turn(func() { *e = zero })
			}
		})
		if done {
			return true
		}
	}
	if p.Grid > 1 {
		turn(func() { p.Grid = 1 })
	}
	if p.Block > 1 {
		turn(func() { p.Block /= 2 })
	}
	return done
}
