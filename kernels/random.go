package kernels

import "divergo/internal/splitmix"

// random generates the input of a workload.
type random splitmix.Source

func (r *random) next() uint64 { return (*splitmix.Source)(r).Next() }

// below returns a number in [0, n).
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// word returns any 32-bit number.
func (r *random) word() uint32 { return uint32(r.next() >> 32) }

// unit returns a float in [-1, 1), a multiple of 2^-23.
func (r *random) unit() float32 { return float32(int32(r.next()>>40)-1<<23) / (1 << 23) }

func (r *random) words(n int) []uint32 {
	data := make([]uint32, n)
	for i := range data {
		data[i] = r.word()
	}
	return data
}

func (r *random) units(n int) []float32 {
	data := make([]float32, n)
	for i := range data {
		data[i] = r.unit()
	}
	return data
}
