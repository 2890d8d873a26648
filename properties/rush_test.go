package properties

import (
	"flag"
	"fmt"
	"testing"

	"divergo/internal/forall"
	"divergo/properties/draw"
	"divergo/sm/divergence"
	"divergo/testbench"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var rushes = flag.Int("rushes", 150, "kernels of events that come together")

// meetingEvents are the events of a mechanism: of its ports, and those of divergence.Events.
var meetingEvents = []string{"start", "end", "outcome", "push", "pop", "release", "spill", "fill"}

// rarelyTogether are the pairs that these kernels do not bring together under a mechanism.
var rarelyTogether = map[string][]string{
	"multipath":    {"start and push", "start and pop", "end and push", "end and pop", "push and release", "pop and release"},
	"ppc":          {"start and push", "start and pop"},
	"ppc-explicit": {"start and pop"},
	"token": {
		"start and push", "start and spill", "start and fill", "end and spill", "release and spill", "release and fill",
	},
}

// meetings records the pairs of events of an SM, in one cycle or one cycle apart.
type meetings struct {
	now       uint64
	cur, prev map[string]bool
	seen      map[[2]string]bool
}

func (m *meetings) event(cycle uint64, what string) {
	if cycle > m.now {
		if m.prev = m.cur; cycle > m.now+1 {
			m.prev = nil
		}
		m.now, m.cur = cycle, map[string]bool{}
	}
	for _, e := range meetingEvents {
		if m.cur[e] || m.prev[e] {
			m.seen[[2]string{e, what}], m.seen[[2]string{what, e}] = true, true
		}
	}
	m.cur[what] = true
}

// follow watches the SMs of a loaded session.
func (m *meetings) follow(s *testbench.Session) (leave []func()) {
	now := s.Machine.Core().Now
	for _, one := range s.Machine.SMs {
		w := &meetings{seen: m.seen, cur: map[string]bool{}}
		ports := one.Div.Connections()
		leave = append(leave,
			ports.Launch.Tap(func(cycle uint64, _ *divergence.WarpStart) { w.event(cycle, "start") }),
			ports.Retire.Tap(func(cycle uint64, _ *divergence.Retire) { w.event(cycle, "end") }),
			ports.Outcome.Tap(func(cycle uint64, _ *divergence.Outcome) { w.event(cycle, "outcome") }),
			ports.Memory.Tap(func(cycle uint64, t *divergence.Transfer) {
				w.event(cycle, map[bool]string{true: "spill", false: "fill"}[t.Store])
			}))
		for i := range ports.Others {
			leave = append(leave,
				ports.Others[i].Outcome.Tap(func(cycle uint64, _ *divergence.Outcome) { w.event(cycle, "outcome") }))
		}
		if ports.Events == nil {
			continue
		}
		leave = append(leave,
			ports.OnStack.Add(func(e divergence.Stacked) {
				w.event(now(), map[bool]string{true: "push", false: "pop"}[e.Push])
			}),
			ports.OnRelease.Add(func(divergence.Released) { w.event(now(), "release") }))
	}
	return leave
}

// TestRush checks that kernels of rush bring each pair of a mechanism's events together, in one cycle
// or one cycle apart, except those listed.
func TestRush(t *testing.T) {
	for i, mechanism := range shipped() {
		if testing.Short() || forall.LeftOut(i, 8) { // too few kernels
			continue
		}
		m := meetings{seen: map[[2]string]bool{}}
		happened := map[string]bool{}
		var r runner
		for seed := range uint64(*rushes) {
			c := draw.Rush(seed)
			k, err := c.Compile()
			require.NoError(t, err)
			k, err = k.For(mechanism)
			require.NoError(t, err)
			s, err := r.session(k.Machine, mechanism)
			require.NoError(t, err)
			var leave []func()
			stop := s.OnLaunch.Add(func(*testbench.Loaded) { leave = append(leave, m.follow(s)...) })
			require.NoError(t, k.Launch(s, s.Launch), "seed %d under %s", seed, mechanism)
			stop()
			for _, f := range leave {
				f()
			}
		}
		for pair := range m.seen {
			happened[pair[0]] = true
		}
		var missing []string
		for i, a := range meetingEvents {
			for _, b := range meetingEvents[i:] {
				if happened[a] && happened[b] && !m.seen[[2]string{a, b}] {
					missing = append(missing, fmt.Sprintf("%s and %s", a, b))
				}
			}
		}
		assert.Subset(t, rarelyTogether[mechanism], missing, mechanism)
	}
}
