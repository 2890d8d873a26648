package kernels

import "fmt"

// huang is the source of the kernels of this file.
const huang = "one of the micro-benchmarks with unstructured control flow that Huang et al. (Paired-Path Comparison, section IV, figure 6) wrote: "

var shortcircuit = unstructured("shortcircuit", "words chosen by conditions of several parts",
	huang+"short circuits. Kept: what its name says; the code is ours, as theirs is not printed",
	"conditions of five parts, of which three lead to the same code (D); a uniform loop", shortCircuit)

var exceptions = unstructured("exceptions", "an interpreter, of which three places throw",
	huang+"exceptions. Kept: what the name says; the code is ours, as theirs is not printed",
	"three exits from a round of a loop to one handler (D); a uniform loop", throwing)

var gotos = unstructured("gotos", "sums by ways that jump into each other",
	"jumps between the ways of a condition, which no structured program has (Wu et al., IISWC 2011); for the unstructured benchmarks of Huang et al. (Paired-Path Comparison, section IV). The code is ours",
	"two ways that meet in two places before the post-dominator (D); a uniform loop", jumping)

var coroutine = unstructured("coroutine", "a function that goes on where it stopped",
	huang+"a switch by the state of a coroutine. Kept: what the name says; the code is ours, as theirs is not printed",
	"three entries and three exits of a piece of code, by a thread's own state (D); a uniform loop", resuming)

// unstructured returns an entry of the suite.
func unstructured(name, doc, source, control string, step func(s *tally, word uint32)) Kernel {
	size := func(size, doc string, threads, cta, each int) Size {
		return Size{size, doc, func(seed uint64) Workload {
			return newUnstructured(name, step, threads, cta, each,
				seed)
		}}
	}
	return Kernel{
		Name: name, Doc: doc, Source: source, Control: control,
		Result: "the same sums by structured code on the host",
		Sizes: []Size{
			size("small", "100 threads of 6 words, 1 CTA of 128, partly filled", 100, 128, 6),
			size("medium", "2000 threads of 24 words, 8 CTAs of 256, partly filled", 2000, 256, 24),
			size("large", "64 Ki threads of 64 words, 256 CTAs of 256", 64<<10, 256, 64),
		},
	}
}

// Limits for letters, which are 0 to 255, in the kernels of the suite.
const (
	lowLetter  = 96
	highLetter = 176
)

// unstructuredWorkload makes each thread sum up words.
type unstructuredWorkload struct {
	outcome
	kernel      string
	cta, each   int
	low, high   uint32   // limits for letters
	words, want []uint32 // word k of thread i is words[k*threads+i]
}

// tally is the state of a thread, and the limits for letters.
type tally struct{ sum, state, low, high uint32 }

// work mixes the sum.
func (t *tally) work() { t.sum = mixed(t.sum) }

// mixed returns a number after the rounds of one piece of work.
func mixed(x uint32) uint32 {
	for range 4 {
		x = (x ^ x>>7) * 0x2c1b3c6d
	}
	return x
}

func newUnstructured(kernel string, step func(*tally, uint32), threads, cta, each int,
	seed uint64,
) *unstructuredWorkload {
	r := random(seed)
	return unstructuredOf(kernel, step, threads, cta, lowLetter, highLetter, r.words(threads*each))
}

// unstructuredOf makes a workload of words, and the reference.
func unstructuredOf(kernel string, step func(*tally, uint32), threads, cta int, low, high uint32, words []uint32,
) *unstructuredWorkload {
	w := &unstructuredWorkload{
		kernel: kernel, cta: cta, each: len(words) / threads, low: low, high: high, words: words,
	}
	for i := range threads {
		t := tally{sum: uint32(i), low: low, high: high}
		for k := range w.each {
			step(&t, words[k*threads+i])
		}
		w.want = append(w.want, t.sum+t.state)
	}
	return w
}

