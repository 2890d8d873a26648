package mutants

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/types"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compiler checks the types of packages with one changed file. Imports come from the compiled
// packages of the go command.
type compiler struct {
	imports types.Importer
	bare    map[string][]*ast.File // files of each folder, with functions without bodies
}

func newCompiler(t *testing.T, folders []string) *compiler {
	t.Helper()
	imports, err := exports(root(t), folders)
	require.NoError(t, err)
	return &compiler{imports, map[string][]*ast.File{}}
}

// check returns the errors in a changed file of a package. It reads only the declarations of the
// other files, which takes a fraction of the time.
func (c *compiler) check(p *sources, folder, file string, text []byte) error {
	changed, err := parser.ParseFile(p.Fset, "changed.go", text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if c.bare[folder] == nil {
		for _, f := range p.Files {
			c.bare[folder] = append(c.bare[folder], bare(f))
		}
	}
	files := []*ast.File{changed}
	for _, f := range c.bare[folder] {
		if p.Fset.Position(f.Pos()).Filename != file {
			files = append(files, f)
		}
	}
	var found []error
	config := types.Config{Importer: c.imports, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) && p.Fset.Position(e.Pos).Filename == "changed.go" {
			found = append(found, err)
		}
	}}
	_, _ = config.Check("divergo/"+folder, p.Fset, files, nil) // the errors are in found
	return errors.Join(found...)
}

func bare(f *ast.File) *ast.File {
	b := *f
	b.Decls = nil
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			header := *fn
			header.Body = nil
			d = &header
		}
		b.Decls = append(b.Decls, d)
	}
	return &b
}

// TestCompiler: code that the go command would not compile is an error.
func TestCompiler(t *testing.T) {
	const folder, file = "internal/nearest", "internal/nearest/nearest.go"
	p, err := parsePackage(root(t), folder)
	require.NoError(t, err)
	c := newCompiler(t, []string{folder})
	text, err := os.ReadFile(root(t) + "/" + file)
	require.NoError(t, err)
	require.NoError(t, c.check(p, folder, file, text))
	for add, want := range map[string]string{
		"func wrong() { nowhere() }":         "undefined: nowhere",
		"func wrong() { x := 1 }":            "declared and not used: x",
		"func wrong() int { distance(1, 2)}": "cannot use 1",
		"func wrong() int { }":               "missing return",
		"func wrong( {":                      "expected",
	} {
		assert.ErrorContains(t, c.check(p, folder, file, []byte(string(text)+"\n"+add)), want)
	}
	unused := strings.Replace(string(text), "import (", "import (\n\t\"os\"", 1)
	assert.ErrorContains(t, c.check(p, folder, file, []byte(unused)), `"os" imported and not used`)
}
