package properties

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestResume checks a campaign that is interrupted and resumes from its journal. Its result and its
// journal equal those of an uninterrupted one, for any number of goroutines.
func TestResume(t *testing.T) {
	runs := uint64(200)
	if testing.Short() {
		runs = 40
	}
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	whole, err := Run(Options{Mechanisms: []string{"pdom", "ptpc"}, Seed: 100, Runs: runs, Journal: at("whole")})
	require.NoError(t, err)
	require.Nil(t, whole.Failure)
	assert.Equal(t, []Span{{100, 100 + runs}}, whole.Seeds)

	var bundles, asked int
	part, err := Run(Options{
		Mechanisms: []string{"pdom", "ptpc"}, Seed: 100, Runs: runs, Journal: at("parts"),
		Progress: func(Report) { bundles++ },
		Stop: func() bool { // in the second one
			if bundles > 0 {
				asked++
			}
			return asked > 50
		},
	})
	require.NoError(t, err)
	assert.Less(t, part.Cases, whole.Cases)
	assert.Equal(t, []Span{{100, part.Next}}, part.Seeds)
	rest, err := Run(Options{Mechanisms: []string{"pdom", "ptpc"}, Seed: 100, Runs: runs, Journal: at("parts"), Jobs: 3})
	require.NoError(t, err)
	assert.Equal(t, whole.Seeds, rest.Seeds)
	assert.Equal(t, whole.Cases, rest.Cases)
	assert.Equal(t, whole.Runs, rest.Runs)
	assert.Equal(t, whole.Lanes, rest.Lanes)
	assert.Equal(t, whole.Total(), rest.Total())
	assert.Less(t, rest.Before, rest.Runs)
	assert.NotZero(t, rest.Before)

	one, err := os.ReadFile(at("whole"))
	require.NoError(t, err)
	two, err := os.ReadFile(at("parts"))
	require.NoError(t, err)
	assert.Equal(t, string(one), string(two))
	assert.Less(t, len(one), 100_000, "a line for each bin, not for each kernel")
}

// TestResumeBehindFailure checks that a resumed campaign finds a failure again.
func TestResumeBehindFailure(t *testing.T) {
	o := Options{
		Mechanisms: []string{late}, Runs: 300, Shrink: 1, Journal: filepath.Join(t.TempDir(), "journal"),
		Jobs: 2,
	}
	first, err := Run(o)
	require.NoError(t, err)
	require.NotNil(t, first.Found)
	again, err := Run(o)
	require.NoError(t, err)
	require.NotNil(t, again.Found)
	assert.Equal(t, first.Found.Case.Seed, again.Found.Case.Seed)
}

// TestSeeds checks that a report names its seeds, and that a campaign resumes at the first missing
// one.
func TestSeeds(t *testing.T) {
	r := Report{Mechanisms: []string{"pdom"}, Next: 10}
	assert.Contains(t, r.String(), "seeds none")
	for _, s := range []Span{{64, 80}, {20, 20}, {128, 140}} {
		r.checked(s)
	}
	assert.EqualValues(t, 10, r.Next)
	assert.Contains(t, r.String(), "seeds 64 to 79, 128 to 139")
	r.checked(Span{10, 64})
	assert.EqualValues(t, 80, r.Next)
	r.checked(Span{80, 128})
	assert.EqualValues(t, 140, r.Next)
	assert.Equal(t, []Span{{10, 140}}, r.Seeds)
}
