package mutants

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Generated is a mutant that an operator makes, without an author:
//
//	negate      a condition is negated
//	and-or      && for ||, & for |, & for &^, and the other way round
//	off-by-one  < for <=, > for >=, the other way round; an index or a bound is one more or less
//	drop        a statement is left out
//	constant    a constant is one more
//	field       another field of the same type is read
//
// Many are planted in one program, where package planted selects one. So a build serves them all.
type Generated struct {
	Folder, In string // package and declaration
	Operator   string
	Old        string // what it changes, without line breaks
	Nth        int    // among those with the same text, operator and declaration; from 1

	file  string
	order int // of the sources: a mutant of an expression comes before those of its parts
	edits []edit
}

// edit is a change of a text. A # stands for the number of the mutant.
type edit struct {
	from, to int
	text     string
	closes   bool // ends an expression
}

// String names the mutant as in equivalent.txt.
func (g *Generated) String() string {
	return fmt.Sprintf("%s %s %s %d: %s", g.Folder, g.In, g.Operator, g.Nth, g.Old)
}

// Unseen reports whether the mutant is one of the third that nobody looks at who changes random
// kernels or checkers. Scores count them, but name only the others.
func (g *Generated) Unseen() bool { return sum("unseen", g.String())%3 == 0 }

// sum is the hash by which a text chooses a mutant of a name.
func sum(by, name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(by + " " + name))
	return h.Sum64()
}

// typedPackage is the source of a package with its types.
type typedPackage struct {
	*sources
	folder string
	info   types.Info
	self   *types.Package
}

// exports returns an importer of the compiled packages that the packages of folders need.
func exports(root string, folders []string) (types.Importer, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}")
	for _, f := range folders {
		list.Args = append(list.Args, "./"+f)
	}
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
	return importer.ForCompiler(token.NewFileSet(), "gc", open), nil
}

// Generate returns the mutants of packages, in the order of their sources. root is the folder of
// the module.
func Generate(root string, folders ...string) ([]*Generated, error) {
	imports, err := exports(root, folders)
	if err != nil {
		return nil, err
	}
	var all []*Generated
	for _, folder := range folders {
		p, err := parsePackage(root, folder)
		if err != nil {
			return nil, err
		}
		typed := &typedPackage{sources: p, folder: folder, info: types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
		}}
		config := types.Config{Importer: imports}
		if typed.self, err = config.Check("divergo/"+folder, p.Fset, p.Files, &typed.info); err != nil {
			return nil, err
		}
		for _, file := range p.Files {
			all = append(all, typed.generate(file)...)
		}
	}
	seen := map[string]int{}
	for i, g := range all {
		key := g.String()
		seen[key]++
		g.Nth, g.order = seen[key], i
	}
	return all, nil
}

// generator makes the mutants of a file.
type generator struct {
	*typedPackage
	name    string
	text    []byte
	imports map[string]string // name by path
	in      string
	path    []ast.Node // from the declaration to the parent of a node
	list    []*Generated
}

func (p *typedPackage) generate(file *ast.File) []*Generated {
	name := p.Fset.Position(file.Pos()).Filename
	g := &generator{typedPackage: p, name: name, text: p.texts[name], imports: map[string]string{}}
	for _, i := range file.Imports {
		full := strings.Trim(i.Path.Value, `"`)
		if g.imports[full] = path.Base(full); i.Name != nil {
			g.imports[full] = i.Name.Name
		}
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || slices.Contains([]string{"String", "Error", "init"}, f.Name.Name) {
			continue
		}
		g.in = f.Name.Name
		if f.Recv != nil {
			g.in = receiver(f.Recv.List[0].Type) + "." + g.in
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if n == nil {
				g.path = g.path[:len(g.path)-1]
				return true
			}
			if !g.enters(n) {
				return false
			}
			g.node(n)
			g.path = append(g.path, n)
			return true
		})
	}
	return g.list
}

// enters reports whether a node has code that can be changed.
func (g *generator) enters(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ArrayType, *ast.MapType, *ast.StructType, *ast.FuncType, *ast.InterfaceType:
		return false
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.Ident)
		return !ok || f.Name != "panic"
	}
	return true
}

func (g *generator) parent() ast.Node {
	if len(g.path) == 0 {
		return nil
	}
	return g.path[len(g.path)-1]
}

