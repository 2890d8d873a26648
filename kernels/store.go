package kernels

import (
	"crypto/md5"
	"encoding/binary"
	"math"
)

var store = Kernel{
	Name:    "store",
	Doc:     "MD5 sums of the pieces of a file",
	Source:  "STO (StoreGPU, Al-Kiswany et al., HPDC 2008) in Fung & Aamodt (HPCA 2011), table 1. Kept: CTAs of 128, a thread a piece, blocks in shared memory without conflicts of banks. Not kept: windows that slide over the file",
	Control: "uniform loops with uniform tests of the round; the end of the pieces (P)",
	Result:  "Go's crypto/md5",
	Sizes: []Size{
		{
			"small", "100 pieces of 55 bytes, 1 CTA of 128, partly filled",
			func(seed uint64) Workload { return newStore(100, 1, seed) },
		},
		{
			"medium", "2000 pieces of 119 bytes, 16 CTAs of 128, the last one partly filled",
			func(seed uint64) Workload { return newStore(2000, 2, seed) },
		},
		{
			"large", "16 Ki pieces of 503 bytes, 128 CTAs of 128",
			func(seed uint64) Workload { return newStore(16<<10, 8, seed) },
		},
	},
}

// storeWorkload hashes pieces.
type storeWorkload struct {
	outcome
	blocks     int
	file, want []uint32
}

// newStore makes pieces of the given number of 64-byte blocks, including MD5's padding (RFC 1321,
// section 3).
func newStore(pieces, blocks int, seed uint64) *storeWorkload {
	r := random(seed)
	w := &storeWorkload{blocks: blocks}
	for range pieces {
		data := encode(r.words(16 * blocks))
		text := data[:len(data)-9]
		sum := md5.Sum(text)
		data[len(text)] = 0x80
		binary.LittleEndian.PutUint64(data[len(text)+1:], uint64(8*len(text)))
		for ; len(data) > 0; data = data[4:] {
			w.file = append(w.file, binary.LittleEndian.Uint32(data))
		}
		for i := range 4 {
			w.want = append(w.want, binary.LittleEndian.Uint32(sum[4*i:]))
		}
	}
	return w
}

// Run implements Workload.
func (w *storeWorkload) Run(m Machine) error {
	w.reset()
	var sines, shifts []uint32
	for i := range 64 {
		sines = append(sines, uint32(math.Floor(math.Abs(math.Sin(float64(i+1)))*(1<<32))))
		shifts = append(shifts, [4][4]uint32{
			{7, 12, 17, 22},
			{5, 9, 14, 20},
			{4, 11, 16, 23},
			{6, 10, 15, 21},
		}[i/16][i%4])
	}
	pieces := len(w.want) / 4
	file, table, rotate, sums := upload(m, w.file), upload(m, sines), upload(m, shifts), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "store.ptx",
		Kernel: "store",
		Grid:   [3]uint32{groups(pieces, 128), 1, 1},
		Block:  [3]uint32{128, 1, 1},
		Params: bank(file, table, rotate, sums, uint32(w.blocks), uint32(pieces)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "sum", download[uint32](m, sums, len(w.want)), w.want)
	return nil
}
