package waves

// Observed lists the Sims that a dump observes.
func (d *Dump) Observed() (names []string) {
	for _, p := range d.probes {
		names = append(names, p.sim.Name())
	}
	return names
}
