package faultsim

import (
	"bytes"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/auto"
)

var (
	seeds = flag.Uint64("seeds", 200, "number of seeds of TestSeeds")
	first = flag.Uint64("first", 1, "first seed of TestSeeds")
)

// each runs f for n seeds on all processors.
func each(t *testing.T, from, n uint64, f func(seed uint64)) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // a simulation is small, and gone soon
	var next atomic.Uint64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < n && !t.Failed(); i = next.Add(1) - 1 {
				f(from + i)
			}
		})
	}
	wg.Wait()
}

// TestSeeds runs random failures. The number of seeds is a flag:
//
//	go test ./internal/tools/faultsim -run TestSeeds -seeds 2000
func TestSeeds(t *testing.T) {
	var mu sync.Mutex
	var sum Result
	each(t, *first, *seeds, func(seed uint64) {
		r := Run(Options{Seed: seed})
		if r.Err != nil {
			t.Errorf("seed %d: %v\nreplay it with go run ./internal/tools/faultsim/cmd/faultsim -seed %d -trace", seed, r.Err, seed)
		}
		mu.Lock()
		defer mu.Unlock()
		sum.Effects += r.Effects
		sum.Crashes += r.Crashes
		sum.Pauses += r.Pauses
		sum.Fenced += r.Fenced
		sum.Damaged += r.Damaged
		sum.Changes += r.Changes
		sum.Removed += r.Removed
		sum.Expired += r.Expired
		sum.Changed += r.Changed
		sum.Generations += r.Generations
		sum.Partial += r.Partial
		sum.Forgotten += r.Forgotten
		sum.Ahead += r.Ahead
	})
	t.Logf("%d seeds: %d effects, %d crashes, %d pauses, %d generations, %d fenced commits, %d checkpoints of changes, %d damaged checkpoints, %d records removed, %d commits forgotten, %d topics replaced or extended, %d partial writes, %d deaths of the database, %d clocks ahead",
		*seeds, sum.Effects, sum.Crashes, sum.Pauses, sum.Generations, sum.Fenced, sum.Changes, sum.Damaged, sum.Removed, sum.Expired, sum.Changed, sum.Partial, sum.Forgotten, sum.Ahead)
	// What never happens is not tested.
	for what, n := range map[string]int{"crash": sum.Crashes, "pause": sum.Pauses, "fenced commit": sum.Fenced, "checkpoint of changes": sum.Changes,
		"damaged checkpoint": sum.Damaged, "removed record": sum.Removed, "forgotten commit": sum.Expired, "other topic": sum.Changed,
		"partial write": sum.Partial, "death of the database": sum.Forgotten, "clock ahead": sum.Ahead} {
		if n == 0 && *seeds >= 100 {
			t.Errorf("there was no %s", what)
		}
	}
}

// only runs some seeds with one kind of failure.
func only(t *testing.T, kind Fault) {
	t.Helper()
	each(t, 1, 20, func(seed uint64) {
		if r := Run(Options{Seed: seed, Only: kind}); r.Err != nil {
			t.Errorf("%s, seed %d: %v", kind, seed, r.Err)
		}
	})
}

// The rows of docs/reliability.md that the simulator plays; TestSeeds mixes them.

func TestFault01_Crashes(t *testing.T)                { only(t, Crashes) }
func TestFault03_Pauses(t *testing.T)                 { only(t, Pauses) }
func TestFault05_Rebalances(t *testing.T)             { only(t, Rebalances) }
func TestFault07_CommitReplyLost(t *testing.T)        { only(t, CommitReplies) }
func TestFault38_ChunkMissing(t *testing.T)           { only(t, Damage) }
func TestFault40_SinkOutages(t *testing.T)            { only(t, Outages) }
func TestFault41_WriteReplyLost(t *testing.T)         { only(t, Replies) }
func TestFault42_DelayedWrites(t *testing.T)          { only(t, Delays) }
func TestFault54_Replacement(t *testing.T)            { only(t, Replacement) }
func TestFault57_Growth(t *testing.T)                 { only(t, Growth) }
func TestFault58_BlanketRefusals(t *testing.T)        { only(t, Refusals) }
func TestFault59_CommitsExpire(t *testing.T)          { only(t, Expiry) }
func TestFault71_ForgetfulDatabase(t *testing.T)      { only(t, Forgetting) }
func TestFault74_Quotas(t *testing.T)                 { only(t, Quotas) }
func TestFault77_StalledTransactions(t *testing.T)    { only(t, Stalls) }
func TestFault79_ClocksAhead(t *testing.T)            { only(t, Clocks) }
func TestFault46_LostAndPartialRequests(t *testing.T) { only(t, Requests) }

