package run_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// memory is a source, sink and store in memory.
type memory struct {
	mu       sync.Mutex
	messages []stream.Message
	at       int
	end      error // after the messages; nil = wait for ctx
	reads    int

	points    int
	letters   []refuse.Reason
	saved     []checkpoint.Checkpoint
	committed []int64
	failWrite error
	block     bool // Write until its context ends
}

func newMemory(n int) *memory {
	m := &memory{}
	for i := range n {
		m.messages = append(m.messages, stream.Message{Topic: "in", Offset: int64(i), Key: []byte("s"),
			Value: fmt.Appendf(nil, `{"time": %d, "values": [%d]}`, i, i*i)})
	}
	return m
}

func (m *memory) Read(ctx context.Context, dst []stream.Message) (int, error) {
	m.mu.Lock()
	m.reads++
	n := copy(dst[:min(3, len(dst))], m.messages[m.at:])
	m.at += n
	m.mu.Unlock()
	if n > 0 {
		return n, nil
	}
	if m.end != nil {
		return 0, m.end
	}
	<-ctx.Done()
	return 0, ctx.Err()
}

func (m *memory) Commit(_ context.Context, next int64) error {
	m.committed = append(m.committed, next)
	return nil
}

func (m *memory) Write(ctx context.Context, b *stream.Batch) error {
	if m.block {
		<-ctx.Done()
		return ctx.Err()
	}
	m.points += len(b.Forecasts)
	return m.failWrite
}

func (m *memory) WriteDeadLetters(_ context.Context, letters []stream.DeadLetter) error {
	for _, l := range letters {
		m.letters = append(m.letters, l.Reason)
	}
	return nil
}

func (m *memory) Load(context.Context) ([]checkpoint.Checkpoint, error) {
	for i := len(m.saved) - 1; i >= 0; i-- {
		if m.saved[i].Since == 0 {
			return m.saved[i:], nil
		}
	}
	return nil, checkpoint.ErrNoCheckpoint
}

func (m *memory) Save(_ context.Context, c checkpoint.Checkpoint) error {
	state, err := c.State.Bytes()
	if err != nil {
		return err
	}
	c.State = checkpoint.StateOf(state)
	m.saved = append(m.saved, c)
	return nil
}

func (m *memory) Close() error { return nil }

func decoder(t *testing.T) stream.Decoder {
	t.Helper()
	d, err := format.NewJSON(format.JSONConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// settings are what the states of the tests depend on.
var settings = []checkpoint.Setting{{Key: "model.order", Value: "4"}, {Key: "model.type", Value: "drift"}}

func (m *memory) runner(t *testing.T, tune func(*run.Config)) *run.Runner {
	t.Helper()
	c := run.Config{Source: m, Decoder: decoder(t), Engine: streamtest.NewEngine(t, streamtest.DriftConfig()), Sink: m, DeadLetters: m, Store: m, Settings: settings}
	if tune != nil {
		tune(&c)
	}
	r, err := run.NewRunner(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRunToTheEnd(t *testing.T) {
	m := newMemory(50)
	m.end = io.EOF
	m.messages[10].Value = []byte("x")
	m.messages[20].Value = m.messages[19].Value // a duplicate
	r := m.runner(t, func(c *run.Config) { c.Drop = []refuse.Reason{refuse.Duplicate} })
	if err := r.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	s := r.Stats()
	if s.Records != 50 || s.Next != 50 || s.Series != 1 || s.Watermark != 49e9 || s.Forecasts != int64(m.points) || m.points != 47*3 ||
		s.DeadLetters[refuse.Malformed] != 1 || s.DeadLetters[refuse.Duplicate] != 1 {
		t.Errorf("%+v", s)
	}
	if !slices.Equal(m.letters, []refuse.Reason{refuse.Malformed}) {
		t.Errorf("kept dead letters: %v", m.letters)
	}
	if !slices.Equal(m.committed, []int64{50}) || len(m.saved) != 1 || m.saved[0].Next != 50 {
		t.Errorf("commits %v, %d checkpoints", m.committed, len(m.saved))
	}
	if s.Checkpoints != 1 || s.CheckpointBytes != m.saved[0].State.Size || s.Stages[run.StageCheckpoint].Count != 1 {
		t.Errorf("%+v", s)
	}
	if r.Run(context.Background()) == nil {
		t.Error("a Runner ran twice")
	}

	// Going on from there, nothing is new.
	m.at = 0
	if err := m.runner(t, nil).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(m.saved) != 1 || m.points != 47*3 {
		t.Errorf("a second run wrote %d points and %d checkpoints", m.points, len(m.saved))
	}
}

func TestStopIsOrderly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(50)
		ctx, cancel := context.WithCancel(context.Background())
		r := m.runner(t, nil)
		ended := make(chan error)
		go func() { ended <- r.Run(ctx) }()
		synctest.Wait()
		if s := r.Stats(); s.Forecasts != 49*3 || s.Checkpoints != 0 {
			t.Errorf("before the end %d points and %d checkpoints were written", s.Forecasts, s.Checkpoints)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.committed, []int64{50}) {
			t.Errorf("commits %v", m.committed)
		}
	})
}

// TestIdleSourceIsSaved: a checkpoint is taken on time though nothing comes, and
// not again while nothing is new.
func TestIdleSourceIsSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(5)
		ctx, cancel := context.WithCancel(context.Background())
		r := m.runner(t, func(c *run.Config) { c.CheckpointEvery = time.Minute })
		ended, begin := make(chan error), time.Now()
		go func() { ended <- r.Run(ctx) }()
		time.Sleep(59 * time.Second)
		synctest.Wait()
		early := r.Stats()
		time.Sleep(time.Hour)
		synctest.Wait()
		if late := r.Stats(); early.Checkpoints != 0 || late.Checkpoints != 1 || !early.UnsavedSince.Equal(begin) || !late.UnsavedSince.IsZero() {
			t.Errorf("before a checkpoint was due %+v, after it %+v", early, late)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if !slices.Equal(m.committed, []int64{5}) || m.reads > 10 {
			t.Errorf("commits %v, %d reads", m.committed, m.reads)
		}
	})
}

