package properties

import (
	"cmp"
	"fmt"
	"slices"

	"divergo/properties/draw"
)

// Cause is the failures of a campaign with one mechanism, checker and place. One fault probably
// causes all of them.
type Cause struct {
	Failure *Failure // of the smallest seed, shrunk
	Found   *Failure // the same before it was shrunk
	Seeds   []uint64 // of all failures, ascending
}

// failed is a failure as a journal keeps it.
type failed struct {
	Seed      uint64 `json:"seed"`
	Mechanism string `json:"mechanism"`
	Checker   string `json:"checker"`
	Place     string `json:"place"` // see Failure.place
}

// fails counts a failure of a worker.
func (c *campaign) fails(f *Failure) failed {
	what := failed{f.Case.Seed, f.Mechanism, f.Checker, f.place(c.Stop)}
	c.Lock()
	defer c.Unlock()
	c.count(what, f)
	return what
}

// count adds a failure to its cause; f is nil if a journal has it.
func (c *campaign) count(what failed, f *Failure) {
	seed := what.Seed
	what.Seed = 0
	cause := c.causes[what]
	if cause == nil {
		cause = &Cause{}
		c.causes[what] = cause
	}
	at, _ := slices.BinarySearch(cause.Seeds, seed)
	cause.Seeds = slices.Insert(cause.Seeds, at, seed)
	if at == 0 {
		cause.Found = f
	}
}

// explain lists the causes of the failures, each with a small case. Without KeepGoing it is the one
// with the smallest seed, since workers may have found others behind it.
func (c *campaign) explain() error {
	type listed struct {
		what failed
		*Cause
	}
	var list []listed
	for what, cause := range c.causes {
		list = append(list, listed{what, cause})
	}
	slices.SortFunc(list, func(a, b listed) int {
		return cmp.Or(cmp.Compare(a.Seeds[0], b.Seeds[0]),
			cmp.Compare(slices.Index(c.Mechanisms, a.what.Mechanism), slices.Index(c.Mechanisms, b.what.Mechanism)))
	})
	if !c.KeepGoing && len(list) > 0 {
		list = list[:1]
		list[0].Seeds = list[0].Seeds[:1]
	}
	for _, l := range list {
		if l.Found == nil {
			var err error
			if l.Found, err = c.again(l.what, l.Seeds[0]); err != nil {
				return err
			}
		}
		l.Failure = shrink(l.Found, c.Shrink, c.Stop)
		c.report.Causes = append(c.report.Causes, *l.Cause)
	}
	if len(list) > 0 {
		c.report.Found, c.report.Failure = list[0].Found, list[0].Failure
	}
	return nil
}

// again checks the seed of a failure that only a journal has.
func (c *campaign) again(what failed, seed uint64) (*Failure, error) {
	r := runner{Stop: c.Stop}
	first := seed
	if what.Checker == checkReset { // it needs the earlier runs
		first = max(seed-seed%draw.MachineSeeds, c.Seed)
	}
	for ; first <= seed; first++ {
		k := draw.New(first, c.Features)
		compiled, err := k.Compile()
		if err != nil {
			return nil, err
		}
		f, err := r.Check(compiled, what.Mechanism)
		if err != nil {
			return nil, err
		}
		if f != nil && first == seed {
			f.Features = c.Features
			return f, nil
		}
	}
	return nil, fmt.Errorf("journal %s: seed %d fails checker %s under %s there, but passes: want the journal of this build",
		c.Journal, seed, what.Checker, what.Mechanism)
}

// Write counts the failures in the bucket of their cause: see Failure.Write.
func (c *Cause) Write(in string, by Origin, stop func() bool) (*Bucket, error) {
	return c.Failure.write(in, by, stop, c.Seeds)
}