// NewEarlyExits makes one of the kernels shortcircuit, exceptions, gotos and coroutine whose tests leave
// their way early with a probability of 1/exit each. exit is 2 to 256.
func NewEarlyExits(kernel string, threads, cta, each, exit int, seed uint64) (Workload, error) {
	step := map[string]func(*tally, uint32){
		"shortcircuit": shortCircuit, "exceptions": throwing, "gotos": jumping, "coroutine": resuming,
	}[kernel]
	if step == nil || exit < 2 || exit > 256 {
		return nil, fmt.Errorf("early exits of %q with a probability of 1/%d; want shortcircuit, exceptions, gotos or coroutine, and 2 to 256",
			kernel, exit)
	}
	const low = 8
	high := uint32(256 - low)
	switch kernel {
	case "exceptions":
		high = uint32(256 - 256/exit) // of the sum, any byte of which is as likely
	case "coroutine":
		high = low
	}
	r := random(seed)
	words := r.words(threads * each)
	for i := range words {
		letter := low + r.below(256-2*low)
		switch r.below(exit) {
		case 0:
			letter = r.below(low)
		case 1:
			letter = 256 - low + r.below(low)
		}
		if kernel == "exceptions" {
			if letter &^= 7; r.below(exit) != 0 {
				letter |= 1 + r.below(7)
			}
		}
		words[i] = words[i]&^0x3ff | uint32(letter)
		for bit := uint32(0x100); bit <= 0x200; bit <<= 1 {
			if r.below(exit) == 0 {
				words[i] |= bit
			}
		}
	}
	return unstructuredOf(kernel, step, threads, cta, low, high, words), nil
}

func shortCircuit(t *tally, word uint32) {
	letter := word & 255
	chosen := letter >= t.low && letter < t.high
	chosen = chosen || word&0x100 != 0
	if chosen || t.sum&1 == 1 && word&0x200 != 0 {
		t.sum += mixed(word + t.sum)
	} else {
		t.sum ^= word
	}
}

// throwing is the reference of exceptions. The state counts the exceptions thrown.
func throwing(t *tally, word uint32) {
	err := word&7 == 0
	if !err {
		t.sum += word
		t.work()
		err = word&255 < t.low
		if !err {
			t.sum ^= word >> 8
			t.work()
			err = t.sum&255 >= t.high
		}
	}
	if err {
		t.state++
		t.sum ^= t.state
		t.work()
	} else {
		t.sum += word & 7
	}
}

func jumping(t *tally, word uint32) {
	letter := word & 255
	shared := true
	switch {
	case letter < t.low && word&0x100 != 0:
		t.sum += word
	case letter < t.low:
		t.sum = (t.sum + word) ^ word>>3
		shared = false
	case letter < t.high:
		t.sum = (t.sum - word) ^ word>>5
	default:
		t.sum -= word
		shared = false
	}
	if shared {
		t.work()
	}
	if !shared || word&0x200 == 0 {
		t.sum += letter
		t.work()
	}
}

// resuming is the reference of coroutine. The state is the place where it resumes.
func resuming(t *tally, word uint32) {
	letter := word & 255
	for {
		switch t.state {
		case 0:
			t.sum += word
		case 1:
			t.sum ^= word >> 4
		case 2:
			t.sum += letter
		}
		t.work()
		at := t.state
		t.state = (t.state + 1) % 3
		if at == 0 && letter < t.low || at == 1 && letter < t.high || at == 2 {
			return
		}
	}
}

// Run implements Workload.
func (w *unstructuredWorkload) Run(m Machine) error {
	w.reset()
	words, out := upload(m, w.words), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "unstructured.ptx",
		Kernel: w.kernel,
		Grid:   [3]uint32{groups(len(w.want), w.cta), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
		Params: bank(words, out, uint32(w.each), uint32(len(w.want)), w.low, w.high),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "sum", download[uint32](m, out, len(w.want)), w.want)
	return nil
}