// slow is an edge that takes its time.
type slow struct{ *memory }

func (s slow) Read(ctx context.Context, dst []stream.Message) (int, error) {
	time.Sleep(time.Second)
	return s.memory.Read(ctx, dst[:1])
}

func (s slow) Decode(*stream.Record, *stream.Message) error {
	time.Sleep(time.Minute)
	return &refuse.Error{Reason: refuse.Malformed}
}

func (s slow) Write(context.Context, *stream.Batch) error {
	time.Sleep(time.Hour)
	return nil
}

// TestStagesAddUp: the time of a stage is the time that it took, and no other's.
func TestStagesAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(4)
		m.end = io.EOF
		r := m.runner(t, func(c *run.Config) {
			c.Source, c.Decoder, c.Sink = slow{m}, slow{m}, slow{m}
			c.Store = nil // else messages gather in a batch while the models wait for a checkpoint
		})
		if err := r.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		s := r.Stats().Stages
		if s[run.StageRead].Elapsed != 5*time.Second || s[run.StageDecode].Elapsed != 4*time.Minute || s[run.StageApply].Elapsed != 0 || s[run.StageWrite].Elapsed != 4*time.Hour {
			t.Errorf("%+v", s)
		}
		for i, want := range []string{"read", "decode", "apply", "score", "wait", "write", "checkpoint"} {
			if got := run.Stage(i).String(); got != want {
				t.Errorf("stage %d is %s", i, got)
			}
		}
	})
}

func TestFault04_StopDuringAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(50)
		m.block = true
		ctx, cancel := context.WithCancel(context.Background())
		r := m.runner(t, func(c *run.Config) { c.DrainTimeout = 7 * time.Second })
		ended := make(chan error)
		go func() { ended <- r.Run(ctx) }()
		time.Sleep(time.Hour)
		cancel()
		start := time.Now()
		err := <-ended
		if err == nil || !strings.Contains(err.Error(), "resumes from the last checkpoint") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != 7*time.Second {
			t.Errorf("it took %v", took)
		}
		if len(m.saved) != 0 || len(m.committed) != 0 {
			t.Error("a checkpoint covers points that were not written")
		}
		// The next start does all of it.
		m.block, m.at, m.end = false, 0, io.EOF
		if err := m.runner(t, nil).Run(context.Background()); err != nil {
			t.Error(err)
		}
		if m.points != 49*3 || !slices.Equal(m.committed, []int64{50}) {
			t.Errorf("%d points, commits %v after a start", m.points, m.committed)
		}
	})
}

// failingModel is a model that takes no sample.
type failingModel struct {
	streamtest.Constant
	err error
}

