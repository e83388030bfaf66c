package run_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// pieces is a Splitter: every byte of a message is a record of that value, but x is
// refused.
type pieces struct {
	part stream.Message
	rest []byte
	time int64
}

func (p *pieces) Decode(*stream.Record, *stream.Message) error { panic("not called") }

func (p *pieces) Split(m *stream.Message) { p.part, p.rest = *m, m.Value }

func (p *pieces) Next(r *stream.Record) error {
	if len(p.rest) == 0 {
		return io.EOF
	}
	p.part.Value, p.rest = p.rest[:1], p.rest[1:]
	r.Message = &p.part
	if p.part.Value[0] == 'x' {
		return &refuse.Error{Reason: refuse.Malformed, Detail: "x"}
	}
	p.time++
	*r = stream.Record{Message: &p.part, Series: "s", Time: p.time, Values: []float64{float64(p.part.Value[0] - '0')}}
	return nil
}

// TestSplitter: all parts of a message count, a refused one is a dead
// letter of its own, and a checkpoint lies between messages.
func TestSplitter(t *testing.T) {
	d, err := run.NewDriver(run.Config{
		Source: nowhere{}, Decoder: &pieces{}, Engine: streamtest.NewEngine(t, streamtest.DriftConfig()), Sink: stream.Discard{}, Store: nowhere{}, CheckpointRecords: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	var b engine.Results
	for i, value := range []string{"123", "", "4x5x", "x"} {
		m := &stream.Message{Topic: "in", Offset: int64(i), Value: []byte(value)}
		if _, err := d.Apply(&b, m); err != nil {
			t.Fatal(err)
		}
		if !b.Checkpoint || b.Next != int64(i+1) {
			t.Errorf("no checkpoint after message %d", i)
		}
		if _, err := d.Apply(&b, m); err != nil { // once more
			t.Fatal(err)
		}
	}
	var seen string
	for _, o := range b.Observations {
		seen += fmt.Sprint(o.Y[0])
	}
	if seen != "12345" || b.Records != 9 || len(b.DeadLetters) != 3 {
		t.Errorf("observed %s in %d records, %d refused", seen, b.Records, len(b.DeadLetters))
	}
	for _, l := range b.DeadLetters {
		if string(l.Message.Value) != "x" {
			t.Errorf("the letter has %q", l.Message.Value)
		}
	}
}

// nowhere are edges that are not used.
type nowhere struct{}

func (nowhere) Read(context.Context, []stream.Message) (int, error) { return 0, io.EOF }
func (nowhere) Load(context.Context) ([]checkpoint.Checkpoint, error) {
	return nil, checkpoint.ErrNoCheckpoint
}
func (nowhere) Save(context.Context, checkpoint.Checkpoint) error { return nil }
func (nowhere) Close() error                                      { return nil }

// TestIdleSeriesAreNotWritten: the size of a checkpoint is proportional to the changes, and whole checkpoints are
// rare.
func TestIdleSeriesAreNotWritten(t *testing.T) {
	config := streamtest.DriftConfig()
	config.MaxSeries, config.MetricsWindow = 1000, 5
	m := newMemory(0)
	d, err := run.NewDriver(run.Config{
		Source: m, Decoder: decoder(t), Engine: streamtest.NewEngine(t, config), Sink: m, Store: m,
	})
	if err != nil {
		t.Fatal(err)
	}
	var b engine.Results
	offset := int64(0)
	apply := func(series int, value int64) {
		t.Helper()
		message := stream.Message{Topic: "in", Offset: offset, Key: fmt.Append(nil, "s", series), Value: fmt.Appendf(nil, `{"time": %d, "values": [%d]}`, value, value%7)}
		if _, err := d.Apply(&b, &message); err != nil {
			t.Fatal(err)
		}
		offset++
	}
	save := func() {
		t.Helper()
		if err := d.Checkpoint(&b); err != nil {
			t.Fatal(err)
		}
		if err := d.Score(&b); err != nil {
			t.Fatal(err)
		}
		if err := d.Deliver(context.Background(), &b, func(run.Stage) {}); err != nil {
			t.Fatal(err)
		}
		b.Reset()
	}
	const begun = 10 // samples after which the windows of scores have all their memory
	for i := range int64(begun) {
		for k := range 1000 {
			apply(k, i)
		}
	}
	save()
	whole := m.saved[0].State.Size
	written, wholes := int64(0), 0
	const rounds = 500
	for i := range int64(rounds) {
		for k := range 10 { // 1 in 100
			apply(k*7, begun+i)
		}
		save()
		written += m.saved[i+1].State.Size
		if m.saved[i+1].Since == 0 {
			wholes++
		}
	}
	if mean := written / rounds; mean > whole*3/100 || wholes < 2 || wholes > 6 {
		t.Errorf("%d bytes a checkpoint, of %d when whole; %d of %d were whole", mean, whole, wholes, rounds)
	}
	restored := streamtest.NewEngine(t, config)
	list, err := m.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var changes []checkpoint.State
	for _, c := range list[1:] {
		changes = append(changes, c.State)
	}
	if err := restored.Restore(list[0].State, changes...); err != nil {
		t.Fatal(err)
	}
	if restored.NumSeries() != 1000 || restored.Next() != offset {
		t.Errorf("%d series up to %d", restored.NumSeries(), restored.Next())
	}
}

// heavy is a model with a state of 72 MiB.
type heavy struct{ streamtest.Constant }

func (heavy) NewSeries() eval.Forecaster { return streamtest.Constant{} }
func (heavy) State(c *snapshot.Codec)    { c.Float64s(make([]float64, 9<<20)) }

// TestLargeCheckpointsAreRarer: 72 MiB are written after 72 x 1,024 records at the earliest, not
// after every tenth.
func TestLargeCheckpointsAreRarer(t *testing.T) {
	config := streamtest.DriftConfig()
	config.Levels, config.Baselines, config.MetricsEvery = nil, nil, 0
	config.NewModel = func(int) (eval.Model, error) { return heavy{}, nil }
	d, err := run.NewDriver(run.Config{
		Source: nowhere{}, Decoder: decoder(t), Engine: streamtest.NewEngine(t, config), Sink: stream.Discard{}, Store: nowhere{}, CheckpointRecords: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	var b engine.Results
	var taken []int64
	for i := range int64(74 << 10) {
		m := stream.Message{Topic: "in", Offset: i, Key: []byte("s"), Value: fmt.Appendf(nil, `{"time": %d, "values": [1]}`, i+1)}
		if _, err := d.Apply(&b, &m); err != nil {
			t.Fatal(err)
		}
		if b.Checkpoint {
			taken = append(taken, b.Next)
			if err := d.Deliver(context.Background(), &b, func(run.Stage) {}); err != nil {
				t.Fatal(err)
			}
		}
		b.Reset()
	}
	if len(taken) != 2 || taken[0] != 10 || taken[1] < 10+72<<10 || taken[1] > 10+73<<10 {
		t.Errorf("checkpoints at the offsets %d", taken)
	}
}
