package sweep

// Effect says what an axis has changed. The axes of a zip are one effect.
type Effect struct {
	Axes    []string // names; several for a zip
	Groups  int      // sets of points with results that are equal in all other axes, two points or more
	Changed int      // of these, sets in which an outcome or a statistic differs
	Why     string   // of an axis that changed nothing: the reason, where the machine knows it
}

// Effects returns the effect of each axis of a plan on the results in a store, in plan order.
func Effects(p *Plan, s *Store) ([]Effect, error) { panic("skeleton") }
