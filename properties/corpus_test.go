package properties

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"divergo/internal/forall"
	"divergo/properties/draw"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "choose the seeds of the corpus anew")

// corpusFile holds the seeds of the corpus, one a line, each with the bins that no earlier seed
// reaches.
const corpusFile = "testdata/seeds.txt"

// enough is the number of seeds to choose from.
const enough = 6000

// TestCorpus checks every mechanism with seeds that together reach every counted bin.
func TestCorpus(t *testing.T) {
	if *update {
		chooseCorpus(t)
	}
	text, err := os.ReadFile(corpusFile)
	require.NoError(t, err)
	var total Coverage
	r := runner{Coverage: &total}
	for i, line := range strings.SplitAfter(strings.TrimSpace(string(text)), "\n") {
		if forall.LeftOut(i, 8) {
			continue
		}
		word, _, _ := strings.Cut(line, " ")
		seed, err := strconv.ParseUint(word, 10, 64)
		require.NoError(t, err)
		checkSeed(t, &r, seed)
	}
	if !testing.Short() {
		assert.Empty(t, total.Missed(), "seeds to be chosen anew: -update")
	}
}

// checkSeed checks a case under every mechanism.
func checkSeed(t *testing.T, r *runner, seed uint64) {
	t.Helper()
	c := draw.New(seed, draw.AllFeatures)
	k, err := c.Compile()
	require.NoError(t, err)
	r.Coverage.kernel(k)
	for _, m := range shipped() {
		f, err := r.Check(k, m)
		require.NoError(t, err)
		if f != nil {
			assert.Fail(t, f.Error())
		}
	}
}

// chooseCorpus writes the seeds that reach a bin that no earlier seed has reached.
func chooseCorpus(t *testing.T) {
	t.Helper()
	var total Coverage
	var b strings.Builder
	for seed := uint64(0); seed < enough && (seed == 0 || len(total.Missed()) > 0); seed++ {
		one := total
		r := runner{Coverage: &one}
		checkSeed(t, &r, seed)
		before, after := total.Missed(), one.Missed()
		if seed > 0 && len(before) == len(after) {
			continue
		}
		total = one
		fresh := slices.DeleteFunc(before, func(bin string) bool { return slices.Contains(after, bin) })
		fmt.Fprintf(&b, "%d %s\n", seed, strings.Join(fresh, "; "))
	}
	require.NoError(t, os.WriteFile(corpusFile, []byte(b.String()), 0o644))
}

// TestFound checks that former counterexamples pass under every mechanism.
func TestFound(t *testing.T) {
	dirs, err := filepath.Glob("testdata/found/*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		file, cfg, err := load(dir)
		require.NoError(t, err)
		plan, err := file.Load()
		require.NoError(t, err)
		k := compiled(file, plan, cfg)
		for _, m := range shipped() {
			var r runner
			f, err := r.Check(k, m)
			require.NoError(t, err)
			assert.Nil(t, f, "%s: %v", dir, f)
		}
	}
}
