package stacks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
	"divergo/sm/divergence/stacks"
)

func threadsOf(mask uint64) (s string) {
	for lane := range 32 {
		if mask>>lane&1 != 0 {
			s += fmt.Sprint(lane + 1)
		}
	}
	return s
}

// TestLikelyConvergence has the stack of Fung & Aamodt, HPCA 2011, figure 10 after each block, its
// entries as PC/RPC/LPC/LPos{threads}. Steps 4 and 5 of the figure are one cycle: the path of
// thread 2 is at the likely point when it is pushed. The depth of the deepest stack shows it.
func TestLikelyConvergence(t *testing.T) {
	name := func(pc uint32) string {
		if pc == isa.NoPC {
			return "-"
		}
		return figure10[pc].Label
	}
	var states []string
	m, _ := divergence.Find("pdom-lcp")
	b := micro.Bench{Lanes: 4, Warps: 1, Each: func(p divergence.Policy, issued []micro.Issue) {
		d := p.(*stacks.PDOM)
		s := d.Table.At(0)
		if !s.Valid || s.Wait != divergence.Runs {
			return
		}
		top := int(*d.Stack.Depth.At(0)) - 1
		var entries []string
		for i := range top + 1 {
			e := *d.Stack.At(0, i)
			if i == top {
				e.At.PC, e.Mask = s.PC, s.Mask
			}
			at := fmt.Sprintf("%s/%s", name(e.At.PC), name(e.RPC.PC))
			if e.LPC.PC != isa.NoPC {
				at += fmt.Sprintf("/%s/%d", name(e.LPC.PC), e.LPos)
			}
			entries = append(entries, fmt.Sprintf("%s{%s}", at, threadsOf(e.Mask)))
		}
		if text := strings.Join(entries, " "); len(states) == 0 || states[len(states)-1] != text {
			states = append(states, text)
		}
	}}
	r, err := b.Run(m, divergence.Options{PathOrder: divergence.TakenFirst}, figure10, 1000)
	require.NoError(t, err)
	require.True(t, r.Done)
	assert.Equal(t, []string{
		"A/-{1234}",
		"F/-{1234} E/F{} B/F/E/1{1} C/F/E/1{234}",
		"F/-{1234} E/F{2} B/F/E/1{1} D/F/E/1{34}",
		"F/-{1234} E/F{2} B/F/E/1{1}",
		"F/-{1234} E/F{12}",
		"F/-{1234} A/F{12}",
		"F/-{1234} B/F{12}",
		"F/-{1234} E/F{12}",
		"F/-{1234}",
	}, states)
	assert.Equal(t, "ACDBEABEF", microtest.BlocksOf(figure10, r.Issues))
	assert.Equal(t, 22, r.Lanes)
	assert.EqualValues(t, 5, r.Stats.MaxDepth)

	r = microtest.Run(t, "pdom", divergence.Options{PathOrder: divergence.TakenFirst}, 4, 1, figure10)
	assert.Len(t, r.Issues, 13)
	assert.Equal(t, 22, r.Lanes)
	assert.EqualValues(t, 4, r.Stats.MaxDepth)
}
