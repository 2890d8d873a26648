package properties

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"divergo/gpu"
	"divergo/internal/output"
	"divergo/properties/draw"
)

// corpus steers a campaign, as that of a coverage-guided fuzzer does: kernels that reached rare
// situations are kept, changed and crossed.
//
// A campaign with a corpus proceeds by generations of seeds. The corpus at the start of a generation
// and a seed determine a case, so a campaign is a function of its first seed and its corpus file,
// whatever the number of goroutines. The file has the seeds of what is kept, and of its parents; each
// case is bred again from these.
type corpus struct {
	features draw.Features
	file     *output.Journal
	members  map[uint64]*member  // by seed
	list     []*member           // in the order of their seeds
	reached  map[situation]uint8 // kernels that reached it, up to common
	rare     []uint64            // seeds of kernels that were alone in a situation, which the last generations added
	bundles  map[uint64][]birth  // of this generation, by first seed
	total    generation          // this generation so far
}

// generationSeeds is the number of seeds in a generation.
const generationSeeds = 4 * bundleSeeds

// common is the number of kernels that make a situation common. Those before it are kept.
const common = 2

// member is a case of the corpus: how it was bred, and the rare situations that it reached.
type member struct {
	Seed    uint64      `json:"seed"`
	Parents []uint64    `json:"parents,omitempty"` // seeds of the kernel's parents; none: drawn
	Machine *uint64     `json:"machine,omitempty"` // seed of the case whose machine was changed; none: drawn
	Reached []situation `json:"reached"`

	c draw.Case
}

// birth is a checked case, with all the situations that it reached which were rare before the generation.
type birth struct {
	member
	all []situation // reached, common or not
}

// generation is a line of the file.
type generation struct {
	record
	Kept []*member `json:"kept"`
}

// corpusSchema identifies the format of a corpus file.
const corpusSchema = "divergo.check.corpus.v2"

// openCorpus reads a corpus file, or begins one. It returns the generations that the file has.
func openCorpus(name string, mechanisms []string, each int, features draw.Features) (*corpus, []generation, error) {
	file, err := output.OpenJournal(name, map[string]any{
		"schema": corpusSchema, "mechanisms": mechanisms, "each_kernel_under": each, "features": features.String(),
	})
	if err != nil {
		return nil, nil, err
	}
	c := &corpus{
		features: features, file: file, members: map[uint64]*member{}, reached: map[situation]uint8{},
		bundles: map[uint64][]birth{},
	}
	var all []generation
	for i, line := range file.Records {
		var g generation
		err := json.Unmarshal(line, &g)
		for _, k := range g.Kept {
			if err == nil {
				err = c.rebuild(k)
			}
		}
		if err != nil || g.To <= g.From {
			return nil, nil, errors.Join(fmt.Errorf("%s: line %d is no generation of a corpus", name, i+2), err, file.Close())
		}
		c.keep(g.Kept)
		g.Kept = nil
		all = append(all, g)
	}
	return c, all, nil
}

// rebuild breeds a kept case again.
func (c *corpus) rebuild(k *member) error {
	machine := (*gpu.Config)(nil)
	if k.Machine != nil {
		m := c.members[*k.Machine]
		if m == nil {
			return fmt.Errorf("seed %d: the machine of seed %d is missing", k.Seed, *k.Machine)
		}
		bred := draw.BreedMachine(k.Seed, m.c.Machine)
		machine = &bred
	}
	parents := []*member{}
	for _, seed := range k.Parents {
		if c.members[seed] == nil {
			return fmt.Errorf("seed %d: its parent %d is missing", k.Seed, seed)
		}
		parents = append(parents, c.members[seed])
	}
	if len(parents) != 0 && len(parents) != 2 {
		return fmt.Errorf("seed %d: %d parents, want two or none", k.Seed, len(parents))
	}
	k.c = c.bred(k.Seed, parents, machine)
	return nil
}

// bred makes the case of a seed, from its parents and for a machine if it has them.
func (c *corpus) bred(seed uint64, parents []*member, machine *gpu.Config) draw.Case {
	if len(parents) == 0 {
		k := draw.New(seed, c.features)
		if machine != nil {
			k = k.On(*machine)
		}
		return k
	}
	if machine == nil {
		m := draw.New(seed, c.features).Machine
		machine = &m
	}
	return draw.Breed(seed, c.features, &parents[0].c, &parents[1].c, *machine)
}

