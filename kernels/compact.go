package kernels

var compact = Kernel{
	Name:    "compact",
	Doc:     "the elements above a limit, in their order, with the sum of all up to them, for each CTA",
	Source:  "stream compaction with warp votes and shuffles, as libraries for GPUs since Kepler do it",
	Control: "lane >= d at each step of a scan by shuffles (P); a loop over the warps before one's own, as long as its number (P); a test of the element (D)",
	Result:  "one loop on the host that appends",
	Votes:   true,
	Sizes: []Size{
		{"small", "470 elements, 2 CTAs of 250", func(seed uint64) Workload { return newCompact(470, 250, seed) }},
		{
			"medium", "20000 elements, 79 CTAs of 256",
			func(seed uint64) Workload { return newCompact(20000, 256, seed) },
		},
		{
			"large", "512 Ki elements, 2048 CTAs of 256",
			func(seed uint64) Workload { return newCompact(512<<10, 256, seed) },
		},
	},
}

// compactWorkload keeps the elements above a limit.
type compactWorkload struct {
	outcome
	cta              int
	limit            uint32
	in               []uint32
	kept, sums, many []uint32 // kept and sums hold each CTA's values from its first element on
}

// newCompact makes n elements for CTAs of cta threads, at most 256. About two in five elements are
// kept.
func newCompact(n, cta int, seed uint64) *compactWorkload {
	r := random(seed)
	w := &compactWorkload{cta: cta, limit: 600, in: make([]uint32, n), kept: make([]uint32, n), sums: make([]uint32, n)}
	place, sum := 0, uint32(0)
	for i := range w.in {
		if i%cta == 0 {
			place, sum = i, 0
			w.many = append(w.many, 0)
		}
		w.in[i] = uint32(r.below(1000))
		sum += w.in[i]
		if w.in[i] > w.limit {
			w.kept[place], w.sums[place] = w.in[i], sum
			place++
			w.many[i/cta]++
		}
	}
	return w
}

// Run implements Workload.
func (w *compactWorkload) Run(m Machine) error {
	w.reset()
	in, kept, sums, many := upload(m, w.in), m.Alloc(4*len(w.in)), m.Alloc(4*len(w.in)), m.Alloc(4*len(w.many))
	err := m.Launch(Call{
		Module: "compact.ptx",
		Kernel: "compact",
		Grid:   [3]uint32{uint32(len(w.many)), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
		Params: bank(in, kept, sums, many, uint32(len(w.in)), w.limit),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "element", download[uint32](m, kept, len(w.in)), w.kept)
	expect(&w.outcome, "sum", download[uint32](m, sums, len(w.in)), w.sums)
	expect(&w.outcome, "count", download[uint32](m, many, len(w.many)), w.many)
	return nil
}
