package rtltest_test

import (
	"testing"

	"divergo/rtl"
	"divergo/rtl/rtltest"
)

// ring counts around.
type ring struct {
	rtl.State[struct{ Hot uint8 }]
}

func (r *ring) Tick() { r.D().Hot = max(r.Q().Hot<<1, 1) }

// One line tests all common properties of a design. build makes a new design each time.
func ExampleProperties() {
	TestRing := func(t *testing.T) {
		rtltest.Properties(t, func() *rtl.Sim { return rtl.MustNew("ring", new(ring)) }, 100)
	}
	_ = TestRing // go test runs it
	// Output:
}
