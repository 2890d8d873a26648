package output_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/output"
)

// TestJournal: at whatever byte a process dies, the earlier records remain, and the next ones
// follow them.
func TestJournal(t *testing.T) {
	header := map[string]any{"schema": "test.v1", "seed": 7}
	name := filepath.Join(t.TempDir(), "journal")
	j, err := output.OpenJournal(name, header)
	require.NoError(t, err)
	require.NoError(t, j.Add(1))
	require.NoError(t, j.Add([]int{2, 3}))
	require.NoError(t, j.Close())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	want := "{\"schema\":\"test.v1\",\"seed\":7}\n1\n[2,3]\n"
	require.Equal(t, want, string(text))

	for cut := range len(text) + 1 {
		require.NoError(t, os.WriteFile(name, text[:cut], 0o644))
		j, err := output.OpenJournal(name, header)
		require.NoError(t, err, cut)
		for _, r := range []any{1, []int{2, 3}}[len(j.Records):] {
			require.NoError(t, j.Add(r))
		}
		require.NoError(t, j.Close())
		again, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, want, string(again), "cut behind %d bytes", cut)
	}
}

// TestJournalRefuses: a file that is not the journal of the same work stays unchanged.
func TestJournalRefuses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	for text, want := range map[string]string{
		"# readme\n":                            "is no journal",
		"notes":                                 "is no journal",
		"{\"schema\":5}\n":                      "is no journal",
		"{\"a\":1}\n{}\n":                       "is no journal",
		"{\"schema\":\"test.v1\",\"seed\":8}\n": "journal of another configuration: seed is 8, want 7",
		"{\"schema\":\"test.v1\",\"seed\":7}\n1\n{\n2\n": "line 3 is damaged",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		_, err := output.OpenJournal(name, map[string]any{"schema": "test.v1", "seed": 7})
		assert.ErrorContains(t, err, want)
		after, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, text, string(after))
	}
	_, err := output.OpenJournal(t.TempDir(), nil)
	assert.ErrorContains(t, err, "regular file")
}