// node adds the mutants of one node.
func (g *generator) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.IfStmt:
		g.negate(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			g.negate(n.Cond)
		}
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				if n.Tag == nil {
					g.negate(e)
				}
			}
		}
	case *ast.RangeStmt:
		g.bound(n.X, "Minus")
	case *ast.IndexExpr:
		if g.info.Types[n.Index].IsValue() && !g.isMap(n.X) {
			g.bound(n.Index, "Plus")
		}
	case *ast.SliceExpr:
		g.bound(n.Low, "Plus")
		g.bound(n.High, "Minus")
	case *ast.BlockStmt:
		g.drop(n.List)
	case *ast.CaseClause:
		g.drop(n.Body)
	case *ast.BinaryExpr:
		g.binary(n)
	case *ast.SelectorExpr:
		g.field(n)
	}
	if e, ok := n.(ast.Expr); ok {
		g.constant(e)
	}
}

func (g *generator) offset(at token.Pos) int { return g.Fset.Position(at).Offset }

func (g *generator) source(n ast.Node) string {
	return string(g.text[g.offset(n.Pos()):g.offset(n.End())])
}

// add adds a mutant that changes a node.
func (g *generator) add(operator string, n ast.Node, edits ...edit) {
	g.list = append(g.list, &Generated{
		Folder: g.folder, In: g.in, Operator: operator, Old: strings.Join(strings.Fields(g.source(n)), " "),
		file: g.name, edits: edits,
	})
}

func (g *generator) before(n ast.Node, text string) edit {
	return edit{g.offset(n.Pos()), g.offset(n.Pos()), text, false}
}

func (g *generator) after(n ast.Node, text string) edit {
	return edit{g.offset(n.End()), g.offset(n.End()), text, true}
}

const changed = " != (planted.On == #)"

func (g *generator) negate(e ast.Expr) {
	if g.info.Types[e].Value == nil {
		g.add("negate", e, g.before(e, "("), g.after(e, ")"+changed))
	}
}

// calls are the functions of package planted for binary operators.
var calls = map[token.Token][2]string{
	token.LSS: {"off-by-one", "Less"}, token.LEQ: {"off-by-one", "LessEqual"},
	token.GTR: {"off-by-one", "Greater"}, token.GEQ: {"off-by-one", "GreaterEqual"},
	token.AND: {"and-or", "And"}, token.OR: {"and-or", "Or"}, token.AND_NOT: {"and-or", "AndNot"},
}

func (g *generator) binary(e *ast.BinaryExpr) {
	if g.info.Types[e].Value != nil || g.generic(e.X) || g.generic(e.Y) {
		return
	}
	switch call, ok := calls[e.Op]; {
	case e.Op == token.LAND || e.Op == token.LOR: // by De Morgan's law, so that Y is computed as often
		g.add("and-or", e, g.before(e.X, "(("), g.after(e.X, ")"+changed), g.before(e.Y, "("),
			g.after(e.Y, ")"+changed+")"+changed))
	case ok:
		at := g.offset(e.OpPos)
		g.add(call[0], e, g.before(e, "planted."+call[1]+"(#, "),
			edit{at, at + len(e.Op.String()), ",", false}, g.after(e, ")"))
	}
}

// generic reports whether the type of an expression is not known before its function is called.
func (g *generator) generic(e ast.Expr) bool {
	_, yes := g.info.Types[e].Type.(*types.TypeParam)
	return yes
}

// integer returns the name of an integer type in the file, and whether it has one.
func (g *generator) integer(t types.Type) (name string, ok bool) {
	basic, isBasic := t.Underlying().(*types.Basic)
	if _, parameter := t.(*types.TypeParam); parameter || !isBasic || basic.Info()&types.IsInteger == 0 ||
		basic.Info()&types.IsUntyped != 0 {
		return "", false
	}
	ok = true
	name = types.TypeString(t, func(p *types.Package) string {
		if p == g.self {
			return ""
		}
		as, imported := g.imports[p.Path()]
		ok = ok && imported
		return as
	})
	if n, named := t.(*types.Named); named && n.Obj().Pkg() != g.self && !n.Obj().Exported() {
		ok = false
	}
	return name, ok
}

// bound makes an index or a bound one more or less.
func (g *generator) bound(e ast.Expr, call string) {
	if e == nil || g.info.Types[e].Value != nil {
		return // constants have an operator of their own
	}
	if _, ok := g.integer(g.info.Types[e].Type); ok {
		g.add("off-by-one", e, g.before(e, "planted."+call+"(#, "), g.after(e, ")"))
	}
}

func (g *generator) isMap(e ast.Expr) bool {
	_, yes := g.info.Types[e].Type.Underlying().(*types.Map)
	return yes
}

func (g *generator) constant(e ast.Expr) {
	tv := g.info.Types[e]
	if tv.Value == nil || !tv.IsValue() {
		return
	}
	switch p := g.parent().(type) {
	case ast.Expr:
		if g.info.Types[p].Value != nil {
			return // a part of a larger constant
		}
		switch p := p.(type) {
		case *ast.KeyValueExpr:
			if p.Key == e {
				return
			}
		case *ast.SelectorExpr:
			return
		}
	case *ast.CaseClause:
		return
	}
	if name, ok := g.integer(tv.Type); ok {
		g.add("constant", e, g.before(e, "planted.Plus["+name+"](#, "), g.after(e, ")"))
	}
}

