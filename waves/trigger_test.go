package waves_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/waves"
)

// firstCycle is the first cycle in which one of the clients meets a condition.
func firstCycle(t *testing.T, holds func(q *clientState) bool) uint64 {
	y := newToy(t, 1)
	for c := range uint64(10 * toyCycles) {
		for _, x := range y.clients {
			if holds(x.Q()) {
				return c
			}
		}
		y.sys.Run(y.core, 1)
	}
	t.Fatal("the condition never holds")
	return 0
}

func TestTrigger(t *testing.T) {
	samples := model(t, toyCycles)
	for _, c := range []struct {
		text  string
		holds func(q *clientState) bool
	}{
		{"200 before toy.sm[*].PC >= 90", func(q *clientState) bool { return q.PC >= 90 }},
		{"7 before toy.sm[*].Phase == Reply", func(q *clientState) bool { return q.Phase == reply }},
		{"toy.sm[*].Signed < -60", func(q *clientState) bool { return q.Signed < -60 }},
		{"1 before toy.sm_*.Small<=-0xf", func(q *clientState) bool { return q.Small <= -15 }},
		{"3 before toy.**.Hist[11][1] != 0", func(q *clientState) bool { return q.Hist[11][1] != 0 }},
		{"3 before toy.sm[*].Sum > 0x100000000", func(q *clientState) bool { return q.Sum > 1<<32 }},
		{"500 before toy.sm[*].Seed==0", func(q *clientState) bool { return q.Seed == 0 }}, // from the start
	} {
		trigger, err := waves.ParseTrigger(c.text)
		require.NoError(t, err, c.text)
		for _, filter := range [][]string{nil, {"toy.mem", "toy.sm[9]"}} {
			y := newToy(t, 2)
			var b bytes.Buffer
			w, err := waves.Attach(y.sys, &b, waves.Options{Trigger: trigger, Filter: filter, Clocks: true})
			require.NoError(t, err)
			runToy(y)
			require.NoError(t, w.Close())
			at := firstCycle(t, c.holds)
			fs, fired := w.Triggered()
			require.True(t, fired, c.text)
			assert.Equal(t, y.core.Fs(at), fs, c.text)
			d := read(t, b.Bytes())
			assert.Equal(t, y.core.Fs(at-min(at, trigger.Before)), d.Begin, c.text)
			assert.Positive(t, requireModel(t, d, samples), c.text)
			for _, s := range d.Signals {
				assert.Zero(t, d.At(s.Net, d.Begin).Unknown, "%s is known from the start", s.Path)
			}
		}
	}
}

func TestTriggerByFunction(t *testing.T) {
	y := newToy(t, 1)
	var b bytes.Buffer
	w, err := waves.Attach(y.sys, &b, waves.Options{Trigger: &waves.Trigger{
		Signal: "toy.mem.Server.Done", Before: 2,
		Holds: func(v uint64) bool { return v%10 == 9 },
	}})
	require.NoError(t, err)
	runToy(y)
	require.NoError(t, w.Close())
	x := newToy(t, 1)
	want := uint64(0)
	for want == 0 {
		x.sys.Run(x.core, 1)
		for _, n := range x.server.Q().Done {
			if n == 9 {
				want = x.mem.Fs(x.mem.Now())
			}
		}
	}
	got, fired := w.Triggered()
	assert.True(t, fired)
	assert.Equal(t, want, got)
	assert.Positive(t, requireModel(t, read(t, b.Bytes()), model(t, toyCycles)))
}

func TestTriggerAfterFrom(t *testing.T) {
	trigger := &waves.Trigger{Signal: "toy.sm[*].Phase", Op: "==", Value: "Reply", Before: 50}
	d := read(t, dumpToy(t, 1, waves.Options{Trigger: trigger, From: 100, To: 150}, runToy))
	y := newToy(t, 1)
	assert.Equal(t, y.core.Fs(100), d.Begin, "a dump does not start before From")
	assert.Equal(t, y.core.Fs(151)-1, d.End)
	assert.Positive(t, requireModel(t, d, model(t, toyCycles)))
}

func TestTriggerThatNeverFires(t *testing.T) {
	for _, to := range []uint64{0, 100} {
		y := newToy(t, 1)
		var b bytes.Buffer
		w, err := waves.Attach(y.sys, &b,
			waves.Options{To: to, Trigger: &waves.Trigger{Signal: "**.PC", Op: "==", Value: "0xffff"}})
		require.NoError(t, err)
		runToy(y)
		require.NoError(t, w.Close())
		_, fired := w.Triggered()
		assert.False(t, fired)
		end := min(to-1, toyCycles-1) + 1
		x := newToy(t, 1)
		x.sys.Run(x.core, end)
		d := read(t, b.Bytes())
		v, err := d.Value("toy.sm_0.PC", d.End)
		require.NoError(t, err)
		assert.EqualValues(t, x.clients[0].Q().PC, v, "the dump shows the last values")
	}
}

func TestParseTrigger(t *testing.T) {
	for text, want := range map[string]waves.Trigger{
		"200 before sm[*].Div.Stats.Divergent > 0": {
			Signal: "sm[*].Div.Stats.Divergent", Op: ">", Value: "0",
			Before: 200,
		},
		"a.b==Idle":       {Signal: "a.b", Op: "==", Value: "Idle"},
		" **.x<=-3 ":      {Signal: "**.x", Op: "<=", Value: "-3"},
		"before.x != 0b1": {Signal: "before.x", Op: "!=", Value: "0b1"},
	} {
		got, err := waves.ParseTrigger(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, *got, text)
	}
	for _, text := range []string{
		"", "a.b", "a.b =", "a.b = 3", "x before a.b == 3", "a.b == 3 4",
		"99999999999999999999 before a == 1",
	} {
		_, err := waves.ParseTrigger(text)
		assert.Error(t, err, text)
	}
}
