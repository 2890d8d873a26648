package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Go's collector runs whenever the heap has doubled, from 4 MB on, which is half of the work of a
// small run: a machine of 30 SMs has 46 MB, all in use until the end. Therefore the first collection
// comes at a heap of 64 MB. Later ones come at four times the most that was ever in use, up to
// 256 MB, and beyond when the heap has doubled.
const (
	startHeap    = 64 << 20
	relaxedHeap  = 256 << 20
	smallestHeap = 4 << 20 // Go's first collection at 100 percent
)

// paceCollector sets the pace of the collector, unless the user does so with GOGC or GOMEMLIMIT.
func paceCollector() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(100 * startHeap / smallestHeap)
		paceAfter(smallestHeap)
	}
}

// collected is an object that the next collection finds unused.
type collected struct{ _ *int }

// paceAfter sets the pace after the next collection, and so on. most are the bytes that were ever in
// use.
func paceAfter(most uint64) {
	runtime.SetFinalizer(new(collected), func(*collected) {
		used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(used)
		live := max(used[0].Value.Uint64(), smallestHeap)
		most = max(most, live)
		debug.SetGCPercent(pace(live, most))
		paceAfter(most)
	})
}

// pace is the growth of the heap, in percent of the live bytes, until the next collection.
func pace(live, most uint64) int {
	next := max(min(4*most, relaxedHeap), startHeap, 2*live)
	return int(100 * (next - live) / live)
}
