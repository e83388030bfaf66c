package footprint

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// A heap that becomes large is collected earlier, and one that becomes small again later.
func TestTuneCollector(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	percent := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	wait := func(want int) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); percent() != want; {
			if time.Now().After(deadline) {
				t.Fatalf("%d %%, want %d", percent(), want)
			}
			runtime.GC()
		}
	}
	TuneCollector()
	for _, c := range []struct{ bytes, want int }{{largeHeap, largePercent}, {4 * smallHeap, 100}} {
		models := make([]byte, c.bytes)
		wait(c.want)
		runtime.KeepAlive(models)
	}
	wait(smallPercent)
}
