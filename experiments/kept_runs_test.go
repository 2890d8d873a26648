package experiments

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"strings"
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
		{paperDWF, "hotspot"},
		{slp("pdom", units.Sequential), "sobel"},
		{slp("tbc", units.Balanced), "haar"},
	} {
		t.Run(c.preset+" "+c.mechanism+" "+c.kernel, func(t *testing.T) {
			c.seed = fullInputs
			p, err := c.planned(c.kernel)
			require.NoError(t, err)
			full := c.filled(p)
			run := ran{full, c.kernel + " " + p.size.Name}.String()
			require.Contains(t, kept, run)
			got, err := full.count(p.size.New(c.seed))
			require.NoError(t, err)
			got.Mechanism = nil
			assert.Equal(t, exported(t, kept[run]), exported(t, got.Counters))
		})
	}
}

// keepOnly makes figures from the runs of testdata/runs.jsonl.gz; any other run is an error.
func keepOnly(t *testing.T) {
	t.Helper()
	var list []Run
	for run, counters := range keptCounters(t) {
		list = append(list, Run{run, counters})
	}
	Keep(list, func(r Run) error { return fmt.Errorf("not kept: %s", r.Run) })
	t.Cleanup(func() { Keep(nil, nil) })
}

// TestPlannedNotes: docs/figures.html has the notes on the runs of the plan, and the kept runs bear out
// what they say of the priorities.
func TestPlannedNotes(t *testing.T) {
	keepOnly(t)
	page, err := os.ReadFile("../docs/figures.html")
	require.NoError(t, err)
	for _, name := range []string{"tbc-fig15", "tbc-fig16", "tbc-fig17"} {
		figure, err := FindFigure(name)
		require.NoError(t, err)
		drawn, err := figure.Make(Full)
		require.NoError(t, err)
		for _, note := range drawn.Notes {
			assert.Contains(t, string(page), html.EscapeString(note))
		}
		if name != "tbc-fig15" {
			continue
		}
		speed := map[any]float64{} // by AGE, over the best of the others
		for _, row := range drawn.Rows {
			best := max(row[4].(float64), row[5].(float64), row[6].(float64))
			kernel := row[1]
			if kernel == "" {
				kernel = row[2] // a mean
			}
			speed[kernel] = row[3].(float64) / best
		}
		assert.Greater(t, speed["all"], 1.0)
		assert.Less(t, speed["LPS"], .95)
		assert.Less(t, speed["FCDT"], .95)
		assert.InDelta(t, 1, speed["NAMD"], .01)
		assert.InDelta(t, 1, speed["LIB"], .01)
	}
}

// TestHeadlineTable: the table of docs/explanation/experiments.md is the figure ours-headline, drawn from
// the kept runs.
func TestHeadlineTable(t *testing.T) {
	if testing.Short() {
		t.Skip("runs herding")
	}
	keepOnly(t)
	figure, err := FindFigure("ours-headline")
	require.NoError(t, err)
	drawn, err := figure.Make(Full)
	require.NoError(t, err)
	var rows strings.Builder
	for _, row := range drawn.Rows {
		fmt.Fprintf(&rows, "| %s | %s | %v | %v", row[0], row[1], row[2], row[3])
		if least, most := row[4], row[5]; least != most {
			fmt.Fprintf(&rows, ", %v to %v", least, most)
		}
		fmt.Fprintf(&rows, " | %s |\n", row[7])
	}
	page, err := os.ReadFile("../docs/explanation/experiments.md")
	require.NoError(t, err)
	assert.Contains(t, string(page), rows.String())
}
