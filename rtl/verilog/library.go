package verilog

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Library has the functions of packages whose source is at hand, in SSA form.
type Library struct {
	set      *token.FileSet
	prog     *ssa.Program
	packages map[string]*types.Package
	shapes   map[*ssa.Function]*shape
}

// Load reads packages of this module from a file system that holds their folders, such as an
// embedded one. A package comes behind those that it imports. It need not be complete, and its
// other imports may be missing: functions that use them can then not be printed. No Go tool chain
// is needed.
func Load(files fs.FS, packages ...string) (*Library, error) {
	l := &Library{
		set: token.NewFileSet(), packages: map[string]*types.Package{"unsafe": types.Unsafe},
		shapes: map[*ssa.Function]*shape{},
	}
	l.prog = ssa.NewProgram(l.set, ssa.GlobalDebug|ssa.InstantiateGenerics)
	for _, s := range stubs {
		file, err := parser.ParseFile(l.set, s.path, s.text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("verilog: %w", err)
		}
		l.add(s.path, []*ast.File{file})
	}
	for _, p := range packages {
		names, err := fs.Glob(files, p+"/*.go")
		if err != nil || len(names) == 0 {
			return nil, fmt.Errorf("verilog: package %s has no source here", p)
		}
		var parsed []*ast.File
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := fs.ReadFile(files, name)
			if err != nil {
				return nil, fmt.Errorf("verilog: %w", err)
			}
			file, err := parser.ParseFile(l.set, name, text, parser.SkipObjectResolution)
			if err != nil {
				return nil, fmt.Errorf("verilog: %w", err)
			}
			parsed = append(parsed, file)
		}
		l.add("divergo/"+p, parsed)
	}
	return l, nil
}

// Import returns a package that has been loaded.
func (l *Library) Import(path string) (*types.Package, error) {
	if p := l.packages[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("not loaded")
}

// add checks the types of a package and builds its functions.
func (l *Library) add(path string, files []*ast.File) {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	cfg := types.Config{
		Importer: l, GoVersion: "go1.26", Sizes: types.SizesFor("gc", "amd64"),
		Error: func(error) {}, // what is not known is left out below
	}
	pkg, _ := cfg.Check(path, l.set, files, info)
	pkg.SetImports(slices.DeleteFunc(pkg.Imports(), func(p *types.Package) bool { return l.packages[p.Path()] != p }))
	l.packages[path] = pkg
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && !known(fn.Body, info) {
				fn.Body = nil
			}
		}
	}
	info.InitOrder = slices.DeleteFunc(info.InitOrder, func(i *types.Initializer) bool { return !known(i.Rhs, info) })
	l.prog.CreatePackage(pkg, files, info, true).Build()
}

// known reports whether the type checker knows every name and every type below a node.
func known(n ast.Node, info *types.Info) bool {
	all := true
	ast.Inspect(n, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.Ident:
			switch o := info.ObjectOf(e).(type) {
			case *types.Const, *types.Var, *types.Func, *types.TypeName:
				all = all && !invalid(o.Type())
			}
		case *ast.SelectorExpr:
			if info.Uses[e.Sel] == nil {
				all = false
			}
		}
		if e, ok := n.(ast.Expr); ok {
			if t, ok := info.Types[e]; ok && !t.IsBuiltin() && invalid(t.Type) {
				all = false
			}
		}
		return all
	})
	return all
}

func invalid(t types.Type) bool { return t != nil && t.Underlying() == types.Typ[types.Invalid] }

// method is a method of the type of a value of the program that runs.
func (l *Library) method(t reflect.Type, name string) *ssa.Function {
	pkg := l.packages[t.Elem().PkgPath()]
	if pkg == nil {
		return nil
	}
	obj := pkg.Scope().Lookup(t.Elem().Name())
	if obj == nil {
		return nil
	}
	return l.prog.LookupMethod(types.NewPointer(obj.Type()), pkg, name)
}

// function is a function of the program that runs, found by the place of its source.
func (l *Library) function(v reflect.Value) *ssa.Function {
	f := runtime.FuncForPC(v.Pointer())
	file, line := f.FileLine(f.Entry())
	for _, p := range l.prog.AllPackages() {
		if !strings.HasPrefix(f.Name(), p.Pkg.Path()+".") {
			continue
		}
		var found []*ssa.Function
		var search func(fn *ssa.Function)
		search = func(fn *ssa.Function) {
			at := l.set.Position(fn.Pos())
			if at.Line == line && path.Base(at.Filename) == path.Base(file) {
				found = append(found, fn)
			}
			for _, inner := range fn.AnonFuncs {
				search(inner)
			}
		}
		for _, m := range p.Members {
			if fn, ok := m.(*ssa.Function); ok {
				search(fn)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return nil
}

// stub is a package whose functions are intrinsics, or are needed only for their types.
type stub struct{ path, text string }

var stubs = []stub{
	{"math/bits", `package bits
func TrailingZeros(x uint) int { panic(0) }
func TrailingZeros32(x uint32) int { panic(0) }
func TrailingZeros64(x uint64) int { panic(0) }
func OnesCount32(x uint32) int { panic(0) }
func OnesCount64(x uint64) int { panic(0) }
func Len(x uint) int { panic(0) }
func Len32(x uint32) int { panic(0) }
func Len64(x uint64) int { panic(0) }
func RotateLeft64(x uint64, k int) uint64 { panic(0) }
`},
	{"encoding/binary", `package binary
type littleEndian struct{}
var LittleEndian littleEndian
func (littleEndian) Uint64(b []byte) uint64 { panic(0) }
func (littleEndian) PutUint64(b []byte, v uint64) { panic(0) }
`},
	{"divergo/internal/key", `package key
type Words struct{}
type Choices[W ~string, V any] struct{}
func (Choices[W, V]) With(w W, doc string, v V) Choices[W, V] { panic(0) }
func (Choices[W, V]) Of(w W) (V, error) { panic(0) }
func (Choices[W, V]) Must(w W) V { panic(0) }
func (Choices[W, V]) Words() Words { panic(0) }
`},
	{"divergo/rtl", `package rtl
type State[S any] struct{ q, d S }
func (*State[S]) Q() *S { panic(0) }
func (*State[S]) D() *S { panic(0) }
func (*State[S]) Next() *S { panic(0) }
func (*State[S]) Regs() (q, d *S) { panic(0) }
type Mem[T any] struct{ now, next []T }
func NewMem[T any](n int) *Mem[T] { panic(0) }
func (*Mem[T]) At(i int) *T { panic(0) }
func (*Mem[T]) Next(i int) *T { panic(0) }
func (*Mem[T]) Edit(i int) *T { panic(0) }
func (*Mem[T]) Write(i int, v T) { panic(0) }
func (*Mem[T]) Len() int { panic(0) }
func (*Mem[T]) Resize(n int) { panic(0) }
func (*Mem[T]) Set(i int, v T) { panic(0) }
type Wire[T any] struct{ v T }
func (*Wire[T]) Get() T { panic(0) }
func (*Wire[T]) At() *T { panic(0) }
func (*Wire[T]) Set(v T) { panic(0) }
type Observers[T any] struct{ n int }
func (*Observers[T]) Any() bool { panic(0) }
func (*Observers[T]) Notify(T) { panic(0) }
`},
}
