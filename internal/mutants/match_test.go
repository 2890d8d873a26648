package mutants

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const source = `package stack

// Depth is a constant.
const Depth = 8

var words = []string{"runs", "waits", "ends"}

type Entry struct {
	Mask uint32 ` + "`bits:\"lanes\"`" + `
	PC   int
}

func (k *Stack) Pop(w int) {
	if e := k.top(w); e.Mask == 0 || e.PC == 3 { // empty
		k.depth--
		k.changed(w)
	} else if e.PC > 7 {
		k.depth++
	}
	for i := 0; i < 4; i++ {
		k.changed(i)
	}
	switch w {
	case 1, 2:
		k.depth = 1
		k.changed(w)
	case 3:
		k.changed(w)
	}
	k.depth = k.depth & (4 - 1)
}

func (k *Stack) Push(w int) { k.depth = min(k.depth+1, Depth, max(w), max(w...)) }

func (k *Stack) off() bool { return k.depth == 0 }
`

// parse makes a package of files; names and texts alternate.
func parse(t *testing.T, files ...string) *sources {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644))
	}
	p, err := parsePackage(dir, ".")
	require.NoError(t, err)
	return p
}

// plant plants the only mutant of a text.
func plant(t *testing.T, p *sources, diff string) (text string, err error) {
	t.Helper()
	list, err := read("mutants.diff", "name: mine\nbug: none\n"+diff)
	require.NoError(t, err)
	require.Len(t, list, 1)
	_, changed, err := p.plant(&list[0])
	return string(changed), err
}

// TestPlant: a diff changes only its lines.
func TestPlant(t *testing.T) {
	for name, c := range map[string]struct{ diff, old, new string }{
		"expression":  {"@@ Stack.Pop\n- e.PC == 3\n+ e.PC == 4", "e.PC == 3", "(e.PC == 4)"},
		"operand":     {"@@ Stack.Pop\n- e.Mask == 0\n+ e.Mask == 0 && a", "e.Mask == 0 ||", "(e.Mask == 0 && a) ||"},
		"parentheses": {"@@ Stack.Pop\n- k.depth & ((4) - 1)\n+ k.depth & 2", "k.depth & (4 - 1)", "k.depth & 2"},
		"list":        {"@@ words\n- \"runs\", \"waits\"\n+ \"waits\"", `"runs", "waits"`, `"waits"`},
		"statement":   {"@@ Stack.Pop\n- k.depth--\n+ k.depth -= 2", "k.depth--", "k.depth -= 2"},
		"removed":     {"@@ Stack.Pop\n- k.depth--\n  k.changed(w)", "k.depth--\n\t\tk.changed(w)", "k.changed(w)"},
		"added":       {"@@ Stack.Pop\n  k.depth--\n+ k.wake()", "k.depth--", "k.depth--\n\t\tk.wake()"},
		"loop":        {"@@ Stack.Pop\n- for i := 0; i < 4; i++ {\n+ for i := 0; i < 3; i++ {", "i < 4", "i < 3"},
		"if":          {"@@ Stack.Pop\n- if e.PC > 7 {\n+ if e.PC > 8 {", "e.PC > 7", "e.PC > 8"},
		"block":       {"@@ Stack.Pop\n  if e.PC > 7 {\n- \tk.depth++\n+ \tk.depth--", "k.depth++", "k.depth--"},
		"case":        {"@@ Stack.Pop\n- case 1, 2:\n+ case 2:\n  \tk.depth = 1", "case 1, 2:", "case 2:"},
		"added case":  {"@@ Stack.Pop\n+ case 4:\n  case 3:", "case 3:", "case 4:\n\tcase 3:"},
		"second of 3": {
			"@@ Stack.Pop 2 of 3\n- k.changed(w)\n+ k.wake()", "= 1\n\t\tk.changed(w)",
			"= 1\n\t\tk.wake()",
		},
		"variadic call": {"@@ Stack.Push\n- max(w...)\n+ max(w)", "max(w...)", "max(w)"},
		"constant":      {"@@ Depth\n- 8\n+ 9", "Depth = 8", "Depth = 9"},
		"tag":           {"@@ Entry\n- `bits:\"lanes\"`\n+ `bits:\"1\"`", `bits:"lanes"`, `bits:"1"`},
		"function": {
			"@@ Stack.off\n- func (k *Stack) off() bool {\n+ func (k *Stack) off() bool {\n+ \tk.depth++",
			"off() bool {", "off() bool {\n\tk.depth++",
		},
	} {
		got, err := plant(t, parse(t, "stack.go", source), c.diff)
		require.Equal(t, 1, strings.Count(source, c.old), name)
		require.NoError(t, err, name)
		want := strings.Replace(source, c.old, c.new, 1)
		assert.Equal(t, strings.Fields(want), strings.Fields(got), name)
	}
}

