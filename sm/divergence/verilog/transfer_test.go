package verilog

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
)

// hand is a unit in Go. It knows a single warp, and drives its memory port as a test says.
type hand struct {
	bench // no debug port
	out   Outputs
	drive func(in *Inputs, out *Outputs)
}

func (h *hand) clock(in *Inputs, out *Outputs) error {
	h.out.Moves, h.out.Busy = 0, 1
	if in.Launch != 0 {
		h.out.Valid.Add(0)
		h.out.Mask[0] = in.Started
	}
	if in.Outcome != 0 {
		h.out.Valid[0] = 0
	}
	h.drive(in, &h.out)
	*out = h.out
	return nil
}

func (h *hand) save(b []byte) ([]byte, error) { return b, nil }

// TestWrongTransfers: a transfer that no memory can serve ends the run, and says what the unit did.
func TestWrongTransfers(t *testing.T) {
	load := func(warp, from, words uint8) func(*Inputs, *Outputs) {
		return func(_ *Inputs, out *Outputs) { out.Moves, out.Mover, out.From, out.Count = 1, warp, from, words }
	}
	for _, c := range []struct {
		name, want string
		drive      func(in *Inputs, out *Outputs)
	}{
		{"another warp", "the unit moves words of warp 9, which is not running", load(9, 0, 4)},
		{"twice", "the unit moves words of warp 0, whose last transfer memory has not answered", load(0, 0, 4)},
		{"no word", "the unit moves 0 words of warp 0, want 1 to 4", load(0, 0, 0)},
		{"five words", "the unit moves 5 words of warp 0, want 1 to 4", load(0, 0, 5)},
		{"behind the memory", "the unit loads words 61 to 64 of warp 0, whose memory has 64", load(0, 61, 4)},
		{"at the end", "the unit loads words 255 to 258 of warp 0, whose memory has 64", load(0, 255, 4)},
		{"ended", "the unit retires warp 0, whose last transfer memory has not answered", func(in *Inputs, out *Outputs) {
			if out.Retire = in.Outcome; in.Outcome != 0 {
				load(0, 0, 4)(in, out)
			}
		}},
	} {
		m := divergence.Mechanism{New: func(e divergence.Env) (divergence.Policy, error) {
			start := func() (bench, error) { return &hand{drive: c.drive}, nil }
			return newUnit(e, Shape{Slots: 1, Spills: true}, start, new(description)), nil
		}}
		var failure *divergence.Failure
		watch := func(p divergence.Policy) { failure = p.Connections().Failure }
		b := micro.Bench{Lanes: 32, Warps: 1, Memory: 50, Watch: watch}
		_, err := b.Run(m, divergence.Options{}, micro.Kernel{micro.Exit}, 100)
		require.NoError(t, err)
		assert.EqualError(t, failure.Err, c.want, c.name)
	}
}
