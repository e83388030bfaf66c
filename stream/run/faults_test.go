package run_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/run"
)

// TestFault31_Clocks: the core has no clock (see internal/tools/deptest), and that of
// the producer does not matter unless MaxAhead is set.
func TestFault31_Clocks(t *testing.T) {
	run := func(shift func(i int) int64) (got string) {
		synctest.Test(t, func(t *testing.T) { // fails if the goroutines wait for each other
			m := newMemory(50)
			m.end = io.EOF
			for i := range m.messages {
				m.messages[i].Time = int64(i)*1e9 + shift(i)
			}
			if err := m.runner(t, nil).Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			got = fmt.Sprint(m.points, m.letters, m.saved)
		})
		return got
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

func (f failing) Save(ctx context.Context, c checkpoint.Checkpoint) error {
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
		m.end = io.EOF
		r := m.runner(t, func(c *run.Config) {
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
	m.end = io.EOF
	m.messages[10].Value = []byte("x")
	r := m.runner(t, func(c *run.Config) {
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
// it is for the build that can use it. It is learnt again if Rebuild allows that, the source can go back, and an update
// explains all other settings: one of the two builds does not have them.
func TestFault53_MixedBuilds(t *testing.T) {
	setting := func(key, value string) checkpoint.Setting { return checkpoint.Setting{Key: key, Value: value} }
	old, build := setting("build.state", "old"), setting("build.state", "new")
	for _, c := range []struct {
		saved, now []checkpoint.Setting
		rebuild    int64
		once       bool
		refused    string // "": learnt again
	}{
		{saved: []checkpoint.Setting{old}, refused: "build.state: the checkpoint has old, this build none"},
		{saved: []checkpoint.Setting{old}, rebuild: 50},
		{saved: []checkpoint.Setting{old}, rebuild: 50, once: true, refused: "build.state"},
		{saved: []checkpoint.Setting{old, setting("model.former", "1")}, now: []checkpoint.Setting{build, setting("model.later", "2")}, rebuild: 50},
		{saved: []checkpoint.Setting{old, setting("model.order", "1")}, now: []checkpoint.Setting{build, setting("model.order", "2")}, rebuild: 50, refused: "model.order"},
		{saved: []checkpoint.Setting{old}, now: []checkpoint.Setting{build, setting("topic.partitions", "3")}, rebuild: 50, refused: "topic.partitions"},
		{now: []checkpoint.Setting{setting("model.later", "2")}, rebuild: 50, refused: "model.later"},
	} {
		m := newMemory(50)
		m.end = io.EOF
		m.saved = []checkpoint.Checkpoint{{Settings: c.saved, Next: 7, State: checkpoint.StateOf([]byte("not to be read"))}}
		err := m.runner(t, func(r *run.Config) {
			r.Settings, r.Rebuild = c.now, c.rebuild
			if c.once {
				r.Source = once{m}
			}
		}).Run(context.Background())
		if c.refused == "" {
			if err != nil || len(m.saved) != 2 {
				t.Errorf("%v, then %v: %d checkpoints, error %v", c.saved, c.now, len(m.saved), err)
			}
			continue
		}
		var wrong *checkpoint.SettingsError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%v, then %v: %v", c.saved, c.now, err)
		}
		if len(m.saved) != 1 || m.reads != 0 || len(m.committed) != 0 {
			t.Error("something was done nevertheless")
		}
	}
}

// once is a source that cannot go back.
type once struct{ *memory }

func (once) Once() bool { return true }

// TestAdjustable: a checkpoint with other settings, all of them adjustable, is taken, and who
// asked is told.
func TestAdjustable(t *testing.T) {
	m := newMemory(50)
	with := func(emit string, told *[]checkpoint.SettingChange) func(c *run.Config) {
		return func(c *run.Config) {
			c.Settings, c.Adjustable = []checkpoint.Setting{{Key: "pipeline.emit", Value: emit}}, []string{"pipeline.emit"}
			c.Adjusted = func(list []checkpoint.SettingChange) { *told = append(*told, list...) }
		}
	}
	var told []checkpoint.SettingChange
	m.end = io.EOF
	for _, emit := range []string{"1", "1", "2"} {
		if len(told) > 0 {
			t.Errorf("told of %v before anything changed", told)
		}
		m.at = 0
		if err := m.runner(t, with(emit, &told)).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if want := (checkpoint.SettingChange{Key: "pipeline.emit", Saved: "1", Now: "2"}); len(told) != 1 || told[0] != want {
		t.Errorf("told of %v, want %v", told, want)
	}
	var wrong *checkpoint.SettingsError
	err := m.runner(t, func(c *run.Config) {
		with("3", &told)(c)
		c.Settings = append(c.Settings, checkpoint.Setting{Key: "pipeline.max_gap", Value: "9"})
	}).Run(context.Background())
	if !errors.As(err, &wrong) || err.Error() != "pipeline.max_gap: the checkpoint has none, the configuration 9" {
		t.Errorf("a setting that is not adjustable: %v", err)
	}
}

// TestWarm: without a checkpoint of its own a run goes on from Warm, with messages from the
// beginning of its log. Other settings than those of a topic must be equal.
func TestWarm(t *testing.T) {
	first, second := newMemory(50), newMemory(80)
	first.end, second.end = io.EOF, io.EOF
	second.messages = second.messages[50:]
	for i := range second.messages {
		second.messages[i].Offset = int64(i)
	}
	settings := []checkpoint.Setting{{Key: "pipeline.max_gap", Value: "1"}}
	if err := first.runner(t, func(c *run.Config) { c.Settings = settings }).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	warm := func(gap string) func(c *run.Config) {
		return func(c *run.Config) {
			c.Settings = []checkpoint.Setting{{Key: "pipeline.max_gap", Value: gap}, {Key: "topic.partitions", Value: "3"}}
			c.Warm = func() ([]checkpoint.Checkpoint, error) { return first.saved[len(first.saved)-1:], nil }
		}
	}
	err := second.runner(t, warm("2")).Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "warm start: pipeline.max_gap: the checkpoint has 1, the configuration 2") {
		t.Errorf("other settings: %v", err)
	}
	cold := &memory{messages: second.messages, end: io.EOF}
	if err := errors.Join(second.runner(t, warm("1")).Run(context.Background()), cold.runner(t, nil).Run(context.Background())); err != nil {
		t.Fatal(err)
	}
	if last := second.saved[len(second.saved)-1]; last.Next != 30 {
		t.Errorf("the next offset is %d, want 30", last.Next)
	}
	if second.points <= cold.points {
		t.Errorf("%d points, and %d of models that begin with nothing", second.points, cold.points)
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
		r := m.runner(t, func(c *run.Config) { c.Source, c.BatchPoints = s, 1000 })
		ended := make(chan error)
		go func() { ended <- r.Run(ctx) }()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		// Each record makes at least one point.
		if n := s.delivered.Load(); n > 4*1000+5*256 {
			t.Errorf("%d records were read", n)
		}
		cancel()
		<-ended // its error: not everything was written
	})
}

// TestFault84_Rebuild: a checkpoint of another build is learnt again. Nothing before its offset is written
// or saved, and as many points follow as in a run without a break. A log with another last message, or that ends before
// the offset, is an error.
func TestFault84_Rebuild(t *testing.T) {
	const n, at = 600, 433
	build := func(version string) func(*run.Config) {
		return func(c *run.Config) { c.Settings = []checkpoint.Setting{{Key: "build.state", Value: version}} }
	}
	whole, before := newMemory(n), newMemory(at)
	for _, m := range []*memory{whole, before} {
		m.end = io.EOF
		if err := m.runner(t, build("new")).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	last := whole.messages[at-1].Mark()
	for _, c := range []struct {
		messages int
		records  int64
		last     stream.Mark
		other    bool // another log
	}{
		{n, 0, stream.Mark{}, false},
		{n, 7, last, false},
		{n, 0, stream.Mark{Offset: last.Offset, Hash: last.Hash + 1}, true},
		{at - 1, 0, stream.Mark{}, true},
	} {
		m := newMemory(c.messages)
		m.end = io.EOF
		m.saved = []checkpoint.Checkpoint{{Settings: []checkpoint.Setting{{Key: "build.state", Value: "old"}}, Next: at, Last: c.last, State: checkpoint.StateOf([]byte("not to be read"))}}
		var from, to int64
		err := m.runner(t, func(r *run.Config) {
			build("new")(r)
			r.Rebuild, r.CheckpointRecords = n, c.records
			r.Rebuilding = func(f, t int64, _ []checkpoint.SettingChange) { from, to = f, t }
		}).Run(t.Context())
		if c.other {
			if err == nil || !strings.Contains(err.Error(), "the log is not the one") || m.points > 0 || len(m.saved) > 1 {
				t.Errorf("%d points and %d checkpoints of another log, error %v", m.points, len(m.saved), err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if want := whole.points - before.points; m.points != want {
			t.Errorf("%d points, want %d", m.points, want)
		}
		if from != 0 || to != at {
			t.Errorf("learnt again from %d to %d", from, to)
		}
		for _, c := range m.committed {
			if c < at {
				t.Errorf("offset %d was committed while the state was learnt again", c)
			}
		}
		if last := m.saved[len(m.saved)-1]; last.Next != whole.saved[len(whole.saved)-1].Next {
			t.Errorf("the last checkpoint is at %d", last.Next)
		}
	}
}
