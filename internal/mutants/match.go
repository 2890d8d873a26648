package mutants

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"reflect"
	"strings"
)

// change is Old and New of a mutant as Go.
type change struct {
	old       []ast.Node
	end       token.Pos // end of the text of old; blocks closed after it are open
	open      bool      // old ends within a block
	operation bool      // New is an expression that needs parentheses as an operand
}

// forms are the kinds of Go that can be changed, in the order of trying.
var forms = []struct {
	before, after string
	nodes         func(*ast.File) []ast.Node
	empty         bool // New may be empty
}{
	{"package p; var _ = _{", "}", func(f *ast.File) []ast.Node {
		v := f.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0]
		return nodes(v.(*ast.CompositeLit).Elts)
	}, false},
	{"package p; func _() {\n", "\n}", func(f *ast.File) []ast.Node {
		return nodes(f.Decls[0].(*ast.FuncDecl).Body.List)
	}, true},
	{"package p; func _() { switch {\n", "\n}}", func(f *ast.File) []ast.Node {
		return nodes(f.Decls[0].(*ast.FuncDecl).Body.List[0].(*ast.SwitchStmt).Body.List)
	}, true},
	{"package p\n", "\n", func(f *ast.File) []ast.Node { return nodes(f.Decls) }, false},
}

func nodes[N ast.Node](list []N) (all []ast.Node) {
	for _, n := range list {
		all = append(all, n)
	}
	return all
}

// parseChange finds the form of both Old and New.
func parseChange(m *Mutant) (*change, error) {
	was, is := strings.TrimSpace(m.Old), strings.TrimSpace(m.New)
	closers := unclosed(was)
	if closers < 0 {
		return nil, m.errorf("} closes a block that is not there")
	}
	if unclosed(is) != closers {
		return nil, m.errorf("what is removed and what is added end in different blocks")
	}
	fset := token.NewFileSet()
	var reason error
	for _, f := range forms {
		parse := func(text string) []ast.Node {
			text = f.before + text + strings.Repeat("\n}", closers) + f.after
			file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
			if err != nil {
				if f.empty && reason == nil {
					reason = err
				}
				return nil
			}
			return f.nodes(file)
		}
		changed := parse(is)
		c := &change{old: parse(was)}
		if c.old == nil || changed == nil && !(f.empty && is == "") {
			continue
		}
		c.end = fset.File(c.old[0].Pos()).Pos(len(f.before) + len(was))
		_, clauses := c.old[0].(*ast.CaseClause)
		c.open = closers > 0 || clauses
		if len(changed) == 1 {
			switch changed[0].(type) {
			case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr:
				c.operation = true
			}
		}
		return c, nil
	}
	return nil, m.errorf("want expressions, statements, cases or functions, but: %v", reason)
}

// unclosed counts the braces open at the end of a text. It is -1 if the text closes a brace that it
// does not open.
func unclosed(text string) (n int) {
	for _, t := range tokens(text) {
		switch t {
		case "{":
			n++
		case "}":
			if n--; n < 0 {
				return -1
			}
		}
	}
	return n
}

// tokens are the tokens of a text, without comments.
func tokens(text string) (list []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), []byte(text), nil, 0)
	for {
		_, t, literal := s.Scan()
		switch {
		case t == token.EOF:
			return list
		case t == token.SEMICOLON:
		case literal != "":
			list = append(list, literal)
		default:
			list = append(list, t.String())
		}
	}
}

// common counts the tokens that two texts share, in any order.
func common(a, b []string) (n int) {
	left := map[string]int{}
	for _, t := range a {
		left[t]++
	}
	for _, t := range b {
		if left[t] > 0 {
			left[t]--
			n++
		}
	}
	return n
}

// place is a range of source text.
type place struct {
	from, to token.Pos
	operand  bool // of an expression
}

// places are the parts of a node that match what a change removes.
func (c *change) places(in ast.Node) (found []place) {
	sequences(in, func(parent ast.Node, list []ast.Node) {
		for i := range len(list) - len(c.old) + 1 {
			at := list[i : i+len(c.old)]
			if _, parens := at[0].(*ast.ParenExpr); parens && len(at) == 1 {
				continue // its content is visited as well
			}
			m := matcher{limit: c.end}
			if m.list(c.old, at, true) {
				_, operand := parent.(ast.Expr)
				found = append(found, place{at[0].Pos(), m.end, operand})
			}
		}
	})
	return found
}

