package hostcheck

import "slices"

// Program is a random C++ program: the work of each thread of a kernel.
type Program struct {
	Seed        uint64
	Grid, Block uint32 // threads in x
	Types       []Decl
	Tables      []Decl  // of constants, and of functions
	Funcs       []*Func // the last one is the body of the kernel
}

// Threads is the number of threads of the grid.
func (p *Program) Threads() int { return int(p.Grid * p.Block) }

// Decl is a declaration.
type Decl struct{ Name, Text string }

// Func is a function. The functions that it calls come before it, except those of its cycle.
type Func struct {
	Name   string
	Result string // type
	Params []Var  // after the index of the thread
	Vars   []Var
	Body   []*Stmt
	Return *Expr // at its end
	Inline bool  // inlined if the compiler chooses
	Class  string
	Pure   bool // may be called in an expression
	cycle  int  // functions of one cycle call each other; 0: none
}

// Var is a variable with its value at the start.
type Var struct {
	Name, Type string
	Count      int // number of elements of an array; 0: no array
	Init       *Expr
}

// Kind of a statement.
type Kind uint8

// The kinds of statements. Conditions and counts are in Exprs.
const (
	Simple Kind = iota // an expression
	If                 // with one or two bodies
	For                // the three loops count Name up to their first expression, and continue while a second one holds
	While
	Do
	Switch // a body for each of Cases, and one for the default
	Break
	Continue
	Return
	Goto
	Label
)

// Stmt is a statement.
type Stmt struct {
	Kind   Kind
	Exprs  []*Expr
	Bodies [][]*Stmt
	Cases  []uint64
	Falls  []bool // of a switch: a body that falls through to the next one
	Name   string // name of a counter or a label
	Back   bool   // a goto that may lead back, and has fuel
}

// Expr is an expression.
type Expr struct {
	Form string // C++; $0, $1 ... are the arguments
	Type string // "" for an expression without a value
	Args []*Expr
}

// clone is a copy that shares no part that shrinking changes.
func (p *Program) clone() *Program {
	c := *p
	c.Funcs = make([]*Func, len(p.Funcs))
	for i, f := range p.Funcs {
		g := *f
		g.Vars = slices.Clone(f.Vars)
		for j := range g.Vars {
			g.Vars[j].Init = g.Vars[j].Init.clone()
		}
		g.Body, g.Return = cloneBody(f.Body), f.Return.clone()
		c.Funcs[i] = &g
	}
	return &c
}

func cloneBody(body []*Stmt) []*Stmt {
	list := make([]*Stmt, len(body))
	for i, s := range body {
		t := *s
		t.Exprs = slices.Clone(s.Exprs)
		for j := range t.Exprs {
			t.Exprs[j] = t.Exprs[j].clone()
		}
		t.Bodies = make([][]*Stmt, len(s.Bodies))
		for j := range t.Bodies {
			t.Bodies[j] = cloneBody(s.Bodies[j])
		}
		list[i] = &t
	}
	return list
}

func (e *Expr) clone() *Expr {
	if e == nil {
		return nil
	}
	c := *e
	c.Args = slices.Clone(e.Args)
	for i := range c.Args {
		c.Args[i] = c.Args[i].clone()
	}
	return &c
}

// bodies visits the lists of statements of a function, outer ones first.
func (f *Func) bodies(visit func(*[]*Stmt)) {
	var walk func(*[]*Stmt)
	walk = func(body *[]*Stmt) {
		visit(body)
		for _, s := range *body {
			for i := range s.Bodies {
				walk(&s.Bodies[i])
			}
		}
	}
	walk(&f.Body)
}

// exprs visits the expressions of a function, outer ones first.
func (f *Func) exprs(visit func(*Expr)) {
	var walk func(*Expr)
	walk = func(e *Expr) {
		visit(e)
		for _, a := range e.Args {
			walk(a)
		}
	}
	for i := range f.Vars {
		if f.Vars[i].Init != nil {
			walk(f.Vars[i].Init)
		}
	}
	f.bodies(func(body *[]*Stmt) {
		for _, s := range *body {
			for _, e := range s.Exprs {
				walk(e)
			}
		}
	})
	if f.Return != nil {
		walk(f.Return)
	}
}
