package properties

import (
	"fmt"
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
	assert.Less(t, len(one), 250_000, "a line for each bin, not for each kernel")
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

// TestKeepsGoing checks that a campaign which keeps going has the same causes for any number of
// goroutines, from its journal, and from the journals of shards. It has the first failure of one that
// does not.
func TestKeepsGoing(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	runs := uint64(60)
	if testing.Short() {
		runs = 16
	}
	o := Options{Mechanisms: []string{late, wrong}, Seed: 50, Runs: runs, Shrink: 1, KeepGoing: true}
	type cause struct {
		mechanism, checker string
		seeds              []uint64
	}
	causes := func(o Options) (list []cause) {
		t.Helper()
		r, err := Run(o)
		require.NoError(t, err)
		assert.Equal(t, []Span{{50, 50 + runs}}, r.Seeds)
		assert.Equal(t, 2*runs, r.Runs)
		for _, c := range r.Causes {
			assert.Equal(t, c.Seeds[0], c.Found.Case.Seed)
			list = append(list, cause{c.Found.Mechanism, c.Found.Checker, c.Seeds})
		}
		assert.Equal(t, r.Causes[0].Failure, r.Failure)
		return list
	}
	want := causes(o)
	require.Greater(t, len(want), 1)
	assert.Greater(t, len(want[0].seeds), 1)
	o.Journal = at("whole")
	o.Jobs = 3
	assert.Equal(t, want, causes(o))
	assert.Equal(t, want, causes(o), "from the journal")

	var shards []string
	for i := range 2 {
		part := o
		part.Shard, part.Journal = Shard{i + 1, 2}, at(fmt.Sprint(i))
		shards = append(shards, part.Journal)
		_, err := Run(part)
		require.NoError(t, err)
	}
	joined, err := Merge(shards, at("joined"))
	require.NoError(t, err)
	joined.Shrink = 1
	assert.Equal(t, want, causes(joined))
	one, err := os.ReadFile(at("whole"))
	require.NoError(t, err)
	two, err := os.ReadFile(at("joined"))
	require.NoError(t, err)
	assert.Equal(t, string(one), string(two))

	o.KeepGoing = false
	for _, journal := range []string{at("whole"), ""} {
		o.Journal = journal
		first, err := Run(o)
		require.NoError(t, err)
		require.Len(t, first.Causes, 1)
		assert.Equal(t, want[0].seeds[:1], first.Causes[0].Seeds)
		assert.Equal(t, want[0].checker, first.Found.Checker)
	}
}

// TestShard checks that the shards of a campaign have each seed once, and seeds of one bundle
// together.
func TestShard(t *testing.T) {
	for n := 1; n < 6; n++ {
		has := map[uint64]int{}
		for i := range n {
			c := &campaign{Options: Options{Seed: 100, Shard: Shard{i + 1, n}}, end: 1000}
			c.next = c.mine(100)
			for from, to := c.bundle(); from != to; from, to = c.bundle() {
				assert.Equal(t, from/bundleSeeds, (to-1)/bundleSeeds)
				for ; from < to; from++ {
					has[from]++
				}
			}
		}
		assert.Len(t, has, 900)
		for seed, times := range has {
			assert.Equal(t, 1, times, seed)
		}
	}
}
