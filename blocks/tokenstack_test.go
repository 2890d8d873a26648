package blocks

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
	"divergo/sm/divergence/tokens"
)

// tokenBench gives the events of a warp to the mechanism token and to its block. When both are ready it
// compares them and issues an instruction. If that is a control instruction, its outcome follows. The
// block has a memory of its own, which answers after a random time.
type tokenBench struct {
	rtl.State[struct {
		Cycle   uint64
		Comes   bool // the outcome, in this cycle
		Outcome divergence.Outcome
		Fills   bool // the block has the words of a fill since this cycle
	}]
	Fire    rtl.Wire[divergence.Fire]
	In      rtl.Wire[TokenStackIn]
	Policy  *tokens.TokenStack
	Block   *TokenStack
	Launch  rtl.Out[divergence.WarpStart]
	Outcome rtl.Out[divergence.Outcome]
	Retire  rtl.In[divergence.Retire]

	prog    *isa.Program
	draw    func(n int) int
	compare func()
	words   [divergence.SpillWords]uint64 // memory of the block
	moves   [2]uint64                     // fills and spills of the block
	pops    uint64                        // of tokens without live threads
	issued  int
}

const tokenLanes = 8

// Tick starts the warp, serves the memory of the block, and issues an instruction or sends its outcome.
func (b *tokenBench) Tick() {
	q, d := b.Regs()
	d.Cycle, d.Comes, d.Fills = q.Cycle+1, false, false
	var in TokenStackIn
	var fire divergence.Fire
	block, s := b.Block.Q(), b.Policy.Table.At(0)
	switch {
	case q.Cycle == 0:
		b.Launch.Push(divergence.WarpStart{Warps: 1, Last: true, Mask: 1<<tokenLanes - 1})
	case q.Cycle == 1:
		in.Start, in.Lanes = true, 1<<tokenLanes-1
	case q.Comes:
		inst := &b.prog.Insts[q.Outcome.PC]
		in.Branch, in.Sync, in.Exit = inst.Branches(), inst.Op == isa.OpSync, inst.Op == isa.OpExit
		in.Lanes, in.Target = q.Outcome.Taken, inst.Target
	case block.Moves:
		if b.draw(3) == 0 {
			in.Answer, d.Fills = true, !block.Store
			b.move(block.Store, int(block.At), block.Words, &in.Filled)
		}
	case block.Valid && block.Mask == 0:
		if !q.Fills {
			b.pops++
		}
	case s.Valid && s.Wait == divergence.Runs && block.Valid:
		b.compare()
		b.issued++
		inst := &b.prog.Insts[s.PC]
		fire = divergence.Fire{Valid: true, Control: inst.Control(), PC: s.PC}
		in.SSY, in.Advance, in.Target = inst.Op == isa.OpSSY, inst.Op != isa.OpSSY && !inst.Control(), inst.Target
		if inst.Control() {
			d.Comes, d.Outcome = true, divergence.Outcome{PC: s.PC, Taken: s.Mask}
			if inst.Guard.Kind != isa.OperandNone && b.draw(4) != 0 {
				d.Outcome.Taken &= uint64(b.draw(1 << tokenLanes))
			}
			b.Outcome.Push(d.Outcome)
		}
	}
	if b.Retire.Valid() {
		b.Retire.Pop()
	}
	b.Fire.Set(fire)
	b.In.Set(in)
}

// move serves a transfer of the block.
func (b *tokenBench) move(
	store bool, at int, words [divergence.TransferWords]uint64, to *[divergence.TransferWords]uint64,
) {
	if store {
		b.moves[1]++
		copy(b.words[at:], words[:])
	} else {
		b.moves[0]++
		copy(to[:], b.words[at:])
	}
}

