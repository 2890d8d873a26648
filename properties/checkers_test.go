package properties

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCheckersOfMemory: the list has each checker of package audit.
func TestCheckersOfMemory(t *testing.T) {
	listed := []string{}
	for _, c := range Checkers() {
		listed = append(listed, c.Name)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "../internal/audit/audit.go", nil, 0)
	require.NoError(t, err)
	n := 0
	ast.Inspect(file, func(at ast.Node) bool {
		if d, ok := at.(*ast.GenDecl); !ok || d.Tok != token.CONST {
			return true
		}
		ast.Inspect(at, func(at ast.Node) bool {
			if l, ok := at.(*ast.BasicLit); ok {
				name, err := strconv.Unquote(l.Value)
				require.NoError(t, err)
				assert.Contains(t, listed, name)
				n++
			}
			return true
		})
		return false
	})
	assert.Positive(t, n)
}
