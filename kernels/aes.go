package kernels

import (
	"crypto/aes"
	"encoding/binary"
	"math/bits"
)

var aesKernel = Kernel{
	Name:    "aes",
	Doc:     "blocks encrypted by AES with a key of 128 bits",
	Source:  "AES (Manavski, ICSPC 2007) in Fung & Aamodt (HPCA 2011), table 1. Kept: CTAs of 256, a thread a column, a table for S-box and mixing in shared memory, barriers between rounds. Not kept: four tables, a key of 256 bits",
	Control: "a uniform loop with barriers; the end of the data (P)",
	Result:  "Go's crypto/aes",
	Sizes: []Size{
		{
			"small", "70 blocks, 2 CTAs of 256, the last one partly filled",
			func(seed uint64) Workload { return newAES(70, seed) },
		},
		{
			"medium", "2000 blocks, 32 CTAs of 256, the last one partly filled",
			func(seed uint64) Workload { return newAES(2000, seed) },
		},
		{"large", "512 Ki blocks, 8192 CTAs of 256", func(seed uint64) Workload { return newAES(512<<10, seed) }},
	},
}

// aesWorkload encrypts.
type aesWorkload struct {
	outcome
	key         [16]byte
	plain, want []uint32 // one word for each column, little-endian
}

// newAES makes a key and the given number of blocks.
func newAES(blocks int, seed uint64) *aesWorkload {
	r := random(seed)
	w := &aesWorkload{plain: r.words(4 * blocks), want: make([]uint32, 4*blocks)}
	for i := range w.key {
		w.key[i] = byte(r.below(256))
	}
	c, err := aes.NewCipher(w.key[:])
	if err != nil {
		panic(err) // the key has 16 bytes
	}
	data := encode(w.plain)
	for at := 0; at < len(data); at += 16 {
		c.Encrypt(data[at:], data[at:at+16])
	}
	for i := range w.want {
		w.want[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return w
}

// substitutes returns the S-box (FIPS 197, section 5.1.1), from powers of 3 and their inverses.
func substitutes() (box [256]byte) {
	p, q := byte(1), byte(1)
	for {
		p ^= double(p)
		q ^= q << 1
		q ^= q << 2
		q ^= q << 4
		q ^= 9 * (q >> 7)
		box[p] = q ^ bits.RotateLeft8(q, 1) ^ bits.RotateLeft8(q, 2) ^ bits.RotateLeft8(q, 3) ^ bits.RotateLeft8(q,
			4) ^ 0x63
		if p == 1 {
			break
		}
	}
	box[0] = 0x63
	return box
}

// double returns x times 2 in the field GF(2^8).
func double(x byte) byte { return x<<1 ^ x>>7*0x1b }

// roundKeys expands the key (FIPS 197, section 5.2). Each word is a column.
func (w *aesWorkload) roundKeys(box *[256]byte) []uint32 {
	keys := make([]uint32, 44)
	for i := range 4 {
		keys[i] = binary.LittleEndian.Uint32(w.key[4*i:])
	}
	constant := byte(1)
	for i := 4; i < len(keys); i++ {
		t := keys[i-1]
		if i%4 == 0 {
			t = bits.RotateLeft32(t, -8)
			t = uint32(box[t&255]) | uint32(box[t>>8&255])<<8 | uint32(box[t>>16&255])<<16 | uint32(box[t>>24])<<24
			t ^= uint32(constant)
			constant = double(constant)
		}
		keys[i] = keys[i-4] ^ t
	}
	return keys
}

// Run implements Workload.
func (w *aesWorkload) Run(m Machine) error {
	w.reset()
	box := substitutes()
	var mix []uint32
	for _, s := range box {
		mix = append(mix, uint32(double(s))|uint32(s)<<8|uint32(s)<<16|uint32(double(s)^s)<<24)
	}
	table, keys, plain, cipher := upload(m, mix), upload(m, w.roundKeys(&box)), upload(m,
		w.plain), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "aes.ptx",
		Kernel: "aes",
		Grid:   [3]uint32{groups(len(w.want), 256), 1, 1},
		Block:  [3]uint32{256, 1, 1},
		Params: bank(table, keys, plain, cipher, uint32(len(w.want))),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "cipher", download[uint32](m, cipher, len(w.want)), w.want)
	return nil
}
