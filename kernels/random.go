package kernels

// random is a splitmix64 generator (Steele, Lea and Flood, OOPSLA 2014): the
// same inputs on every machine and in every release of Go.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a number in [0, n).
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// word is any 32-bit number.
func (r *random) word() uint32 { return uint32(r.next() >> 32) }

// unit is a float in [-1, 1), a multiple of 2^-23.
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
