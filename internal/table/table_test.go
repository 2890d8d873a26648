package table_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/table"
)

func TestColumns(t *testing.T) {
	tab := table.New("name", "n", "note")
	tab.Row("a", 5, "")
	tab.Row("déjà", 1234, "x y")
	tab.Row("b", "-", "7 apples")
	var b strings.Builder
	n, err := tab.WriteTo(&b)
	require.NoError(t, err)
	assert.Equal(t, ""+
		"name     n  note\n"+
		"a        5\n"+
		"déjà  1234  x y\n"+
		"b        -  7 apples\n", b.String())
	assert.EqualValues(t, b.Len(), n)
}

func TestNoHeader(t *testing.T) {
	tab := table.New()
	tab.Row("gpu.sms", 30)
	tab.Row("l1", 4)
	var b strings.Builder
	_, err := tab.WriteTo(&b)
	require.NoError(t, err)
	assert.Equal(t, "gpu.sms  30\nl1        4\n", b.String())
}

func ExampleTable() {
	t := table.New("mechanism", "cycles", "ipc")
	t.Row("pdom", 12345, 0.75)
	t.Row("tbc", 987, 1.0)
	t.WriteTo(os.Stdout)
	// Output:
	// mechanism  cycles     ipc
	// pdom        12345  0.7500
	// tbc           987  1.0000
}

func TestMarkdown(t *testing.T) {
	tab := table.New("name", "n")
	tab.Row("a", 5)
	tab.Row("b c", "-")
	var b strings.Builder
	require.NoError(t, tab.WriteMarkdown(&b))
	assert.Equal(t, "| name | n |\n|---|---|\n| a | 5 |\n| b c | - |\n", b.String())
}