func (m failingModel) NewSeries() eval.Forecaster { return m }
func (m failingModel) Observe([]float64) error    { return m.err }

func TestErrorsStopTheRun(t *testing.T) {
	boom := errors.New("boom")
	t.Run("sink", func(t *testing.T) {
		m := newMemory(50)
		m.end, m.failWrite = io.EOF, boom
		if err := m.runner(t, nil).Run(context.Background()); !errors.Is(err, boom) {
			t.Errorf("got %v", err)
		}
		if len(m.saved) != 0 {
			t.Error("a checkpoint covers points that were not written")
		}
	})
	t.Run("source", func(t *testing.T) {
		m := newMemory(50)
		m.end = boom
		if err := m.runner(t, nil).Run(context.Background()); !errors.Is(err, boom) {
			t.Errorf("got %v", err)
		}
		if !slices.Equal(m.committed, []int64{50}) {
			t.Errorf("the earlier messages are not saved: %v", m.committed)
		}
	})
	t.Run("model", func(t *testing.T) {
		m := newMemory(50)
		m.end = io.EOF
		err := m.runner(t, func(c *run.Config) {
			ec := streamtest.DriftConfig()
			ec.MetricsEvery = 0 // samples wait for the end of the batch
			ec.NewModel = func(int) (eval.Model, error) { return failingModel{err: boom}, nil }
			c.Engine, c.Store = streamtest.NewEngine(t, ec), nil
		}).Run(context.Background())
		if !errors.Is(err, boom) || m.points != 0 {
			t.Errorf("%d points of a model that learns nothing, error %v", m.points, err)
		}
	})
	t.Run("settings", func(t *testing.T) {
		m := newMemory(5)
		m.saved = []checkpoint.Checkpoint{{Settings: []checkpoint.Setting{{Key: "model.order", Value: "3"}, {Key: "model.ridge", Value: "1"}, {Key: "model.type", Value: "drift"}}}}
		var wrong *checkpoint.SettingsError
		err := m.runner(t, nil).Run(context.Background())
		if !errors.As(err, &wrong) || len(wrong.Changed) != 2 ||
			!strings.Contains(err.Error(), "model.order: the checkpoint has 3, the configuration 4; model.ridge: the checkpoint has 1, the configuration none") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("state", func(t *testing.T) {
		m := newMemory(5)
		m.saved = []checkpoint.Checkpoint{{Settings: settings, State: checkpoint.StateOf([]byte("x"))}}
		if err := m.runner(t, nil).Run(context.Background()); err == nil {
			t.Error("a broken state was accepted")
		}
		m.saved = []checkpoint.Checkpoint{{Settings: settings, Next: 7, State: streamtest.NewEngine(t, streamtest.DriftConfig()).Encoded(true)}}
		if err := m.runner(t, nil).Run(context.Background()); !errors.Is(err, checkpoint.ErrCorrupt) {
			t.Errorf("a state of another offset gave %v", err)
		}
	})
	t.Run("config", func(t *testing.T) {
		if _, err := run.NewRunner(run.Config{}); err == nil {
			t.Error("an empty RunnerConfig was accepted")
		}
		for _, limit := range []run.Config{{CheckpointEvery: -1}, {CheckpointRecords: -1}, {BatchPoints: -1}, {BatchBytes: -1}, {DrainTimeout: -1}, {StallTimeout: -1}} {
			m := newMemory(0)
			limit.Source, limit.Decoder, limit.Engine, limit.Sink = m, decoder(t), streamtest.NewEngine(t, streamtest.DriftConfig()), m
			if _, err := run.NewRunner(limit); err == nil || !strings.Contains(err.Error(), "negative") {
				t.Errorf("%+v: %v", limit, err)
			}
		}
	})
}

// TestNoGoroutineStays: synctest.Test fails by itself when one does.
func TestNoGoroutineStays(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, end := range []error{io.EOF, errors.New("boom")} {
		for _, fail := range []error{nil, errors.New("boom")} {
			synctest.Test(t, func(t *testing.T) {
				m := newMemory(20)
				m.end, m.failWrite = end, fail
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				_ = m.runner(t, nil).Run(ctx)
			})
		}
	}
	// What has ended counts until the scheduler has put it away.
	after := runtime.NumGoroutine()
	for end := time.Now().Add(30 * time.Second); after > before && time.Now().Before(end); after = runtime.NumGoroutine() {
		time.Sleep(time.Millisecond)
	}
	if after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}