// TestRefactored: a mutant still applies with other comments, formatting, file and receiver.
func TestRefactored(t *testing.T) {
	const diff = "@@ Stack.Pop\n- if e := k.top(w); e.Mask == 0 || e.PC == 3 {\n+ if e := k.top(w); e.Mask == 0 {"
	const other = `package stack
func (k Stack) Pop(w int) {
	if e := /* the top */ k.top(w); (e.Mask==0) ||
		e.PC==3 { k.depth++ } else { k.depth = 9 }
}
`
	got, err := plant(t, parse(t, "a.go", "package stack\n", "b.go", other, "c_plan9.go", source), diff)
	require.NoError(t, err)
	assert.Contains(t, got, "{\n\tif e := k.top(w); e.Mask == 0 { k.depth++ } else {")
}

// TestNearest: a mutant that does not apply is reported with the place that it may have meant.
func TestNearest(t *testing.T) {
	for _, c := range []struct{ diff, want string }{
		{
			"@@ Stack.Pop\n- e.Mask == 0 || e.PC == 4\n+ true",
			"Stack.Pop has no such lines; the nearest: stack.go:14: e.Mask == 0 || e.PC == 3 { // empty",
		},
		{
			"@@ Stack.Pop\n- for i := 0; i < 5; i++ {\n+ {",
			"Stack.Pop has no such lines; the nearest: stack.go:20: for i := 0; i < 4; i++ {",
		},
		{
			"@@ Stack.Pop\n- e.PC == 3 || e.Mask == 0\n+ true",
			"Stack.Pop has no such lines; the nearest: stack.go:14: e.Mask == 0 || e.PC == 3 { // empty",
		},
		{"@@ Stack.Push\n- k.depth--\n+ _ = k", "Stack.Push has no such lines; they are in Stack.Pop, stack.go:15"},
		{
			"@@ Stack.PopAll\n- k.depth--\n+ _ = k",
			"Stack.PopAll is not in package .; they are in Stack.Pop, stack.go:15",
		},
		{
			"@@ Stack.Pops\n- k.depth -= 2\n+ _ = k",
			"Stack.Pops is not in package .; did you mean Stack.Pop? The nearest there: stack.go:",
		},
		{"@@ nothing\n- never\n+ _ = k", "nothing is not in package ."},
		{
			"@@ Stack.Pop\n- k.changed(w)\n+ _ = k", "Stack.Pop has these lines 3 times: stack.go:16, stack.go:26, " +
				"stack.go:28; take more lines, or write \"@@ Stack.Pop 1 of 3\"",
		},
		{
			"@@ Stack.Pop 1 of 2\n- k.changed(w)\n+ _ = k",
			"Stack.Pop has these lines 3 times, not 2: stack.go:16, stack.go:26, stack.go:28",
		},
		{"@@ Stack.Pop\n- if w > 0 {\n+ w > 0", "what is removed and what is added end in different blocks"},
		{"@@ Stack.Pop\n- } else if e.PC > 7 {\n+ } else {", "} closes a block that is not there"},
		{"@@ Stack.Pop\n- k.depth-\n+ k.depth", "want expressions, statements, cases or functions"},
	} {
		_, err := plant(t, parse(t, "stack.go", source), c.diff)
		assert.ErrorContains(t, err, "mutants.diff:1: mine: "+c.want, c.diff)
	}
}

