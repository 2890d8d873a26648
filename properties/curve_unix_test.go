//go:build unix

package properties

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"divergo/internal/chart"
	"divergo/properties/draw"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	curve     = flag.String("curve", "", "draw the situations over kernels, steered and not, in a `FILE`")
	curveTime = flag.Duration("curve-time", time.Minute, "processor `TIME` of each line of the picture")
)

// processorTime is that of this process.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// exploration is the situations that a campaign has reached after each of its kernels.
type exploration struct {
	reached []float64
	spent   []float64 // seconds of the processor; without the counting, where that steers nothing
}

// explore checks kernels, steered or not, until enough says so.
func explore(
	t *testing.T, mechanisms []string, steered bool, enough func(kernels int, spent time.Duration) bool,
) (x exploration) {
	c, _, err := openCorpus(filepath.Join(t.TempDir(), "corpus"), mechanisms, len(mechanisms), draw.AllFeatures)
	require.NoError(t, err)
	defer c.file.Close()
	all, s := map[situation]bool{}, newSituations()
	counted, plain := runner{Situations: s}, runner{}
	check := func(r *runner, k *draw.Case) {
		compiled, err := k.Compile()
		require.NoError(t, err)
		for i, m := range mechanisms {
			s.mechanism = uint64(i)
			f, err := r.Check(compiled, m)
			require.NoError(t, err)
			require.Nil(t, f)
		}
	}
	spent := time.Duration(0)
	for first := uint64(0); !enough(len(x.reached), spent); first += draw.MachineSeeds {
		begins := processorTime(t)
		of, machine := c.machine(first)
		var births []birth
		for seed := first; seed < first+draw.MachineSeeds; seed++ {
			if !steered && *curve != "" { // the time is that of a check without counting
				k := draw.New(seed, draw.AllFeatures)
				check(&plain, &k)
				spent += processorTime(t) - begins
			}
			s.begin()
			b := c.draw(seed, of, machine)
			check(&counted, &b.c)
			b.all = s.list()
			births = append(births, b)
			for _, bin := range b.all {
				all[bin] = true
			}
			now := processorTime(t)
			if steered {
				spent += now - begins
			}
			begins = now
			x.reached, x.spent = append(x.reached, float64(len(all))), append(x.spent, spent.Seconds())
		}
		if steered {
			if c.bundles[first] = births; len(c.bundles) == generationSeeds/draw.MachineSeeds {
				require.NoError(t, c.end())
			}
		}
	}
	return x
}

// TestSteering checks that a steered campaign differs from a drawn one as soon as it has a corpus. With
// -curve it draws what both reach, over kernels and over the time of the processor.
func TestSteering(t *testing.T) {
	mechanisms, kernels := []string{"token"}, generationSeeds+draw.MachineSeeds
	if testing.Short() {
		t.Skip("runs many kernels")
	}
	enough := func(n int, _ time.Duration) bool { return n >= kernels }
	if *curve != "" {
		mechanisms = []string{"pdom", "ppc", "token", "tbc"}
		enough = func(_ int, spent time.Duration) bool { return spent >= *curveTime }
	}
	plain, steered := explore(t, mechanisms, false, enough), explore(t, mechanisms, true, enough)
	if *curve == "" {
		assert.Equal(t, plain.reached[:generationSeeds], steered.reached[:generationSeeds], "until there is a corpus")
		assert.NotEqual(t, plain.reached, steered.reached)
		return
	}
	thin := func(name string, x, y []float64) chart.Series {
		s := chart.Series{Name: name, Style: chart.Line}
		for i := range x {
			if i%16 == 15 {
				s.X, s.Y = append(s.X, x[i]), append(s.Y, y[i])
			}
		}
		return s
	}
	count := func(x exploration) (n []float64) {
		for i := range x.reached {
			n = append(n, float64(i+1))
		}
		return n
	}
	under := "Situations reached under " + strings.Join(mechanisms, ", ")
	picture := chart.Column{
		&chart.Lines{Title: under, X: "kernels", Y: "situations", Series: []chart.Series{
			thin("drawn", count(plain), plain.reached), thin("steered", count(steered), steered.reached),
		}},
		&chart.Lines{Title: under, X: "processor time [s]", Y: "situations", Series: []chart.Series{
			thin("drawn", plain.spent, plain.reached), thin("steered", steered.spent, steered.reached),
		}},
	}
	file, err := os.Create(*curve)
	require.NoError(t, err)
	_, err = picture.WriteTo(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	for _, x := range []exploration{plain, steered} {
		n := len(x.reached)
		fmt.Printf("%d kernels, %.1f s: %.0f situations\n", n, x.spent[n-1], x.reached[n-1])
	}
}
