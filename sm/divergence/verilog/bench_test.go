package verilog

import "testing"

func BenchmarkClock(b *testing.B) {
	start, err := loadLibrary("/tmp/ru/unit/unit.model")
	if err != nil { b.Fatal(err) }
	u, _ := start()
	var out Outputs
	in := &Inputs{Launch: 1, Started: 0xffffffff}
	for w := range 64 { in.LaunchWarp = uint8(w); u.clock(in, &out) }
	*in = Inputs{Fire: 1}
	b.ReportAllocs()
	for i := range b.N { in.FireWarp, in.FirePC = uint8(i&63), uint32(i>>6); u.clock(in, &out) }
}
