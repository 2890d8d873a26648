package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVersion: divergo version prints the newest version of the changelog. It adds "+devel" if
// there are unreleased entries.
func TestVersion(t *testing.T) {
	text, err := os.ReadFile("../../../CHANGELOG.md")
	require.NoError(t, err)
	_, text, found := bytes.Cut(text, []byte("\n## [Unreleased]\n"))
	require.True(t, found, "CHANGELOG.md has no section Unreleased")
	head := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$`).FindSubmatchIndex(text)
	require.NotNil(t, head, "CHANGELOG.md has no version")
	want := string(text[head[2]:head[3]])
	if strings.Contains(string(text[:head[0]]), "\n- ") {
		want += "+devel"
	}
	var out, errs bytes.Buffer
	require.Zero(t, Run([]string{"version"}, &out, &errs), "%s", &errs)
	assert.True(t, strings.HasPrefix(out.String(), "divergo "+want+", "), "found %q, CHANGELOG.md has %s", &out, want)
}

// TestChangelogOnce: each entry of the changelog appears once.
func TestChangelogOnce(t *testing.T) {
	text, err := os.ReadFile("../../../CHANGELOG.md")
	require.NoError(t, err)
	seen := map[string]bool{}
	for entry := range strings.SplitSeq(string(text), "\n- ") {
		entry, _, _ = strings.Cut(entry, "\n\n")
		assert.False(t, seen[entry], "CHANGELOG.md has this entry twice: %s", entry)
		seen[entry] = true
	}
}