// TestRead: a file of mutants is read, and each error is reported with its line.
func TestRead(t *testing.T) {
	list, err := read("units/mutants.diff", `# Bugs.

name: one
bug: a bug
by: pdom dpe
audit: ./units TestOne|TestTwo
claims: PPC-01 PPC-02
from: a/b#1
lives: why
@@ Stack.Pop 2 of 3
  a()
- b()
+ c()

# Another.
name: two
bug: another: one
@@ Depth
- 8
`)
	require.NoError(t, err)
	assert.Equal(t, []Mutant{
		{
			Name: "one", Bug: "a bug", By: []string{"pdom", "dpe"}, Audit: "./units TestOne|TestTwo",
			Claims: []string{"PPC-01", "PPC-02"}, From: "a/b#1", Lives: "why",
			At: "units/mutants.diff:3", Folder: "units", In: "Stack.Pop", Nth: 2, Of: 3,
			Old: " a()\n b()\n", New: " a()\n c()\n",
		},
		{
			Name: "two", Bug: "another: one",
			At: "units/mutants.diff:16", Folder: "units", In: "Depth", Old: " 8\n",
		},
	}, list)
	for text, want := range map[string]string{
		"bug: a bug":                     `x.diff:1: want name: NAME, the first line of a mutant, not "bug: a bug"`,
		"name: a\nbugs: x":               `x.diff:2: unknown key "bugs"; did you mean "bug"?`,
		"name: a\nnothing":               `x.diff:2: want KEY: VALUE, not "nothing"`,
		"name: a\n- 8":                   "x.diff:2: want @@ DECLARATION before the lines to change",
		"name: a\n@@ Depth 0 of 2":       `x.diff:2: want @@ DECLARATION or @@ DECLARATION N of M, not "@@ Depth 0 of 2"`,
		"name: a\n@@ Depth\n- 8\nby: x":  `x.diff:4: want a line to change, which begins with a space, - or +, not "by: x"`,
		"name: a\nbug: b\n@@ Depth\n+ 8": "x.diff:1: a: want bug: TEXT, @@ DECLARATION, and a line with - or a space",
	} {
		_, err := read("x.diff", text)
		assert.EqualError(t, err, want)
	}
}

// TestCatalogueRefactored: all mutants apply to the hardware without comments, in another format,
// with reversed declarations and other file names.
func TestCatalogueRefactored(t *testing.T) {
	dir, packages := t.TempDir(), map[string]*sources{}
	for _, m := range catalogue(t) {
		if packages[m.Folder] == nil {
			packages[m.Folder] = refactored(t, m.Folder, dir)
		}
		_, _, err := packages[m.Folder].plant(&m)
		assert.NoError(t, err)
	}
}

func refactored(t *testing.T, folder, dir string) *sources {
	t.Helper()
	p, err := parsePackage(root(t), folder)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
	for i, f := range p.Files {
		name := p.Fset.Position(f.Pos()).Filename
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		n := slices.IndexFunc(f.Decls, func(d ast.Decl) bool {
			g, ok := d.(*ast.GenDecl)
			return !ok || g.Tok != token.IMPORT
		})
		slices.Reverse(f.Decls[max(n, 0):])
		var text bytes.Buffer
		format := printer.Config{Mode: printer.RawFormat, Tabwidth: 3}
		require.NoError(t, format.Fprint(&text, token.NewFileSet(), f))
		other := p.Fset.Position(p.Files[(i+1)%len(p.Files)].Pos()).Filename
		require.NoError(t, os.WriteFile(filepath.Join(dir, other), text.Bytes(), 0o644))
	}
	p, err = parsePackage(dir, folder)
	require.NoError(t, err)
	return p
}
