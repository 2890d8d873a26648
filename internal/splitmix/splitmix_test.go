package splitmix

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNext checks the sequences of seeds 0 and 1234567 published by other implementations (Vigna,
// splitmix64.c; Rosetta Code, pseudo-random numbers).
func TestNext(t *testing.T) {
	for seed, want := range map[Source][]uint64{
		0:       {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f},
		1234567: {6457827717110365317, 3203168211198807973, 9817491932198370423},
	} {
		s := seed
		for _, n := range want {
			assert.Equal(t, n, s.Next(), "seed %d", seed)
		}
	}
}
