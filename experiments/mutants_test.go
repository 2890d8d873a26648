package experiments_test

import (
	"flag"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/mutants"
)

var all = flag.Bool("all", false, "plant all faults")

// faults are planted in the hardware, one at a time: of timing and of policy, which
// spoil no result, so that random kernels do not find them. Audit is the claims that
// have to turn out otherwise.
var faults = []mutants.Mutant{
	{
		Name: "lanes-ignored", Bug: "the SM has its threads in the order of their locations", Audit: "SLP-35 SLP-20 SLP-21 SLP-22 SLP-26 SLP-28 SLP-29 SLP-33 SLP-34 SLP-36 SLP-37",
		File: "sm/lanes.go", Old: "lanes := c.Lanes\n", New: "lanes := units.Sequential\n",
	},
	{
		Name: "capri-never-compacts", Bug: "the prediction is not asked", Audit: "SLP-35 SLP-40",
		File: "sm/divergence/compaction/capri.go", Old: "Compact: was.Here && !p.off()}", New: "Compact: was.Here && p.off()}",
	},
	{
		Name: "dwf-never-merges", Bug: "all lanes of a warp count as taken", Audit: "TBC-32",
		File: "units/pool.go", Old: "conflict := u.Req & line.Data.Occ", New: "conflict := u.Req",
	},
	{
		Name: "dram-no-row-cycle", Bug: "a bank is opened again when it likes", Audit: "TBC-27",
		File: "memsys/dram/channel.go", Old: "bk.NextAct, bk.NextPre = after(t.TRC), after(t.TRAS)", New: "bk.NextAct, bk.NextPre = after(1), after(1)",
	},
	{
		Name: "tbc-never-compacts", Bug: "the compactor gives static warps", Audit: "TBC-09 SLP-27 SLP-28 SLP-30 SLP-31 SLP-33",
		File: "sm/divergence/compaction/tbc.go", Old: "if p.off() || p.Stack.Len(cta) == 1 {", New: "if p.Stack.Len(cta) > 0 {",
	},
	{
		Name: "tbc-one-entry", Bug: "a way without threads has no entry", Audit: "TBC-06",
		File: "sm/divergence/compaction/tbc.go", Old: "		if path.At != rpc {", New: "		if path.At != rpc && !path.Mask.Empty() {",
	},
	{
		Name: "pdom-not-taken-first", Bug: "the way behind the branch is on top", Audit: "TBC-07",
		File: "sm/divergence/pathstack.go", Old: "if !order.Taken(taken, not) {", New: "if order.Taken(taken, not) {",
	},
	{
		Name: "compactor-highest-first", Bug: "the encoders take the highest static warp", Audit: "TBC-04",
		File: "units/compactor.go", Old: "homes.Row[l] = uint8(bits.TrailingZeros64(*group))\n\t\t\t*group &= *group - 1", New: "homes.Row[l] = uint8(bits.Len64(*group) - 1)\n\t\t\t*group &^= 1 << (bits.Len64(*group) - 1)",
	},
	{
		Name: "ideal-keeps-lanes", Bug: "the crossbar lets no thread change its lane", Audit: "SLP-05 SLP-30 SLP-31",
		File: "sm/divergence/compaction/tbc.go", Old: "c.NextFilled(p.lanes)", New: "c.Next()",
	},
	{
		Name: "lcp-never-meets", Bug: "paths go past a likely-convergence point", Audit: "TBC-07 TBC-20",
		File: "sm/divergence/pathstack.go", Old: "case s.At() == e.LPC:", New: "case s.At() == e.LPC && s.PC == 0:",
	},
	{
		Name: "warp-barrier-open", Bug: "a warp barrier lets threads pass", Audit: "TBC-08",
		File: "sm/divergence/formation/dwf_barrier.go", Old: "w.Barred && w.RPC == u.PC {", New: "w.Barred && w.RPC == u.PC && u.Req == 0 {",
	},
	{
		Name: "majority-ignored", Bug: "every warp of the pool has the same rank", Audit: "TBC-31 TBC-14",
		File: "sm/divergence/formation/dwf_issue.go", Old: "w.Rank = p.rankPC(pc, w.Threads)", New: "w.Rank = unranked + 0*p.rankPC(pc, w.Threads)",
	},
	{
		Name: "spill-alone", Bug: "tokens move to memory one by one", Audit: "COST-05",
		File: "sm/divergence/tokens/token.go", Old: "chunk: min(k.Window, divergence.TransferWords)", New: "chunk: 1",
	},
	{
		Name: "fill-at-once", Bug: "a token comes back in no more time than memory takes", Audit: "COST-11",
		File: "sm/divergence/tokens/token.go", Old: "fill: uint64(k.Fill),", New: "fill: 0,",
	},
	{
		Name: "memory-class-idle", Bug: "waits for memory are idle cycles", Audit: "TBC-19",
		File: "sm/issue.go", Old: "	case q.Memory > 0:", New: "	case q.Memory > 60000:",
	},
	{
		Name: "class-since-lost", Bug: "the cycles of a class begin a cycle late", Audit: "TBC-30",
		File: "sm/issue.go", Old: "		d.Class, d.Since = class, now\n", New: "		d.Class, d.Since = class, now+1\n",
	},
	{
		Name: "ppc-larger-first", Bug: "the path with the larger PC runs first", Audit: "PPC-01 PPC-03",
		File: "sm/divergence/paths/ppc.go", Old: "case t && (!n || e.Side[0].At.Before(e.Side[1].At)):", New: "case t && (!n || e.Side[1].At.Before(e.Side[0].At)):",
	},
	{
		Name: "balanced-even-alone", Bug: "the masks of odd warps are not complements", Audit: "SLP-06",
		File: "units/permutation.go", Old: "m = ^m & (width - 1)", New: "m = (m + width/2) & (width - 1)",
	},
	{
		Name: "loads-are-clean", Bug: "what is loaded from shared memory is no data", Audit: "SLP-14 SLP-17 SLP-27 SLP-28",
		File: "isa/taint.go", Old: "return in.Space != SpaceParam", New: "return in.Space == SpaceGlobal",
	},
	{
		Name: "token-pop-short", Bug: "a pop takes a cycle less", Audit: "COST-10",
		File: "sm/divergence/tokens/token.go", Old: "now + p.pop - refill", New: "now + p.pop - refill - 1",
	},
	{
		Name: "token-window-short", Bug: "a token less is on the chip", Audit: "COST-04",
		File: "sm/divergence/tokens/token.go", Old: "int(*depth-spilled) == p.window {", New: "int(*depth-spilled) == p.window-1 {",
	},
	{
		Name: "herd-tie", Bug: "half of a warp is a majority", Audit: "HERDING-02",
		File: "units/majority.go", Old: "return m.tie(previous)", New: "return true",
	},
	{
		Name: "herds-nothing", Bug: "marks of herding are not looked at", Audit: "HERDING-07 HERDING-09 HERDING-14 HERDING-15 HERDING-16",
		File: "sm/herd.go", Old: "if in.Flags&isa.FlagHerd == 0 {", New: "if in.Flags != 255 {",
	},
	{
		Name: "herd-waits", Bug: "a herded branch takes a cycle more", Audit: "HERDING-05",
		File: "sm/herd.go", Old: "until = now + h.latency\n", New: "until = now + h.latency + 1\n",
	},
	{
		Name: "lanes-of-a-warp", Bug: "an issued instruction counts the lanes of a warp that are off", Audit: "SLP-16 SLP-30 SLP-33 SLP-34",
		File: "sm/issue.go", Old: "c.Lanes += uint64(n)", New: "c.Lanes += uint64(n | 31)",
	},
	{
		Name: "cache-mru", Bug: "of a set of the caches the line used last makes room", Audit: "SLP-38 TBC-23 TBC-24",
		File: "memsys/cache.go", Old: "s.Used < used", New: "s.Used > used",
	},
	{
		Name: "ppc-compares-seldom", Bug: "paths are compared at branches alone", Audit: "PPC-03 PPC-04 PPC-05",
		File: "sm/divergence/paths/ppc.go", Old: "	if p.explicit {\n\t\tp.run(s, x)", New: "	if p.explicit || s.Wait == Runs {\n\t\tp.run(s, x)",
	},
	{
		Name: "lcp-of-static-warps", Bug: "TBC has no entries for likely-convergence points", Audit: "TBC-20 TBC-21",
		File: "sm/divergence/compaction/tbc.go", Old: "p.likely && in.Likely != isa.NoPC", New: "p.likely && p.static && in.Likely != isa.NoPC",
	},
	{
		Name: "herd-never", Bug: "no instruction is herded, unless there is a limit", Audit: "HERDING-07 HERDING-09 HERDING-14 HERDING-15 HERDING-16",
		File: "sm/herd.go", Old: "	if in.Flags&isa.FlagHerd == 0 {\n\t\treturn 0", New: "	if in.Flags&isa.FlagHerd == 0 || i.l.herdLimit < 0 {\n\t\treturn 0",
	},
	{
		Name: "herd-branch-late", Bug: "a herded branch waits for the majority as if that were computed in software", Audit: "HERDING-07 HERDING-10",
		File: "sm/herd.go", Old: "latency: uint64(cfg.BranchLatency)", New: "latency: uint64(cfg.BranchLatency) + 100",
	},
	{
		Name: "herd-load-late", Bug: "a herded load waits longer for its selector than for its lines", Audit: "HERDING-12",
		File: "memsys/coalescer.go", Old: "latency: uint64(cfg.Herd.LoadLatency)", New: "latency: uint64(cfg.Herd.LoadLatency) + 100",
	},
	{
		Name: "partial-warps-slow", Bug: "lanes of a warp that is not full enter a pipe one by one", Audit: "HERDING-11",
		File: "sm/execute.go", Old: "n = p.l.entering(lanes, p.l.cfg.WarpSize, p.width)", New: "n = 16 * p.l.entering(lanes, p.l.cfg.WarpSize, p.width)",
	},
	{
		Name: "entry-of-the-sm", Bug: "bits of an entry are those of the whole SM", Audit: "TBC-28",
		File: "sm/divergence/compaction/tbc.go", Old: "\tMask  units.BlockMask  `len:\"lanes\" bits:\"share\"`\n}\n\n// Block", New: "\tMask  units.BlockMask  `len:\"lanes\" bits:\"warps\"`\n}\n\n// Block",
	},
}

// TestMutants: each planted fault turns the claims red that are named. Two of them are
// planted in each test, all with -all.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(faults), 20)
	for _, m := range faults {
		dir := t.TempDir()
		overlay, err := m.Overlay(root, dir)
		require.NoError(t, err)
		if !*all && (testing.Short() || m.Name != "tbc-one-entry" && m.Name != "dram-no-row-cycle") {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			hunt := exec.Command("go", "test", "-overlay", overlay, "-count=1", "-vet=off", "-run", "^TestClaims$/^("+strings.ReplaceAll(m.Audit, " ", "|")+")$", "./experiments")
			hunt.Dir = root
			out, err := hunt.CombinedOutput()
			require.Error(t, err, "%s: %s stays as it was", m.Bug, m.Audit)
			for claim := range strings.FieldsSeq(m.Audit) {
				require.True(t, strings.Contains(string(out), "--- FAIL: TestClaims/"+claim), "%s: %s stays as it was\n%s", m.Bug, claim, out)
			}
		})
	}
}
