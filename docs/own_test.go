package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ownMechanism is the document that builds a module of the reader's own.
const ownMechanism = "howto/your-own-mechanism.md"

// ownFiles returns the files of that module by name. They are those of the examples.
func ownFiles(t *testing.T) map[string]string {
	files := map[string]string{}
	for _, name := range []string{
		"main.go", "frontier/frontier.go", "frontier/book.go", "frontier/paper.go",
		"frontier/frontier_test.go",
	} {
		text, err := os.ReadFile(filepath.Join("../examples", name))
		require.NoError(t, err)
		files[name] = string(text)
	}
	return files
}

// TestOwnMechanismListsItsFiles: the listings of the document, one after the other, are the files
// without the test.
func TestOwnMechanismListsItsFiles(t *testing.T) {
	text, err := os.ReadFile(ownMechanism)
	require.NoError(t, err)
	rest := map[string][]string{}
	files := ownFiles(t)
	for _, name := range []string{"main.go", "frontier/frontier.go"} {
		rest[name] = codeLines(strings.Split(files[name], "\n"))
	}
	for _, b := range blocks(string(text)) {
		listing := codeLines(b.lines)
		for name, lines := range rest {
			if n := len(listing); n <= len(lines) && slices.Equal(listing, lines[:n]) {
				rest[name] = lines[n:]
			}
		}
	}
	for name, lines := range rest {
		assert.Empty(t, lines, "%s: %s goes on with these lines", ownMechanism, name)
	}
}

// codeLines drops empty lines.
func codeLines(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.TrimSpace(l) == "" })
}
