package footprint

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	smallHeap    = 4 << 20   // largest heap that counts as small, bytes in use
	smallPercent = 300       // GOGC of a small heap: most allocations of a start stay in use
	largeHeap    = 256 << 20 // least heap that counts as large, bytes in use
	largePercent = 40        // GOGC of a large heap; that of a heap in between is 100
)

// TuneCollector limits a large heap to 1.4 times the bytes in use, unless GOGC is set. The default of Go is twice the bytes
// in use, but the models of many series stay in use. A small heap is collected rarely.
func TuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(smallPercent)
		afterCollection(smallPercent)
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
	switch {
	case live <= smallHeap:
		return smallPercent
	case live < largeHeap:
		return 100
	}
	return largePercent
}
