package books

import "divergo/sm/divergence/tokens"

// The models of each mechanism that ships, besides those that every mechanism has.
func init() {
	for _, name := range []string{"pdom", "pdom-lcp"} {
		Register(name, func(o *Observer) { watchStack(&o.View, o.mechanism.Stack) })
	}
	for _, name := range []string{
		"pdom", "pdom-lcp", "dpe", "ppc", "ppc-explicit", "ptpc", "token", "barrier", "subwarp",
	} {
		Register(name, func(o *Observer) { watchDepth(&o.View) })
	}
	Register("token", func(o *Observer) {
		k := tokens.Keys.Of(o.config.Divergence)
		o.transfers.costs = [2]uint64{uint64(k.Fill), uint64(k.Spill)}
		o.prompt.unwinds, o.prompt.pop = true, uint64(max(k.Pop-tokens.Refill, 0))
	})
	for _, name := range []string{"ppc", "ppc-explicit"} {
		Register(name, func(o *Observer) { o.prompt.perPop = 1 })
	}
	Register("tbc", func(o *Observer) { watchCompactor(o, false, false) })
	Register("tbc-lcp", func(o *Observer) { watchCompactor(o, true, false) })
	Register("tbc-ideal", func(o *Observer) { watchCompactor(o, false, false) })
	Register("capri", func(o *Observer) { watchCompactor(o, false, true) })
	Register("dwf", func(o *Observer) { watchForming(o, false) })
	Register("dwf-wb", func(o *Observer) { watchForming(o, true) })
}
