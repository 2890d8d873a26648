package memsys

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDescription: the words of a description are the fields of struct divergo_texture, in its order.
func TestDescription(t *testing.T) {
	var raw [handleBytes]byte
	for i := range handleBytes / 4 {
		binary.LittleEndian.PutUint32(raw[4*i:], uint32(1000+i))
	}
	var d description
	d.decode(&raw)
	assert.Equal(t, description{
		Base: 1001<<32 | 1000, Plane: 1003<<32 | 1002, Pitch: 1004, Size: [3]uint32{1005, 1006, 1007},
		Normalized: 1011, Linear: 1012, Mode: [3]uint32{1013, 1014, 1015}, Levels: 1020, Between: 1021,
		Bias: math.Float32frombits(1022), Least: math.Float32frombits(1023), Most: math.Float32frombits(1024),
		look: look{Bytes: 1008, Channels: 1009, Format: 1010, Border: [4]uint32{1016, 1017, 1018, 1019}},
	}, d)
}
