package main

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPace: the heap grows to four times the most in use, from 64 MB on and up to 256 MB, and beyond
// to twice what is in use.
func TestPace(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct{ live, most, next uint64 }{
		{4 * mb, 4 * mb, 64 * mb},
		{16 * mb, 16 * mb, 64 * mb},
		{40 * mb, 40 * mb, 160 * mb},
		{20 * mb, 40 * mb, 160 * mb},
		{100 * mb, 100 * mb, 256 * mb},
		{128 * mb, 128 * mb, 256 * mb},
		{300 * mb, 300 * mb, 600 * mb},
		{50 * mb, 300 * mb, 256 * mb},
	} {
		assert.InDelta(t, c.next, c.live+c.live*uint64(pace(c.live, c.most))/100, float64(c.live)/100, "%+v", c)
	}
}

// TestPaceOfTheUser: GOGC and GOMEMLIMIT of the user stay in force.
func TestPaceOfTheUser(t *testing.T) {
	for _, c := range []struct {
		gogc, limit string
		percent     int
	}{{"", "", 1600}, {"100", "", 100}, {"", "1GiB", 100}} {
		t.Setenv("GOGC", c.gogc)
		t.Setenv("GOMEMLIMIT", c.limit)
		before := debug.SetGCPercent(100)
		paceCollector()
		assert.Equal(t, c.percent, debug.SetGCPercent(before), "%+v", c)
	}
}