// TestTokenStackIsTheMechanism: under random events the block has the running path, the tokens on the chip
// and those in memory of mechanism token, for windows from one token on. It spills and fills as often. Half
// of the kernels have ssy, sync and exit in random places: then all threads of a token can have exited.
func TestTokenStackIsTheMechanism(t *testing.T) {
	m, ok := divergence.Find("token")
	require.True(t, ok)
	var moves [2]uint64
	pops := uint64(0)
	for seed := range uint64(100) {
		window := []int{1, 2, 4, 8}[seed%4]
		o := tokens.Keys.With(divergence.Options{Mechanism: "token"}, tokens.Params{Window: window})
		prog := m.Program(o, microtest.RandomKernel(seed, tokenLanes, true, false).Program("k"))
		p, err := m.Build(o, divergence.Geometry{Lanes: tokenLanes, Warps: 1, CTAs: 1}, &divergence.Code{Prog: prog})
		require.NoError(t, err)
		draw := newRandom(seed).IntN
		if seed%8 >= 4 {
			for i := range prog.Insts[:len(prog.Insts)-1] {
				switch x := &prog.Insts[i]; draw(12) {
				case 0:
					*x = isa.Inst{Op: isa.OpSSY, Target: uint32(draw(len(prog.Insts)))}
				case 1:
					*x = isa.Inst{Op: isa.OpSync, Target: uint32(i + 1)}
				case 2:
					*x = isa.Inst{Op: isa.OpExit, Guard: isa.Operand{Kind: isa.OperandPred}}
				}
			}
		}
		launch, retire := rtl.NewQueue[divergence.WarpStart](2), rtl.NewQueue[divergence.Retire](2)
		outcome := rtl.NewQueue[divergence.Outcome](2)
		sizes, err := tokenStack.complete(Sizes{"lanes": tokenLanes, "window": window})
		require.NoError(t, err)
		block, policy := tokenStack.make(sizes).block.(*TokenStack), p.(*tokens.TokenStack)
		b := &tokenBench{
			Policy: policy, Block: block, Launch: launch.Out(), Outcome: outcome.Out(), Retire: retire.In(),
			prog: prog, draw: draw,
		}
		c := p.Connections()
		c.Launch, c.Outcome, c.Retire, c.Fire = launch.In(), outcome.In(), retire.Out(), &b.Fire
		block.In = &b.In
		memory := micro.NewMemory(c, 1, 1+int(seed)%5)
		b.compare = func() {
			q, s, n := block.Q(), policy.Table.At(0), int(*policy.Stack.Depth.At(0))
			require.Equal(t, s.PC, q.PC, "seed %d, instruction %d", seed, b.issued)
			require.Equal(t, s.Mask, q.Mask, "seed %d, instruction %d", seed, b.issued)
			require.Equal(t, *policy.Live.At(0), q.Live, "seed %d, instruction %d", seed, b.issued)
			require.EqualValues(t, n, *block.Window.Stack.Depth.At(0), "seed %d, instruction %d", seed, b.issued)
			spilled := *policy.Spilled.At(0)
			require.Equal(t, spilled, *block.Window.Spilled.At(0), "seed %d, instruction %d", seed, b.issued)
			stats := p.Stats()
			require.Equal(t, [2]uint64{stats.Fills, stats.Spills}, b.moves, "seed %d", seed)
			for i := int(spilled); i < n; i++ {
				require.Equal(t, *policy.Token(0, i), *block.Window.Stack.At(0, i%window), "seed %d, token %d", seed, i)
			}
			for i := range int(spilled) {
				require.Equal(t, *memory.Words.At(i), b.words[i], "seed %d, token %d in memory", seed, i)
			}
		}
		sim, err := rtl.New("bench", &struct {
			Policy divergence.Policy
			Bench  *tokenBench
			Block  *TokenStack
			Memory *micro.Memory
		}{p, b, block, memory})
		require.NoError(t, err)
		p.Begin()
		for b.issued < 500 {
			sim.Run(20)
			if !policy.Table.At(0).Valid && b.issued > 0 && !block.Q().Valid {
				break
			}
			require.Less(t, sim.Now(), uint64(50_000), "seed %d: %d instructions", seed, b.issued)
		}
		moves[0] += b.moves[0]
		moves[1] += b.moves[1]
		pops += b.pops
	}
	assert.Greater(t, moves[0], uint64(100), "fills")
	assert.Greater(t, pops, uint64(50), "tokens without live threads")
}
