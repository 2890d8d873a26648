package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestHost: signed overflow wraps, and memory may be read by another type: 2.0f is 0x40000000 (IEEE 754).
func TestHost(t *testing.T) {
	r := run(t, "pdom", build(t, "testdata/host.cu", "testdata/hostplain.cpp", "testdata/hostplain.c"))
	assert.Equal(t, "0 0x40000000\n0 0x40000000\n0 0x40000000\n0 wrong\n", r.out, r.errors)
}
