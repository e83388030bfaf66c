package footprint

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	largeHeap    = 256 << 20 // bytes in use, from which on …
	largePercent = 40        // … a collection begins at so much more; below at as much again
)

// TuneCollector lets the heap of a fleet, whose models stay, be 1.4 times what is in use instead of
// twice as large, unless GOGC is set.
func TuneCollector() {
	if os.Getenv("GOGC") == "" {
		afterCollection(100)
	}
}

// afterCollection sets the percentage, which is percent now, after each collection.
func afterCollection(percent int) {
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if want := percentFor(live[0].Value.Uint64()); want != percent {
			debug.SetGCPercent(want)
			percent = want
		}
		afterCollection(percent)
	})
}

func percentFor(live uint64) int {
	if live < largeHeap {
		return 100
	}
	return largePercent
}
