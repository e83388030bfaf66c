package run_test

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel/auto"
)

// processors lets the test use n processors.
func processors(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// sharded returns c with n shards of the default model that grows, each with scratch memory of
// its own.
func sharded(c engine.Config, n int) engine.Config {
	list := make([]engine.Constructors, n)
	for i := range list {
		work := new(auto.Workspace)
		build := func(tier auto.Tier) func(int) (eval.Model, error) {
			return func(dim int) (eval.Model, error) {
				return auto.New(auto.Config{Dim: dim, Horizon: c.Horizon, Seed: 1, Tier: tier, Workspace: work})
			}
		}
		list[i] = engine.Constructors{NewModel: build(auto.TierFull), Lighter: []engine.LighterModel{{Name: "young", New: build(auto.TierYoung)}}}
	}
	c.NewModel, c.Lighter, c.Shards, c.Together = list[0].NewModel, list[0].Lighter, list[1:], run.Together
	return c
}

// hosts are records of ten series. The first five send fewer rows and grow later than the
// others; some records have other variables.
func hosts(rows int) (list []stream.Record) {
	for i := range rows {
		for s := range 10 {
			if s < 5 && i%(5-s) > 0 {
				continue
			}
			r := stream.Record{
				Message: &stream.Message{Topic: "in", Offset: int64(len(list))}, Series: fmt.Sprint("s", s), Time: int64(i+1) * 60e9,
				Values: []float64{math.Sin(float64(i * (s + 1))), math.Cos(float64(i*i + s))},
			}
			if len(list)%97 == 50 {
				r.Values = r.Values[:1]
			}
			list = append(list, r)
		}
	}
	return list
}

// learn is streamtest.LearnGrouped, and returns all points of b as text.
func learn(t *testing.T, e *engine.Engine, b *engine.Results, records []stream.Record, every int) string {
	t.Helper()
	streamtest.LearnGrouped(t, e, b, records, every)
	return string(lineproto.Encoder{Long: true, Exact: true}.AppendBatch(nil, &b.Batch))
}

// TestShards: however many shards learn at the same time, points, their order and the state
// are the same, with a limit of memory or without, and so they are when the state goes to an
// engine with another number of shards.
func TestShards(t *testing.T) {
	processors(t, 4)
	scarce := engine.Config{Model: "auto", Horizon: 1, Memory: 9 << 20, MetricsEvery: 10, GrowAfter: 24}
	plenty := scarce
	plenty.Memory, plenty.MaxGap, plenty.SchemaChangeAfter = 0, 2, 2
	plenty.Interval = 60e9
	records := hosts(120)
	for name, c := range map[string]engine.Config{"memory is short": scarce, "gaps and copies": plenty} {
		e := streamtest.NewEngine(t, sharded(c, 1))
		want := learn(t, e, new(engine.Results), records, 1)
		state := streamtest.Snapshot(e)
		for _, n := range []int{2, 4} {
			e := streamtest.NewEngine(t, sharded(c, n))
			middle := len(records) / 2
			var b engine.Results
			learn(t, e, &b, records[:middle], 170)
			half := streamtest.Snapshot(e)
			if learn(t, e, &b, records[middle:], 170) != want {
				t.Errorf("%s, %d shards: other points, or in another order", name, n)
			}
			if !bytes.Equal(streamtest.Snapshot(e), state) {
				t.Errorf("%s, %d shards: another state", name, n)
			}
			other := streamtest.NewEngine(t, sharded(c, 5-n))
			if err := streamtest.Restore(other, half); err != nil {
				t.Fatal(err)
			}
			learn(t, other, new(engine.Results), records[middle:], 170)
			if !bytes.Equal(streamtest.Snapshot(other), state) {
				t.Errorf("%s, from %d shards to %d: another state", name, n, 5-n)
			}
		}
	}
}

// TestHelpersAreShared: calls at the same time have fewer helpers together than there are
// processors, and the next call has all of them again.
func TestHelpersAreShared(t *testing.T) {
	const callers, shares = 4, 50
	for _, n := range []int{1, 3} {
		processors(t, n)
		var busy, most, done atomic.Int32
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				run.Together(shares, func(int) {
					now := busy.Add(1)
					for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
					}
					runtime.Gosched()
					busy.Add(-1)
					done.Add(1)
				})
			})
		}
		all.Wait()
		if most.Load() > callers+int32(n)-1 || done.Load() != callers*shares {
			t.Errorf("%d processors: %d shares at a time, %d done", n, most.Load(), done.Load())
		}
		synctest.Test(t, func(*testing.T) { // fails if the shares wait without end
			var met sync.WaitGroup
			met.Add(n)
			run.Together(n, func(int) {
				met.Done()
				met.Wait()
			})
		})
	}
}

// meeting is a model whose first sample is learnt when that of another series is, too.
type meeting struct {
	eval.Model
	met *sync.WaitGroup
}

func (m meeting) NewSeries() eval.Forecaster {
	return &meetingSeries{Forecaster: m.Model.NewSeries(), met: m.met}
}

type meetingSeries struct {
	eval.Forecaster
	met  *sync.WaitGroup
	once sync.Once
}

func (s *meetingSeries) Observe(y []float64) error {
	s.once.Do(func() {
		s.met.Done()
		s.met.Wait()
	})
	return s.Forecaster.Observe(y)
}

// TestShardsLearnTogether: each of three shards has begun before one of them has ended. One
// after the other, they would wait without end.
func TestShardsLearnTogether(t *testing.T) {
	const shards = 3
	processors(t, shards)
	var met sync.WaitGroup
	met.Add(shards)
	c := streamtest.DriftConfig()
	drift := c.NewModel
	c.NewModel = func(dim int) (eval.Model, error) {
		m, err := drift(dim)
		return meeting{m, &met}, err
	}
	c.Shards = make([]engine.Constructors, shards-1)
	for i := range c.Shards {
		c.Shards[i].NewModel = c.NewModel
	}
	var records []stream.Record
	for i := range 30 {
		records = append(records, stream.Record{
			Message: &stream.Message{Topic: "in", Offset: int64(i)}, Series: fmt.Sprint("s", i%shards), Time: int64(i+1) * 1e9, Values: []float64{float64(i)},
		})
	}
	c.Together = run.Together
	if learn(t, streamtest.NewEngine(t, c), new(engine.Results), records, len(records)) == "" {
		t.Error("no points")
	}
}
