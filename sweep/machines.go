package sweep

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"divergo/gpu"
	"divergo/internal/key"
)

// machines lists the different machines of the points, checks each, and hashes its configuration.
func (r *reader) machines() {
	r.bases = map[base]gpu.Config{}
	number := map[uint64]uint32{} // of a machine, by its values
	var firsts []int              // a point of each machine
	r.machineOf = make([]uint32, len(r.points))
	for i, n := range r.points {
		steps := r.combination(n)
		id := r.machineID(steps)
		m, ok := number[id]
		if !ok {
			m = uint32(len(number))
			number[id] = m
			firsts = append(firsts, i)
			if !r.addBase(steps) {
				return
			}
		}
		r.machineOf[i] = m
	}
	r.digests = make([][32]byte, len(firsts))
	faults, used := make([]error, len(firsts)), make([][]string, len(firsts))
	parallel(len(firsts), func(m int) {
		c := r.Config(firsts[m])
		faults[m], r.digests[m], used[m] = c.Check(), configDigest(&c), optional(&c)
	})
	r.used = map[string]bool{}
	for _, names := range used {
		for _, name := range names {
			r.used[name] = true
		}
	}
	told := map[string]bool{}
	for m, err := range faults {
		r.impossible(r.steps(firsts[m]), err, told)
	}
	if len(told) > 0 && len(r.errs) < maxErrors {
		r.errs = append(r.errs, fmt.Errorf("where = \"CONDITION\" leaves out points that are impossible"))
	}
	r.build = build()
}

// machineID returns a number that is different for different machines.
func (r *reader) machineID(steps []int) uint64 {
	id := uint64(0)
	for i := range r.axes {
		a := &r.axes[i]
		switch {
		case a.key != "" || a.name == "preset" || a.name == "config":
			id = id*uint64(len(a.values)) + uint64(steps[i])
		case a.name == "kernel":
			id = id*uint64(len(r.subjects)) + uint64(r.alike(steps[i]))
		}
	}
	return id
}

// alike returns the first subject that starts from the same machine.
func (r *reader) alike(n int) int {
	s := r.subjects[n]
	for i, o := range r.subjects {
		if o.preset == s.preset && o.machine == s.machine && o.mechanism == s.mechanism {
			return i
		}
	}
	return n
}

// addBase reads where the machine of a combination starts.
func (r *reader) addBase(steps []int) bool {
	b := r.base(steps)
	if _, ok := r.bases[b]; ok {
		return true
	}
	preset, err := gpu.FindPreset(b.preset)
	if err != nil {
		panic(err) // it has been found before
	}
	c := preset.Config()
	if b.launch != "" {
		if err := load(&c, b.launch); err != nil {
			r.errs = append(r.errs, err)
			return false
		}
	}
	if b.config != "" {
		if err := load(&c, r.path(b.config)); err != nil {
			r.errs = append(r.errs, err)
			return false
		}
	}
	r.bases[b] = c
	return true
}

// impossible adds the faults of a machine, at the values of the plan that cause them.
func (r *reader) impossible(steps []int, err error, told map[string]bool) {
	for _, f := range key.Faults(err) {
		if told[f.Error()] {
			continue
		}
		told[f.Error()] = true
		at, others := -1, []string(nil)
		for _, name := range f.Keys {
			i := r.find(name)
			if i < 0 {
				continue
			}
			if at < 0 {
				at = r.axes[i].values[steps[i]].at
			}
			others = append(others, fmt.Sprintf("%s = %v", r.axes[i].name, r.axes[i].values[steps[i]].v))
		}
		message := f.Error()
		if len(others) > 1 {
			message += ", in points with " + strings.Join(others, ", ")
		}
		r.errorf(max(at, 0), "%s", message)
	}
}

// optional lists the blocks of a machine that other machines lack, by the section of their keys: the
// mechanism, and caches.
func optional(c *gpu.Config) []string {
	list := []string{"divergence." + c.Divergence.Mechanism}
	for name, there := range map[string]bool{
		"const": c.Const.Size > 0, "icache": c.ICache.Size > 0, "texture": c.Texture.Size > 0, "herd": c.Herd.Enable,
	} {
		if there {
			list = append(list, name)
		}
	}
	return list
}

// configDigest returns the hash of a resolved configuration.
func configDigest(c *gpu.Config) [32]byte {
	var text []byte
	for _, k := range gpu.Keys() {
		text = append(append(text, k.Name...), '=')
		text = fmt.Append(text, k.Value(c))
		text = append(text, '\n')
	}
	return sha256.Sum256(text)
}

// parallel calls a function for 0 to n-1 on all processors.
func parallel(n int, do func(i int)) {
	const bundle = 64
	var group sync.WaitGroup
	var mutex sync.Mutex
	next := 0
	for range min(runtime.GOMAXPROCS(0), (n+bundle-1)/bundle) {
		group.Go(func() {
			for {
				mutex.Lock()
				from := next
				next += bundle
				mutex.Unlock()
				if from >= n {
					return
				}
				for i := from; i < min(from+bundle, n); i++ {
					do(i)
				}
			}
		})
	}
	group.Wait()
}
