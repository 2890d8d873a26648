package kernels

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// section is what docs/reference/kernels.md has to say about a kernel.
func section(k Kernel) string {
	var s strings.Builder
	fmt.Fprintf(&s, "### %s\n\n%s.\n\n", k.Name, strings.ToUpper(k.Doc[:1])+k.Doc[1:])
	fmt.Fprintf(&s, "- Source: %s.\n- Control flow: %s.\n- Checked against: %s.\n\n", k.Source, k.Control, k.Result)
	s.WriteString("| size | problem and launch |\n|---|---|\n")
	for _, size := range k.Sizes {
		fmt.Fprintf(&s, "| %s | %s |\n", size.Name, size.Doc)
	}
	return s.String()
}

func TestDocumentationIsComplete(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/kernels.md")
	require.NoError(t, err)
	for _, k := range All() {
		assert.Contains(t, string(page), section(k))
	}
}