// machine chooses the machine of the seeds from first on: that of a kept case with other keys, or nil for a
// drawn one.
func (c *corpus) machine(first uint64) (of *member, machine *gpu.Config) {
	r := rand.New(rand.NewPCG(first/draw.MachineSeeds, 9))
	if len(c.list) == 0 || r.IntN(2) == 0 {
		return nil, nil
	}
	of = c.choose(r)
	m := draw.BreedMachine(first, of.c.Machine)
	return of, &m
}

// choose chooses a parent: half of the time one that was alone in a situation, lately rather than long
// ago.
func (c *corpus) choose(r *rand.Rand) *member {
	if n := len(c.rare); n > 0 && r.IntN(2) == 0 {
		back := min(r.IntN(n), r.IntN(n))
		return c.members[c.rare[n-1-back]]
	}
	return c.list[r.IntN(len(c.list))]
}

// draw makes the case of a seed of a bundle. A third of the cases are drawn, the others bred.
func (c *corpus) draw(seed uint64, of *member, machine *gpu.Config) birth {
	b := birth{member: member{Seed: seed}}
	if of != nil {
		b.Machine = &of.Seed
	}
	r := rand.New(rand.NewPCG(seed, 10))
	var parents []*member
	if len(c.list) > 0 && r.IntN(3) != 0 {
		parents = []*member{c.choose(r), c.choose(r)}
		b.Parents = []uint64{parents[0].Seed, parents[1].Seed}
	}
	b.c = c.bred(seed, parents, machine)
	return b
}

// keep adds cases to the corpus.
func (c *corpus) keep(list []*member) {
	for _, k := range list {
		c.members[k.Seed] = k
		c.list = append(c.list, k)
		alone := false
		for _, s := range k.Reached {
			c.reached[s] = min(c.reached[s]+1, common)
			alone = alone || c.reached[s] == 1
		}
		if alone {
			c.rare = append(c.rare, k.Seed)
		}
	}
}

// situations lists those that kernels of the corpus reached, in order.
func (c *corpus) situations(mechanisms []string) (list []Situation) {
	for _, s := range slices.Sorted(maps.Keys(c.reached)) {
		n := s.named(mechanisms)
		n.Kernels = int(c.reached[s])
		list = append(list, n)
	}
	return list
}

// end ends a generation whose bundles are all checked: it keeps their cases with rare situations, in
// the order of the seeds, and writes the line of the file.
func (c *corpus) end() error {
	var list []*member
	for _, first := range slices.Sorted(maps.Keys(c.bundles)) {
		for _, b := range c.bundles[first] {
			k := b.member
			for _, s := range b.all {
				if c.reached[s] < common {
					k.Reached = append(k.Reached, s)
				}
			}
			if len(k.Reached) > 0 {
				c.keep([]*member{&k})
				list = append(list, &k)
			}
		}
	}
	g := c.total
	g.Kept = list
	c.bundles, c.total = map[uint64][]birth{}, generation{}
	return c.file.Add(g)
}

// steer opens the corpus of a campaign, and adds its generations to the report. The campaign goes on
// behind the last one.
func (c *campaign) steer() error {
	switch {
	case c.Journal != "":
		return errors.New("keeps a journal of its own: want no other journal")
	case c.Shard.N > 1:
		return errors.New("grows with each seed: want no shard, but a corpus and other seeds for each computer")
	}
	var all []generation
	var err error
	if c.corpus, all, err = openCorpus(c.Corpus, c.Mechanisms, c.report.Each, c.Features); err != nil {
		return err
	}
	r := &c.report
	for _, g := range all {
		r.Cases += g.To - g.From
		r.Runs += g.Runs
		r.Lanes += g.Lanes
		r.Coverage[0].add(&g.Coverage)
		r.checked(Span{g.From, g.To})
		if c.next < g.To {
			c.next = g.To
		}
	}
	r.Before = r.Runs
	return nil
}

// bear adds the cases of a bundle to the generation. A generation that is whole ends.
func (c *campaign) bear(seeds record, births []birth) {
	g := &c.corpus.total
	if len(c.corpus.bundles) == 0 {
		g.From, g.To = seeds.From, seeds.To
	}
	g.From, g.To = min(g.From, seeds.From), max(g.To, seeds.To)
	g.Runs += seeds.Runs
	g.Lanes += seeds.Lanes
	g.Coverage.add(&seeds.Coverage)
	c.corpus.bundles[seeds.From] = births
	sum := uint64(0)
	for _, b := range c.corpus.bundles {
		sum += uint64(len(b))
	}
	if g.To%generationSeeds == 0 && sum == g.To-g.From && (g.From%generationSeeds == 0 || g.From == c.Seed) {
		c.err = c.corpus.end()
	}
}
