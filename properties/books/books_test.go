package books

import (
	"slices"
	"testing"

	"divergo/gpu"
	"divergo/isa"
	"divergo/properties/draw"
	"divergo/ptx"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plainFeatures are the features that every mechanism supports.
const plainFeatures = draw.AllFeatures &^ (draw.Edges | draw.Counts | draw.Aparts | draw.Gathers | draw.Meetings |
	draw.Tables | draw.Anywhere | draw.Rushes | draw.Herds)

// watchedRun runs kernels on one machine, with an observer of its first SM that change alters,
// until something is found. It returns the checker and its finding. open replaces the models of the
// mechanism, if given.
func watchedRun(t *testing.T, cfg gpu.Config, kernels uint64, change func(o *Observer), open ...Open) (checker,
	what string,
) {
	t.Helper()
	if open == nil {
		open = shelf[cfg.Divergence.Mechanism]
	}
	for seed := range kernels {
		c := draw.New(seed, plainFeatures&^draw.Repeats)
		c.Machine, c.Grid, c.Block = cfg, [3]uint32{2, 1, 1}, [3]uint32{32, 1, 1}
		k, err := c.Compile()
		require.NoError(t, err)
		k, err = k.For(cfg.Divergence.Mechanism)
		require.NoError(t, err)
		s, err := testbench.NewSession(k.Machine, testbench.Limits{MaxCycles: 10_000_000})
		require.NoError(t, err)
		var o *Observer
		s.OnLaunch.Add(func(*testbench.Loaded) {
			o = watch(s, k.Prog, open)[0]
			change(o)
		})
		require.NoError(t, k.Launch(s, s.Launch))
		o.Detach()
		if o.found == nil {
			o.found = Statistics([]*Observer{o}, &s.Runs[len(s.Runs)-1].Counters)
		}
		if o.found != nil {
			return o.found.Rule.Checker, o.found.What
		}
	}
	return "", ""
}

// TestThreadsAreWatched falsifies the observer's view of threads and of the program, in one way
// each time.
func TestThreadsAreWatched(t *testing.T) {
	program := func(change func(in *isa.Inst)) func(o *Observer) {
		return func(o *Observer) {
			p := *o.prog
			p.Insts = slices.Clone(p.Insts)
			for i := range p.Insts {
				if p.Insts[i].Op == isa.OpBra && p.Insts[i].Conditional() {
					change(&p.Insts[i])
				}
			}
			o.prog = &p
		}
	}
	for _, c := range []struct {
		name, checker string
		change        func(o *Observer)
	}{
		{"nothing", "", func(*Observer) {}},
		{"the last lane has no thread", checkHome, func(o *Observer) { o.threads-- }},
		{"the row is another CTA's", checkHome, func(o *Observer) {
			o.sm.Issue.OnIssue.Add(func(e sm.Issued) {
				f := *e.Flight
				f.CTA ^= 1
				o.found = nil
				o.issue(sm.Issued{Cycle: e.Cycle, Flight: &f})
			})
		}},
		{"no branch divides threads", checkUniform, program(func(in *isa.Inst) { in.Uniform = true })},
		{"threads meet an instruction later", checkReconvergence, program(func(in *isa.Inst) {
			if in.Reconv != isa.NoPC {
				in.Reconv = max(in.Reconv, 1) - 1
			}
		})},
		{"exited threads live", checkBarrier, func(o *Observer) {
			o.issues = o.issues[:len(o.issues)-2] // without the models of meetings and of the stack
			o.Leave(o.sm.ALU.OnExit.Add(func(e sm.Exited) { o.rows[e.Row].live = o.rows[e.Row].started }))
		}},
		{"an entry of the stack with threads of another", checkStack, func(o *Observer) {
			watchStack(&o.View, func(divergence.Policy, int, []divergence.Entry) []divergence.Entry {
				return []divergence.Entry{{Mask: 0b0110}, {Mask: 0b0011}}
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := draw.Plain(8)
			checker, what := watchedRun(t, cfg, 60, c.change)
			assert.Equal(t, c.checker, checker, what)
		})
	}
}

// TestTimingIsWatched falsifies the input of the observers of time, in one way each time.
func TestTimingIsWatched(t *testing.T) {
	for _, c := range []struct {
		name, checker string
		change        func(o *Observer)
	}{
		{"a slot need not wait", checkFair, func(o *Observer) { o.registers.holds = false }},
		{"registers are still to be written", checkScoreboard, func(o *Observer) {
			o.Leave(o.sm.Issue.OnIssue.Add(func(e sm.Issued) {
				for i := range o.registers.pending[e.Row] {
					o.registers.pending[e.Row][i], o.registers.held[e.Slot] = e.Mask, 0
				}
				o.registers.flying[e.Row]++
			}))
		}},
		{"a slot has another instruction in flight", checkScoreboard, func(o *Observer) {
			o.Leave(o.sm.Issue.OnIssue.Add(func(e sm.Issued) { o.registers.held[e.Slot]++ }))
		}},
		{"nothing", "", func(*Observer) {}},
		{"outcomes come sooner", checkTiming, func(o *Observer) { o.prompt.latency-- }},
		{"another scheduler", checkFair, func(o *Observer) { o.fair.scheduler = sm.LRR }},
		{"a scheduler that is not greedy", checkFair, func(o *Observer) { o.fair.scheduler = sm.Oldest }},
		{"CTAs take turns", checkFair, func(o *Observer) { o.fair.priority = sm.PriorityRRB }},
		{"an instruction stays longer at the start of its pipe", checkPipes, func(o *Observer) {
			c := *o.config
			c.SM.Initiation.IntAdd = 50
			o.config = &c
		}},
		{"write-back has no port", checkPipes, func(o *Observer) {
			c := *o.config
			c.SM.WBPorts = 0
			o.config = &c
		}},
		{"all registers are in one bank", checkOperands, func(o *Observer) {
			c := *o.config
			c.SM.RFBanks = 1
			o.config = &c
			watchPipes(&o.View)
		}},
		{"the I-buffer has another place", checkFetch, func(o *Observer) {
			c := *o.config
			c.SM.IBuffer++
			c.SM.FetchWidth++
			o.config = &c
		}},
		{"a CTA is sent a cycle later", checkAdmission, func(o *Observer) { o.admission.cycle++ }},
		{"tokens take their time", checkTiming, func(o *Observer) { o.transfers.costs[0] = 100_000 }},
		{"a popped token takes no time", checkTiming, func(o *Observer) { o.prompt.pop = 0 }},
		{"all instructions are on f64", checkPipes, func(o *Observer) {
			for i := range o.sm.Program().Insts {
				o.sm.Program().Insts[i].Text += ".f64"
			}
		}},
		{"a word changes in memory", checkSpill, func(o *Observer) {
			o.Leave(o.sm.Div.Connections().Memory.Tap(func(_ uint64, v *divergence.Transfer) {
				if v.Store {
					o.transfers.words[v.Row][v.At]++
				}
			}))
		}},
		{"a branch too many", checkStatistics, func(o *Observer) { o.counted.branches++ }},
		{"a cycle too many of a class", checkStatistics, func(o *Observer) { *o.tallies[2].n++ }},
		{"a deeper stack", checkStatistics, func(o *Observer) { *o.tallies[len(o.tallies)-1].n = 100 }},
		{"an instruction too few", checkStatistics, func(o *Observer) { o.counted.active[1]-- }},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := draw.Plain(8)
			cfg.Divergence.Mechanism, cfg.SM.Scheduler = "token", sm.GTO
			require.NoError(t, cfg.Set("divergence.token.window=1"))
			checker, what := watchedRun(t, cfg, 30, c.change)
			assert.Equal(t, c.checker, checker, what)
		})
	}
}

// TestExitEntersIntoTheNextLaunch checks the classes of cycles of launches that begin while the exit of
// the previous launch still enters a narrow pipe. Cycles behind the end of the CTA are empty.
func TestExitEntersIntoTheNextLaunch(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(".version 7.6\n.target sm_80\n.address_size 64\n.entry k() {\nret;\n}\n"))
	require.NoError(t, err)
	p, err := testbench.Program(m, "k")
	require.NoError(t, err)
	cfg := draw.Plain(64)
	cfg.SM.SIMDWidth = 1
	for _, key := range []string{ // exits take few cycles, and so do write-backs
		"sm.alu_latency=1", "clocks.icnt_mhz=10000", "icnt.latency=1", "l2.latency=1",
		"l1.line=32", "l1.assoc=1", "l1.size=32", "l1.sector=0", "l2.line=32", "l2.assoc=1", "l2.size=32", "l2.sector=0",
	} {
		require.NoError(t, cfg.Set(key))
	}
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 10_000})
	require.NoError(t, err)
	var o *Observer
	var begins, exits, ends uint64
	s.OnLaunch.Add(func(*testbench.Loaded) {
		begins = s.Machine.Core().Now()
		o = watch(s, p, shelf[cfg.Divergence.Mechanism])[0]
	})
	s.Machine.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) { exits = e.Cycle })
	s.Machine.SMs[0].CTA.Out.Tap(func(cycle uint64, n *sm.Notice) {
		if !n.Flushed {
			ends = cycle + 1
		}
	})
	for launch := range 3 {
		if launch > 0 {
			require.Greater(t, s.Machine.SMs[0].Sub[0].Issue.Q().Next, s.Machine.Core().Now(), "launch %d", launch)
		}
		require.NoError(t, s.Launch(testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}}))
		o.Detach()
		if o.found == nil {
			o.found = Statistics([]*Observer{o}, &s.Runs[launch].Counters)
		}
		assert.Nil(t, o.found, "launch %d", launch)
		c := &s.Runs[launch].Counters
		assert.Equal(t, ends-exits, c.Classes.Issue(), "launch %d", launch)
		assert.Equal(t, wires+1+(begins+c.Cycles-ends), c.Classes[sm.ClassEmpty], "launch %d: before the CTA comes, and behind it", launch)
	}
}