func (g *generator) drop(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if !g.enters(s.X) {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ReturnStmt:
			if len(s.Results) > 0 {
				continue
			}
		case *ast.IncDecStmt, *ast.BranchStmt:
		default:
			continue
		}
		g.add("drop", s, g.before(s, "if planted.On != # { "), g.after(s, " }"))
	}
}

// field reads the next field of the same type.
func (g *generator) field(e *ast.SelectorExpr) {
	s := g.info.Selections[e]
	if s == nil || s.Kind() != types.FieldVal || len(s.Index()) != 1 || !g.read(e) || !pure(e.X) {
		return
	}
	if _, basic := s.Type().Underlying().(*types.Basic); !basic || g.generic(e) {
		return
	}
	owner := s.Recv()
	if p, ok := owner.Underlying().(*types.Pointer); ok {
		owner = p.Elem()
	}
	t, ok := owner.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := 1; i < t.NumFields(); i++ {
		other := t.Field((s.Index()[0] + i) % t.NumFields())
		if types.Identical(other.Type(), s.Type()) && other.Name() != "_" && (other.Exported() || other.Pkg() == g.self) {
			g.add("field", e, g.before(e, "planted.Swap(#, "), g.after(e, ", "+g.source(e.X)+"."+other.Name()+")"))
			return
		}
	}
}

// pure reports whether an expression is a variable or a field of one.
func pure(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return pure(e.X)
	}
	return false
}

// read reports whether the value of an expression is used, but not its address.
func (g *generator) read(e ast.Expr) bool {
	switch p := g.parent().(type) {
	case *ast.AssignStmt:
		return !slices.Contains(p.Lhs, e)
	case *ast.RangeStmt:
		return p.X == e
	case *ast.UnaryExpr:
		return p.Op != token.AND
	case *ast.IncDecStmt, *ast.SelectorExpr:
		return false
	case *ast.KeyValueExpr:
		return p.Key != e
	case *ast.CallExpr:
		return p.Fun != e
	}
	return true
}

// planted returns the texts of the changed files of a package by name.
func (p *sources) planted(folder string, list []*Generated) map[string][]byte {
	numbers := make([]int, 0, len(list))
	for i, g := range list {
		if g.Folder == folder {
			numbers = append(numbers, i)
		}
	}
	slices.SortFunc(numbers, func(a, b int) int { return cmp.Compare(list[a].order, list[b].order) })
	edits := map[string][]edit{}
	for _, i := range numbers {
		g := list[i]
		for _, e := range g.edits {
			e.text = strings.ReplaceAll(e.text, "#", fmt.Sprint(i+1))
			edits[g.file] = append(edits[g.file], e)
		}
	}
	texts := map[string][]byte{}
	for _, f := range p.Files {
		at := p.Fset.Position(f.Name.End())
		if list := edits[at.Filename]; list != nil {
			use := edit{at.Offset, at.Offset, `; import "divergo/internal/mutants/planted"`, false}
			texts[at.Filename] = apply(p.texts[at.Filename], append(list, use))
		}
	}
	return texts
}

// apply changes a text. In the list, edits of an expression come before those of its parts.
func apply(text []byte, list []edit) []byte {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := list[a], list[b]
		switch {
		case x.from != y.from:
			return cmp.Compare(x.from, y.from)
		case x.closes && y.closes:
			return cmp.Compare(b, a)
		case x.closes != y.closes:
			if x.closes {
				return -1
			}
			return 1
		}
		return 0
	})
	var out []byte
	at := 0
	for _, i := range order {
		e := list[i]
		out = append(append(out, text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, text[at:]...)
}

// PlantAll writes changed copies of the sources into dir, with all mutants of a list, and a list for
// the flag -overlay of the go command. It returns the name of the latter. The number of a mutant is
// its place in the list, from 1.
func PlantAll(root, dir string, list []*Generated) (string, error) {
	replace := map[string]string{}
	done := map[string]bool{}
	for _, g := range list {
		if done[g.Folder] {
			continue
		}
		done[g.Folder] = true
		p, err := parsePackage(root, g.Folder)
		if err != nil {
			return "", err
		}
		for name, text := range p.planted(g.Folder, list) {
			copied := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
			if err := os.WriteFile(copied, text, 0o644); err != nil {
				return "", err
			}
			replace[filepath.Join(root, filepath.FromSlash(name))] = copied
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o644)
}
