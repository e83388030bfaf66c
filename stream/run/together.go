package run

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// helpers is the number of running goroutines started by Together.
var helpers atomic.Int32

// Together calls work(0), work(1), …, work(n-1), in the goroutine of the caller and in helpers. At any time all
// callers have at most GOMAXPROCS - 1 helpers. It can serve as engine.Config.Together.
func Together(n int, work func(i int)) {
	var next atomic.Int32
	some := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			work(i)
		}
	}
	var help sync.WaitGroup
	for h := 1; h < n && callHelper(); h++ {
		help.Go(func() {
			defer helpers.Add(-1)
			some()
		})
	}
	some()
	help.Wait()
}

// callHelper reports whether one more helper may start, and counts it.
func callHelper() bool {
	if int(helpers.Add(1)) < runtime.GOMAXPROCS(0) {
		return true
	}
	helpers.Add(-1)
	return false
}