// sequences calls f with each list of expressions or statements in a node, and with the node that
// has the list. The node itself is included. A single expression or statement is a list of one.
func sequences(in ast.Node, f func(parent ast.Node, list []ast.Node)) {
	f(nil, []ast.Node{in})
	ast.Inspect(in, func(n ast.Node) bool {
		if n == nil {
			return true
		}
		v := reflect.ValueOf(n).Elem()
		for i := range v.NumField() {
			switch x := v.Field(i).Interface().(type) {
			case []ast.Expr:
				f(n, nodes(x))
			case []ast.Stmt:
				f(n, nodes(x))
			case ast.Expr:
				if !reflect.ValueOf(x).IsNil() {
					f(n, []ast.Node{x})
				}
			case ast.Stmt:
				if !reflect.ValueOf(x).IsNil() {
					f(n, []ast.Node{x})
				}
			}
		}
		return true
	})
}

// matcher compares a pattern with source. A block of the pattern that is closed after limit matches
// any block that begins with its statements.
type matcher struct {
	limit token.Pos
	end   token.Pos // end of the source that matches
}

// list compares lists of nodes. If open, the source may have more nodes after the pattern.
func (m *matcher) list(pattern, source []ast.Node, open bool) bool {
	if len(source) < len(pattern) || !open && len(source) > len(pattern) {
		return false
	}
	for i, p := range pattern {
		s := source[i]
		last := open && i == len(pattern)-1
		if c, ok := p.(*ast.CaseClause); ok && last {
			d, ok := s.(*ast.CaseClause)
			if !ok || !m.list(nodes(c.List), nodes(d.List), false) {
				return false
			}
			m.end = d.Colon + 1
			return m.list(nodes(c.Body), nodes(d.Body), true)
		}
		if !m.equal(p, s) {
			return false
		}
		if last && p.End() <= m.limit {
			m.end = s.End()
		}
	}
	return true
}

// equal compares nodes, or parts of nodes.
func (m *matcher) equal(pattern, source any) bool {
	switch p := pattern.(type) {
	case *ast.ParenExpr:
		return m.equal(p.X, source)
	case *ast.BlockStmt:
		s, ok := source.(*ast.BlockStmt)
		if !ok || p == nil || s == nil {
			return ok && p == s
		}
		open := p.Rbrace >= m.limit
		if open {
			m.end = s.Lbrace + 1
		}
		return m.list(nodes(p.List), nodes(s.List), open)
	case *ast.IfStmt:
		if s, ok := source.(*ast.IfStmt); ok && p.Else == nil && p.Body.Rbrace >= m.limit {
			return m.equal(p.Init, s.Init) && m.equal(p.Cond, s.Cond) && m.equal(p.Body, s.Body)
		}
	}
	if s, ok := source.(*ast.ParenExpr); ok {
		return m.equal(pattern, s.X)
	}
	p, s := reflect.ValueOf(pattern), reflect.ValueOf(source)
	if !p.IsValid() || !s.IsValid() {
		return p.IsValid() == s.IsValid()
	}
	if p.Type() != s.Type() {
		return false
	}
	switch p.Kind() {
	case reflect.Pointer:
		if p.IsNil() || s.IsNil() {
			return p.IsNil() && s.IsNil()
		}
		p, s = p.Elem(), s.Elem()
		for i := range p.NumField() {
			if !m.field(p.Type().Field(i).Name, p.Field(i).Interface(), s.Field(i).Interface()) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if p.Len() != s.Len() {
			return false
		}
		for i := range p.Len() {
			if !m.equal(p.Index(i).Interface(), s.Index(i).Interface()) {
				return false
			}
		}
		return true
	}
	return pattern == source
}

// field compares fields of nodes. Only two positions count: they show that an element is present.
func (m *matcher) field(name string, pattern, source any) bool {
	if at, ok := pattern.(token.Pos); ok {
		there := name == "Ellipsis" || name == "Assign"
		return !there || at.IsValid() == source.(token.Pos).IsValid()
	}
	return m.equal(pattern, source)
}
