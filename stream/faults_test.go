package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// Rows of docs/reliability.md about data. What exactly happens is written in the
// scripts of testdata/engine.

func playScript(t *testing.T, name string) {
	t.Helper()
	s := &script{}
	datadriven.RunTest(t, "testdata/engine/"+name+".txt", s.run)
}

func TestFault28_MissingCoordinates(t *testing.T)    { playScript(t, "missing") }
func TestFault29_DimensionMismatch(t *testing.T)     { playScript(t, "lineage") }
func TestFault30_DuplicateLateFuture(t *testing.T)   { playScript(t, "order") }
func TestFault32_ExplodingSeries(t *testing.T)       { playScript(t, "rescue") }
func TestFault33_LimitsOnSeriesAndSize(t *testing.T) { playScript(t, "limits") }

// hostile are numbers that have broken other programs.
var hostile = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, math.MaxFloat64, 5e-324, -5e-324, 0,
	math.Copysign(0, -1), 1e50, 1e150, 1 << 53, streamtest.Poison}

// TestFault27_HostileNumbers: whatever comes in, what goes out is finite, and
// NaN only where a value is missing by definition.
func TestFault27_HostileNumbers(t *testing.T) {
	e := newEngine(t, driftConfig())
	var b stream.Batch
	for i := range 2000 {
		v := hostile[i/3%len(hostile)]
		if i%3 > 0 {
			v = float64(i % 10)
		}
		m := stream.Message{Topic: "in", Offset: int64(i)}
		if err := e.Apply(&b, &stream.Record{Message: &m, Series: "s", Time: int64(i+1) * 1e9, Values: []float64{v, float64(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.Forecasts) < 1000 || len(b.DeadLetters) < 100 {
		t.Errorf("%d forecasts, %d dead letters", len(b.Forecasts), len(b.DeadLetters))
	}
	for _, f := range b.Forecasts {
		for _, v := range f.Yhat {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("a forecast at %d is %v", f.Origin, f.Yhat)
			}
		}
		for _, v := range slices.Concat(f.Lower, f.Upper) {
			if math.IsInf(v, 0) {
				t.Fatalf("a bound at %d is infinite", f.Origin)
			}
		}
	}
}

// TestFault31_Clocks: the core has no clock (see internal/deptest), and that of
// the producer does not matter unless MaxAhead is set.
func TestFault31_Clocks(t *testing.T) {
	run := func(shift func(i int) int64) string {
		m := newMemory(50)
		m.end = io.EOF
		for i := range m.messages {
			m.messages[i].Time = int64(i)*1e9 + shift(i)
		}
		if err := m.runner(t, nil).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(m.points, m.letters, m.saved)
	}
	want := run(func(int) int64 { return 0 })
	if got := run(func(i int) int64 { return int64(i%3-1) * 3600e9 }); got != want {
		t.Error("message times an hour off have changed the results")
	}
}

// failing is a store, and dead letters, that fail.
type failing struct {
	*memory
	save, letters error
}

func (f failing) Save(ctx context.Context, c stream.Checkpoint) error {
	if f.save != nil {
		return f.save
	}
	return f.memory.Save(ctx, c)
}

func (f failing) WriteDeadLetters(ctx context.Context, l []stream.DeadLetter) error {
	if f.letters != nil {
		return f.letters
	}
	return f.memory.WriteDeadLetters(ctx, l)
}

// TestFault39_StoreFails: without a checkpoint nothing is committed, and the run
// ends with the reason.
func TestFault39_StoreFails(t *testing.T) {
	for _, why := range []error{syscall.ENOSPC, syscall.EIO} {
		m := newMemory(50)
		r := m.runner(t, func(c *stream.RunnerConfig) {
			c.Store, c.CheckpointRecords = failing{memory: m, save: why}, 10
		})
		if err := r.Run(context.Background()); !errors.Is(err, why) {
			t.Errorf("got %v, want %v", err, why)
		}
		if len(m.committed) != 0 {
			t.Errorf("committed %v", m.committed)
		}
	}
}

// TestFault50_DeadLettersFail: a message that cannot be kept is not passed over.
func TestFault50_DeadLettersFail(t *testing.T) {
	boom := errors.New("boom")
	m := newMemory(50)
	m.messages[10].Value = []byte("x")
	r := m.runner(t, func(c *stream.RunnerConfig) {
		c.DeadLetters, c.CheckpointRecords = failing{memory: m, letters: boom}, 10
	})
	if err := r.Run(context.Background()); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	if n := len(m.committed); n > 1 || n == 1 && m.committed[0] > 10 {
		t.Errorf("committed %v", m.committed)
	}
}

// TestFault53_MixedBuilds: a checkpoint of another build is refused, and left as
// it is for the build that can use it.
func TestFault53_MixedBuilds(t *testing.T) {
	m := newMemory(50)
	m.saved = []stream.Checkpoint{{Fingerprint: "old build", Next: 7, State: []byte("not to be read")}}
	err := m.runner(t, nil).Run(context.Background())
	var wrong *stream.FingerprintError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "start what wrote it") {
		t.Errorf("got %v", err)
	}
	if len(m.saved) != 1 || m.reads != 0 || len(m.committed) != 0 {
		t.Error("something was done nevertheless")
	}
}

// heap returns the memory in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestFault33_FloodIsBounded: a new series with every message costs no memory
// beyond pipeline.max_series.
func TestFault33_FloodIsBounded(t *testing.T) {
	c := driftConfig()
	c.MaxSeries = 50
	e := newEngine(t, c)
	var b stream.Batch
	apply := func(from, n int) {
		for i := from; i < from+n; i++ {
			m := stream.Message{Topic: "in", Offset: int64(i)}
			if err := e.Apply(&b, &stream.Record{Message: &m, Series: fmt.Sprint("s", i), Time: int64(i+1) * 1e9, Values: []float64{1, 2}}); err != nil {
				t.Fatal(err)
			}
			if i%100 == 0 {
				b.Reset()
			}
		}
	}
	apply(0, 1000)
	before := heap()
	apply(1000, 100_000)
	if after := heap(); after > before+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before, after)
	}
	if e.NumSeries() != 50 {
		t.Errorf("%d series", e.NumSeries())
	}
}

// endless is a source that always has messages, each of 1 KiB.
type endless struct {
	*memory
	delivered atomic.Int64
	value     []byte
}

func (s *endless) Read(ctx context.Context, dst []stream.Message) (int, error) {
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	for i := range dst {
		n := s.delivered.Add(1)
		dst[i] = stream.Message{Topic: "in", Offset: n - 1, Key: []byte("s"),
			Value: fmt.Appendf(nil, `{"time": %d, "values": [%d], "pad": %q}`, n, n%10, s.value)}
	}
	return len(dst), nil
}

// TestFault40_MemoryDuringAnOutage: while the sink accepts nothing, at most four
// batches and what five reads brought are in memory, however long it takes.
func TestFault40_MemoryDuringAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(0)
		m.block = true
		s := &endless{memory: m, value: make([]byte, 200)}
		ctx, cancel := context.WithCancel(context.Background())
		r := m.runner(t, func(c *stream.RunnerConfig) { c.Source, c.BatchPoints = s, 1000 })
		ended := make(chan error)
		go func() { ended <- r.Run(ctx) }()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		// Each record makes at least one point.
		if n := s.delivered.Load(); n > 4*1000+5*256 {
			t.Errorf("%d records were read", n)
		}
		cancel()
		<-ended // it says that not everything was written
	})
}
