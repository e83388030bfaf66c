package job

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
	"github.com/orffvar/forecaster/stream/refuse"
)

// partitionAtEnd reports that it waits for new messages.
type partitionAtEnd struct{ atomic.Bool }

func (p *partitionAtEnd) Waiting() bool { return p.Load() }

// TestJoinByTime: the oldest record is next. A partition that delivers nothing holds the others until it is known to
// have nothing more, or for as long as patience lasts; one stamp in the future holds nothing.
func TestJoinByTime(t *testing.T) {
	decoder, err := format.NewJSON(format.JSONConfig{})
	if err != nil {
		t.Fatal(err)
	}
	s := &splitter{decoder: decoder, log: logtest.Discard()}
	block := func(times ...int) []entry {
		var messages []stream.Message
		for i, at := range times {
			value := fmt.Sprintf(`{"time":%d,"values":{"x":1}}`, at)
			if at == 0 {
				value = "no record"
			}
			messages = append(messages, stream.Message{Offset: int64(i), Key: []byte("k"), Value: []byte(value)})
		}
		return s.split(messages)
	}
	ends := []*partitionAtEnd{new(partitionAtEnd), new(partitionAtEnd), new(partitionAtEnd)}
	a, b, empty := newSource(ends[0], "a", 0), newSource(ends[1], "b", 0), newSource(ends[2], "empty", 0)
	j := newJoining(nil, func() int { return 3 }, time.Hour, logtest.Discard())
	took := func() (values []string) {
		from, _ := j.take()
		for _, m := range j.out {
			values = append(values, string(m.Value))
		}
		for _, s := range from {
			s.written.Store(s.taken)
		}
		return values
	}
	expect := func(what string, want ...int) {
		t.Helper()
		var values []string
		for _, at := range want {
			values = append(values, fmt.Sprintf(`{"time":%d,"values":{"x":1}}`, at))
			if at == 0 {
				values[len(values)-1] = "no record"
			}
		}
		if got := took(); !slices.Equal(got, values) {
			t.Errorf("%s: %q, want %q", what, got, values)
		}
	}

	const t0 = 1767225600
	j.add(a)
	j.add(b)
	a.blocks <- block(t0, t0+10, 0, t0+86400, t0+30, t0+40)
	b.blocks <- block(t0+10, t0+20, t0+50)
	expect("a partition is missing")
	j.add(empty)
	expect("one may have messages")
	ends[2].Store(true)
	// The stamp a day ahead goes with the record behind it, as a malformed record goes with the one before it.
	expect("in the order of time", t0, t0+10, 0, t0+10, t0+20, t0+86400, t0+30, t0+40)
	if a.written.Load() != 6 || b.written.Load() != 2 {
		t.Errorf("written before %d and %d, want 6 and 2", a.written.Load(), b.written.Load())
	}
	expect("a may have an older one")
	a.blocks <- block(t0 + 45)
	expect("it has", t0+45)
	j.patience = 0
	expect("no more patience", t0+50)
}

// newDecoder returns the decoder of a job that reads a topic with the settings.
func newDecoder(t *testing.T, settings ...string) stream.Decoder {
	t.Helper()
	cfg, err := loadConfig(t, append(settings, "input.kafka.brokers=a:1", "input.kafka.topics=t", "output.discard={}")...)
	if err != nil {
		t.Fatal(err)
	}
	decoders, err := wire.NewDecoders(cfg, logtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	d, err := decoders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A message of several lines becomes a record a line, each with its series as the key; the last one has the offset
// behind the message, and a line that cannot be read keeps the key and its place.
func TestSplitMessages(t *testing.T) {
	decoder := newDecoder(t, "input.data_format=influx")
	s := &splitter{decoder: decoder, log: logtest.Discard()}
	lines := []string{"cpu,host=a x=1 1767225600000000000", "cpu,host=b x= 1", "cpu,host=b x=2 1767225601000000000"}
	var got []string
	for _, e := range s.split([]stream.Message{
		{Offset: 7, Key: []byte("k"), Value: []byte(strings.Join(lines, "\n"))},
		{Offset: 8, Refused: refuse.New(refuse.TooLarge, "")},
		{Offset: 9, Key: []byte("k"), Value: []byte(lines[0])},
	}) {
		got = append(got, fmt.Sprintf("%v %s|%s %d", e.skip, e.record.Key, e.record.Value, e.next))
	}
	want := []string{
		"false cpu,host=a|" + lines[0] + " 0", "false k|" + lines[1] + " 0", "false cpu,host=b|" + lines[2] + " 8",
		"true | 9", "false cpu,host=a|" + lines[0] + " 10",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A source that is given back holds the others no longer, and remove waits for the records of it that were taken.
func TestJoinGoesOnAfterASource(t *testing.T) {
	atEnd := new(partitionAtEnd)
	atEnd.Store(true)
	a, gone := newSource(atEnd, "a", 0), newSource(new(partitionAtEnd), "b", 0)
	all := 2
	j := newJoining(nil, func() int { return all }, time.Hour, logtest.Discard())
	j.add(a)
	j.add(gone)
	gone.blocks <- []entry{{time: 1, next: 1}}
	a.blocks <- []entry{{time: 2, next: 1}}
	if from, held := j.take(); !slices.Equal(from, []*source{gone}) || !held {
		t.Fatalf("%v, held: %v", from, held)
	}
	removed := make(chan struct{})
	go func() {
		j.remove(t.Context(), gone)
		close(removed)
	}()
	until(t, "it is no source", func() bool { j.mu.Lock(); defer j.mu.Unlock(); return len(j.sources) == 1 })
	select {
	case <-removed:
		t.Error("remove does not wait for writes under way")
	default:
	}
	close(j.sending)
	<-removed
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	j.sending = make(chan struct{})
	j.remove(ctx, gone) // does not wait any longer
	all = 1
	if from, held := j.take(); !slices.Equal(from, []*source{a}) || held {
		t.Errorf("%v, held: %v", from, held)
	}
}

// A source that has messages and does not deliver them holds the others for as long as patience lasts, though
// nothing happens in between.
func TestJoinGoesOnWithoutASource(t *testing.T) {
	b, err := devbroker.Start(1, []string{"all"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	_, connection := connect(t, "input.kafka.brokers="+b.Addr(), "input.kafka.topics=t", "output.discard={}")
	log := logtest.Discard()
	p, err := kafkasink.NewProducer(connection, "all", log)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a, silent := newSource(new(partitionAtEnd), "a", 0), newSource(new(partitionAtEnd), "b", 0)
	a.blocks <- []entry{{record: stream.Message{Key: []byte("k"), Value: []byte("v")}, next: 1}}
	j := newJoining(p, func() int { return 2 }, 100*time.Millisecond, log)
	j.add(a)
	j.add(silent)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- j.run(ctx) }()
	until(t, "the record is written", func() bool { return a.written.Load() == 1 })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
