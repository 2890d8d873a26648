package mutants

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"divergo/internal/nearest"
)

// sources is the source of a package.
type sources struct {
	Fset  *token.FileSet
	Files []*ast.File
	texts map[string][]byte // by file name from the root of the module
	decls []declaration
}

type declaration struct {
	name string // as in go doc: Func, Type.Method
	node ast.Node
}

// parsePackage reads the package of a folder, without its tests. root is the folder of the module.
func parsePackage(root, folder string) (*sources, error) {
	dir := filepath.Join(root, filepath.FromSlash(folder))
	found, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	p := &sources{Fset: token.NewFileSet(), texts: map[string][]byte{}}
	for _, f := range found.GoFiles {
		text, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			return nil, err
		}
		name := path.Join(folder, f)
		file, err := parser.ParseFile(p.Fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.Files, p.texts[name] = append(p.Files, file), text
		for _, d := range file.Decls {
			p.declare(d)
		}
	}
	return p, nil
}

func (p *sources) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		p.decls = append(p.decls, declaration{name, d})
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				p.decls = append(p.decls, declaration{s.Name.Name, s})
			case *ast.ValueSpec:
				for _, n := range s.Names {
					p.decls = append(p.decls, declaration{n.Name, s})
				}
			}
		}
	}
}

// receiver is the name of the type of a receiver, without star and type parameters.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// plant returns the file that a mutant changes, and its changed text.
func (p *sources) plant(m *Mutant) (file string, text []byte, err error) {
	c, err := parseChange(m)
	if err != nil {
		return "", nil, err
	}
	var found []place
	for _, d := range p.decls {
		if d.name == m.In {
			found = append(found, c.places(d.node)...)
		}
	}
	if len(found) != max(m.Of, 1) {
		return "", nil, p.missing(m, c, found)
	}
	at := found[max(m.Nth, 1)-1]
	from, to := p.Fset.Position(at.from), p.Fset.Position(at.to)
	text = p.texts[from.Filename]
	changed := strings.TrimSpace(m.New)
	if at.operand && c.operation {
		changed = "(" + changed + ")"
	}
	return from.Filename, slices.Concat(text[:from.Offset], []byte(changed), text[to.Offset:]), nil
}

// missing is the error for a mutant whose lines have the wrong number of matches in its
// declaration.
func (p *sources) missing(m *Mutant, c *change, found []place) error {
	if len(found) > 0 {
		var at []string
		for _, f := range found {
			at = append(at, p.position(f.from))
		}
		if m.Of > 0 {
			return m.errorf("%s has these lines %d times, not %d: %s", m.In, len(found), m.Of, strings.Join(at, ", "))
		}
		return m.errorf("%s has these lines %d times: %s; take more lines, or write \"@@ %s 1 of %d\"",
			m.In, len(found), strings.Join(at, ", "), m.In, len(found))
	}
	what := "has no such lines"
	i := slices.IndexFunc(p.decls, func(d declaration) bool { return d.name == m.In })
	if i < 0 {
		what = "is not in package " + m.Folder
	}
	for _, d := range p.decls {
		if list := c.places(d.node); len(list) > 0 {
			return m.errorf("%s %s; they are in %s, %s", m.In, what, d.name, p.position(list[0].from))
		}
	}
	if i >= 0 {
		return m.errorf("%s %s; the nearest: %s", m.In, what, p.nearest(m, c, p.decls[i].node))
	}
	var names []string
	for _, d := range p.decls {
		names = append(names, d.name)
	}
	if w := nearest.Word(m.In, names); w != "" {
		d := p.decls[slices.Index(names, w)]
		return m.errorf("%s %s; did you mean %s? The nearest there: %s", m.In, what, w, p.nearest(m, c, d.node))
	}
	return m.errorf("%s %s", m.In, what)
}

// nearest describes the place of a declaration that is most similar to the lines to change.
func (p *sources) nearest(m *Mutant, c *change, in ast.Node) string {
	want := tokens(m.Old)
	best, at := -1.0, in.Pos()
	sequences(in, func(_ ast.Node, list []ast.Node) {
		for i := range len(list) - len(c.old) + 1 {
			from, to := p.Fset.Position(list[i].Pos()), p.Fset.Position(list[i+len(c.old)-1].End())
			have := tokens(string(p.texts[from.Filename][from.Offset:to.Offset]))
			if c.open {
				have = have[:min(len(have), len(want))] // what follows in the block is any
			}
			if alike := 2 * float64(common(want, have)) / float64(len(want)+len(have)); alike > best {
				best, at = alike, list[i].Pos()
			}
		}
	})
	text := string(p.texts[p.Fset.Position(at).Filename][p.Fset.Position(at).Offset:])
	line, _, _ := strings.Cut(text, "\n")
	return p.position(at) + ": " + line
}

func (p *sources) position(at token.Pos) string {
	pos := p.Fset.Position(at)
	return fmt.Sprintf("%s:%d", pos.Filename, pos.Line)
}
