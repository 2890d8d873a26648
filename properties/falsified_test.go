package properties

import (
	"testing"

	"divergo/properties/books"
	"divergo/properties/draw"
	"divergo/properties/models"
	"divergo/sm"
	"divergo/testbench"
	"divergo/testbench/verify"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestJudge checks that a difference from the golden model is a finding of the right checker.
func TestJudge(t *testing.T) {
	k := simple(t)
	l := testbench.Launch{Prog: k.Prog, Grid: k.Grid, Block: k.Block}
	for _, c := range []struct {
		m    verify.Mismatch
		want string
	}{
		{verify.Mismatch{Broken: []verify.Broken{{Is: verify.EmptyMask}}}, checkIssue},
		{verify.Mismatch{Threads: 1, Paths: []verify.Path{{Machine: []uint32{0}, Golden: []uint32{1}}}}, checkPaths},
		{verify.Mismatch{Outcome: &testbench.Outcome{}}, checkOutcome},
		{verify.Mismatch{Values: 1}, checkRegisters},
		{verify.Mismatch{Written: 1}, checkRegisters},
		{verify.Mismatch{Bytes: 1}, checkMemory},
		{verify.Mismatch{Issued: 2, Steps: 1}, checkOnce},
	} {
		c.m.Launch = l
		b, _ := judge(&c.m)
		assert.Equal(t, c.want, b.Rule.Checker)
	}
}

// simple returns a kernel with a branch.
func simple(t *testing.T) *draw.Compiled {
	t.Helper()
	k, err := (&draw.Case{
		Machine: draw.Plain(8), Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{16, 1, 1},
		Kernel: draw.Kernel{
			Body: []draw.Stmt{{
				Kind: draw.If, Cond: draw.Cond{Value: draw.Thread, Reg: -1, Mask: 3, Cmp: "lt", Limit: 2},
				Body: [][]draw.Stmt{{{Kind: draw.Compute}}},
			}, {Kind: draw.Load}, {Kind: draw.Put}},
			Words: 64,
		},
	}).Compile()
	require.NoError(t, err)
	return k
}

// asleep is a model that never has anything ready.
type asleep struct{ models.Model }

func (asleep) Ready() []models.Group { return nil }

// TestModelIsWatched: a model that has nothing ready finds an instruction that it does not expect.
func TestModelIsWatched(t *testing.T) {
	right := models.Models["pdom"]
	t.Cleanup(func() { models.Models["pdom"] = right })
	f, err := (&runner{}).Check(simple(t), "pdom")
	require.NoError(t, err)
	require.Nil(t, f)
	models.Models["pdom"] = func(c *models.Code) models.Model { return asleep{right(c)} }
	f, err = (&runner{}).Check(simple(t), "pdom")
	require.NoError(t, err)
	require.NotNil(t, f)
	assert.Equal(t, checkModel, f.Checker, f.What)
}

// TestEndIsWatched falsifies the remains of a run, and its counts, in one way each time.
func TestEndIsWatched(t *testing.T) {
	counters := func(change func(c *testbench.Counters)) func(s *testbench.Session) {
		return func(s *testbench.Session) { change(&s.Runs[len(s.Runs)-1].Counters) }
	}
	for _, c := range []struct {
		name, checker string
		change        func(s *testbench.Session)
	}{
		{"nothing", "", func(*testbench.Session) {}},
		{"a push too many", checkDepth, counters(func(c *testbench.Counters) { c.Divergence.Pushes++ })},
		{"a stack too deep", checkDepth, counters(func(c *testbench.Counters) { c.Divergence.MaxDepth = 1000 })},
		{"a cycle too many", checkCycles, counters(func(c *testbench.Counters) { c.Classes[sm.ClassMem]++ })},
		{
			"a cycle in another class", checkCycles,
			counters(func(c *testbench.Counters) { c.Classes[sm.ClassIssue]--; c.Classes[sm.ClassMem]++ }),
		},
		{"a line twice", checkTraffic, counters(func(c *testbench.Counters) { c.Coalescer.Lines++ })},
		{"a fetch that nobody asked for", checkTraffic, counters(func(c *testbench.Counters) { c.DRAM.Reads++ })},
		{
			"a register still to be written", checkDrained,
			func(s *testbench.Session) { s.Machine.SMs[0].Issue.Scoreboard.Pending.Edit(0)[0] = 1 },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := simple(t)
			s := mustSession(t, k)
			require.NoError(t, k.Launch(s, s.Launch))
			c.change(s)
			b := finished(s)
			if b == nil {
				b = &books.Finding{}
			}
			assert.Equal(t, c.checker, b.Rule.Checker, b.What)
		})
	}
}

// TestStatisticsAreCountedAgain falsifies one count of a run each time.
func TestStatisticsAreCountedAgain(t *testing.T) {
	k := simple(t)
	s := mustSession(t, k)
	r := countAgain(s)
	require.NoError(t, k.Launch(s, s.Launch))
	r.detach()
	total := s.Counters()
	assert.Nil(t, r.compare(&total))
	for _, n := range []*uint64{
		&total.Coalescer.Accesses, &total.L1.LoadMisses, &total.Responses.Flits, &total.L2.WriteBacks,
		&total.DRAM.Activates, &total.Divergence.Pops,
	} {
		assert.NotZero(t, *n)
		*n++
		if b := r.compare(&total); assert.NotNil(t, b) {
			assert.Equal(t, checkRecount, b.Rule.Checker)
		}
		*n--
	}
}

// TestRunsAreCompared falsifies a run in another order, a machine that has run before, and the
// model itself.
func TestRunsAreCompared(t *testing.T) {
	k := simple(t)
	s := mustSession(t, k)
	require.NoError(t, k.Launch(s, s.Launch))
	state := s.Machine.System().Hash()
	assert.Nil(t, same(s, k, state))
	if b := same(s, k, state^1); assert.NotNil(t, b) {
		assert.Equal(t, checkSame, b.Rule.Checker)
	}

	var r runner
	f, err := r.Check(k, "pdom")
	require.NoError(t, err)
	require.Nil(t, f)
	r.sessions["pdom"].OnLaunch.Add(func(*testbench.Loaded) { // as if a run had left something in it
		m := r.sessions["pdom"].Machine.SMs[0]
		m.Issue.OnIssue.Add(func(e sm.Issued) { m.Writeback.Regs.Edit(int(e.Row) * len(k.Prog.Regs))[0] = 12345 })
	})
	f, err = r.Check(k, "pdom")
	require.NoError(t, err)
	if assert.NotNil(t, f) {
		assert.Equal(t, checkReset, f.Checker)
	}

	s = mustSession(t, k)
	s.OnLaunch.Add(func(*testbench.Loaded) {
		m := s.Machine.SMs[0]
		m.Issue.OnIssue.Add(func(sm.Issued) { m.Operands.Regs = nil })
	})
	if b, _ := new(runner).run(s, k); assert.NotNil(t, b) {
		assert.Equal(t, checkPanic, b.Rule.Checker, b.What)
	}
}
