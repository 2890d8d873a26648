package experiments

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/testbench"
	"divergo/units"
)

// keptCounters returns the counters of testdata/runs.jsonl.gz by run.
func keptCounters(t *testing.T) map[string]testbench.Counters {
	t.Helper()
	file, err := os.Open("testdata/runs.jsonl.gz")
	require.NoError(t, err)
	defer file.Close()
	text, err := gzip.NewReader(file)
	require.NoError(t, err)
	list := map[string]testbench.Counters{}
	for d := json.NewDecoder(text); d.More(); {
		var r Run
		require.NoError(t, d.Decode(&r))
		if r.Run != "" {
			list[r.Run] = r.Counters
		}
	}
	return list
}

// TestKeptRuns: a run of the plan that the tree has, made again, has the same counters. A change of
// cycles or of statistics makes all of them stale.
func TestKeptRuns(t *testing.T) {
	kept := keptCounters(t)
	for _, c := range []struct {
		setup
		kernel string
	}{
		{paperPDOM, "nearest"},
		{paperTBC, "hotspot"},
		{slp("pdom", units.Sequential), "sobel"},
		{slp("tbc", units.Balanced), "haar"},
	} {
		t.Run(c.preset+" "+c.mechanism+" "+c.kernel, func(t *testing.T) {
			c.seed = fullInputs
			p, err := c.planned(c.kernel)
			require.NoError(t, err)
			run := ran{c.filled(p), c.kernel + " " + p.size.Name}.String()
			require.Contains(t, kept, run)
			got, err := c.run(c.kernel, "")
			require.NoError(t, err)
			got.Mechanism = nil
			assert.Equal(t, exported(t, kept[run]), exported(t, got))
		})
	}
}
