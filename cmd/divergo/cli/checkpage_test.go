package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/properties/page"
)

// TestStatementsOf checks the sums of a profile, and that lines never executed are joined to ranges. The
// format is that of "go help testflag", -coverprofile.
func TestStatementsOf(t *testing.T) {
	list, err := statementsOf(`mode: set
divergo/units/b.go:3.10,5.2 2 1
divergo/units/a.go:10.1,12.3 3 0
divergo/units/a.go:13.1,13.9 1 0
divergo/units/a.go:20.1,20.9 1 0
divergo/units/a.go:1.1,4.2 4 7
`)
	require.NoError(t, err)
	assert.Equal(t, []page.File{
		{Name: "units/a.go", Of: 9, Executed: 4, Never: "10-13, 20"},
		{Name: "units/b.go", Of: 2, Executed: 2},
	}, list)
	_, err = statementsOf("mode: set\nnonsense\n")
	assert.ErrorContains(t, err, "nonsense")
}
