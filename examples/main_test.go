package main

import (
	"bytes"
	"divergo/cmd/divergo/cli"
	"divergo/gpu"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestParameter: the parameter of a mechanism is a key like any other in files, in Check, and in
// the configuration that a machine writes.
func TestParameter(t *testing.T) {
	c := gpu.Default()
	require.NoError(t, c.Load("m.toml", []byte("[divergence.frontier]\nreach = 70\n")))
	assert.EqualError(t, c.Check(), "divergence.frontier.reach = 70: want 1 to 64")
	assert.ErrorContains(t, c.Load("m.toml", []byte("divergence.frontier.reach = \"all\"")), "m.toml:1:29: divergence.frontier.reach: want an integer (entries), 1 to 64")
	assert.ErrorContains(t, c.Set("divergence.frontier.reech=1"), `did you mean "divergence.frontier.reach"?`)
	require.NoError(t, c.Set("divergence.frontier.reach=3"))
	again := gpu.Config{}
	require.NoError(t, again.Load("m.toml", c.TOML()))
	assert.Equal(t, c, again)
	require.NoError(t, c.Set("divergence.frontier.reach=64"))
	assert.Equal(t, gpu.Default(), c)
}

// TestCounter: 4 threads leave the loop of loop1 before the others. If they cannot join each other,
// they wait apart. The peak is that of one SM, and 0 under other mechanisms.
func TestCounter(t *testing.T) {
	for _, c := range []struct {
		mechanism, reach string
		waiting          float64
	}{{"frontier", "32", 1}, {"frontier", "1", 4}, {"pdom", "1", 0}} {
		var out, errs bytes.Buffer
		require.Zero(t, cli.Run([]string{"run", "loop1", "--mech", c.mechanism, "--set", "divergence.frontier.reach=" + c.reach, "--json"}, &out, &errs), "%s", &errs)
		var r struct{ Config, Stats map[string]any }
		require.NoError(t, json.Unmarshal(out.Bytes(), &r))
		assert.Equal(t, c.waiting, r.Stats["frontier.waiting"], "%s, reach %s", c.mechanism, c.reach)
		assert.Contains(t, r.Config, "divergence.frontier.reach")
	}
}

// TestPaper: a figure, a claim and a preset of the example are in the lists of the program. For
// four parts the list issues four branches, the way out, X and J. The stack has X once for each
// part.
func TestPaper(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"list", "claims", "FRONTIER"}, "ours: fewer (7, 10)"},
		{[]string{"list", "claims", "FRONTIER"}, "match"},
		{[]string{"reproduce", "frontier-circuit"}, "Diamos et al., SIMD Re-convergence at Thread Frontiers, MICRO"},
		{[]string{"run", "loop1", "--preset", "frontier", "--mech", "frontier"}, "machine: frontier"},
	} {
		var out, errs bytes.Buffer
		require.Zero(t, cli.Run(c.args, &out, &errs), "%s", &errs)
		assert.Contains(t, out.String(), c.want, c.args)
	}
	var out, errs bytes.Buffer
	picture := filepath.Join(t.TempDir(), "circuit.svg")
	require.Zero(t, cli.Run([]string{"reproduce", "frontier-circuit", "--svg", picture}, &out, &errs), "%s", &errs)
	assert.FileExists(t, picture)
}