// TestFault87_LoadDuringSave: with seed 280 a member that has lost its partition loads
// between the chunks of the new owner and their commit. The seed must show it, and the right
// order of things must stand it.
func TestFault87_LoadDuringSave(t *testing.T) {
	const seed = 280
	if r := Run(Options{Seed: seed, Bug: CollectAtLoad}); r.Err == nil {
		t.Errorf("seed %d does not find %s", seed, CollectAtLoad)
	}
	if r := Run(Options{Seed: seed}); r.Err != nil {
		t.Errorf("seed %d: %v", seed, r.Err)
	}
}

// TestFault06_RebalanceDuringRestore: with many rebalances, some come while a state
// is being loaded.
func TestFault06_RebalanceDuringRestore(t *testing.T) {
	var trace bytes.Buffer
	interrupted := 0
	for seed := range uint64(20) {
		trace.Reset()
		if r := Run(Options{Seed: seed, Only: Rebalances, Trace: &trace}); r.Err != nil {
			t.Errorf("seed %d: %v", seed, r.Err)
		}
		var last string
		for line := range strings.Lines(trace.String()) {
			if strings.Contains(line, "hand over") && strings.Contains(last, "goes to member") {
				interrupted++ // before anything was loaded
			}
			last = line
		}
	}
	if interrupted == 0 {
		t.Error("no rebalance came during a restore")
	}
}

// TestFault02_CrashAtEachEffect lets the process crash before and after each effect of
// a run, with both kinds of store.
func TestFault02_CrashAtEachEffect(t *testing.T) {
	total, changes := 0, 0
	for seed := range uint64(4) {
		calm := Run(Options{Seed: seed, Calm: true})
		if calm.Err != nil {
			t.Fatalf("seed %d: without failures: %v", seed, calm.Err)
		}
		if calm.Crashes != 0 || calm.Fenced != 0 {
			t.Errorf("seed %d: %+v", seed, calm)
		}
		total += calm.Effects
		changes += calm.Changes
		each(t, 1, 2*uint64(calm.Effects), func(n uint64) {
			o := Options{Seed: seed, CrashAt: int(n+1) / 2, CrashAfter: n%2 == 0}
			if r := Run(o); r.Err != nil || r.Crashes != 1 {
				t.Errorf("%+v: %d crashes, %v", o, r.Crashes, r.Err)
			}
		})
	}
	if total < 200 || changes < 5 {
		t.Errorf("only %d effects, and %d checkpoints of changes", total, changes)
	}
}

// TestPlantedBugs: every mistake is found within a few seeds.
func TestPlantedBugs(t *testing.T) {
	for _, bug := range Bugs {
		t.Run(string(bug), func(t *testing.T) {
			for seed := range uint64(300) {
				if r := Run(Options{Seed: seed, Bug: bug}); r.Err != nil {
					t.Logf("found with seed %d: %v", seed, r.Err)
					return
				}
			}
			t.Error("not found")
		})
	}
}

// TestReplay: a seed gives the same run again.
func TestReplay(t *testing.T) {
	var a, b bytes.Buffer
	Run(Options{Seed: 5, Trace: &a})
	Run(Options{Seed: 5, Trace: &b})
	if a.String() != b.String() {
		t.Error("two runs of a seed differ")
	}
	if n := strings.Count(a.String(), "\n"); n < 100 {
		t.Errorf("only %d lines of trace", n)
	}
}

// TestRealModel runs some seeds with the model that the program is for.
func TestRealModel(t *testing.T) {
	each(t, 1, 10, func(seed uint64) {
		r := Run(Options{Seed: seed, NewModel: func(dim int) (eval.Model, error) {
			return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: dim, Order: 2, Horizon: 2, Frequencies: 10, Seed: 1})
		}})
		if r.Err != nil {
			t.Errorf("seed %d: %v", seed, r.Err)
		}
	})
}

func BenchmarkRun(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		if r := Run(Options{Seed: uint64(i)}); r.Err != nil {
			b.Fatal(fmt.Errorf("seed %d: %w", i, r.Err))
		}
	}
}
