package kafka

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/stream"
)

// produced records the requests to write: messages and bytes of the batch of each.
type produced struct {
	mu             sync.Mutex
	records, bytes []int
}

func watchProduced(b *devbroker.Broker) *produced {
	p := new(produced)
	b.Cluster().ControlKey(int16(kmsg.Produce), func(r kmsg.Request) (kmsg.Response, error, bool) {
		b.Cluster().KeepControl()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, t := range r.(*kmsg.ProduceRequest).Topics {
			for _, part := range t.Partitions {
				// Records at byte 57 of a batch: KIP-98, format 2.
				p.records = append(p.records, int(binary.BigEndian.Uint32(part.Records[57:])))
				p.bytes = append(p.bytes, len(part.Records))
			}
		}
		return nil, nil, false
	})
	return p
}

// A request has as many messages as fit, by number and by bytes, and so has each that follows a full one.
func TestRequestsAreFull(t *testing.T) {
	for name, c := range map[string]struct {
		messages, size, header int
		want                   []int
	}{
		"by number":  {2*batchMessages + 3, 10, 0, []int{batchMessages, batchMessages, 3}},
		"by bytes":   {14, batchBytes / 4, 0, []int{3, 3, 3, 3, 2}}, // four are more than batchBytes by what each adds
		"by headers": {7, 10, batchBytes / 4, []int{3, 3, 1}},
	} {
		b := newBroker(t, 1)
		requests := watchProduced(b)
		p, err := NewProducer(connection(b.Addr()), topic, quiet)
		if err != nil {
			t.Fatal(err)
		}
		m := outgoing{key: []byte("k"), value: make([]byte, c.size), headers: []kafkago.Header{{Key: "h", Value: make([]byte, c.header)}}}
		if err := p.send(deadline(t), c.messages, func(int) outgoing { return m }); err != nil {
			t.Fatal(err)
		}
		p.Close()
		requests.mu.Lock()
		if !slices.Equal(requests.records, c.want) {
			t.Errorf("%s: requests of %v messages, want %v", name, requests.records, c.want)
		}
		if most := slices.Max(requests.bytes); most > batchBytes {
			t.Errorf("%s: a request of %d bytes, the limit is %d", name, most, batchBytes)
		}
		requests.mu.Unlock()
	}
}

// The position is that of the next message, after a seek and after each read; a commit is exactly what it is
// told, and the next member begins there.
func TestPositionsAreExact(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 10)
	g := newGroup(t, quick(b.Addr()))
	position := func() int64 { return g.Status().Partitions[0].Position }
	err := runGroup(t, g, func(ctx context.Context, p *Partition) error {
		if err := p.Seek(ctx, 2, stream.Mark{}); err != nil {
			return err
		}
		if got, lag := position(), g.Status().Partitions[0].Lag(); got != 2 || lag != 8 {
			t.Errorf("after a seek to 2 of 10 the position is %d, with %d messages behind it", got, lag)
		}
		dst := make([]stream.Message, 3)
		if _, err := p.Read(ctx, dst[:1]); err != nil {
			return err
		}
		if err := p.Seek(ctx, 2, stream.Mark{}); err != nil { // again: what was fetched behind the first message is dropped
			return err
		}
		for next := int64(2); next < 10; {
			n, err := p.Read(ctx, dst)
			if err != nil {
				return err
			}
			for i, m := range dst[:n] {
				if m.Offset != next+int64(i) {
					t.Errorf("offset %d, want %d", m.Offset, next+int64(i))
				}
			}
			next += int64(n)
			if got := position(); got != next {
				t.Errorf("the position is %d after the message %d", got, next-1)
			}
			if lag, want := g.Status().Partitions[0].Lag(), 10-next; lag != want {
				t.Errorf("the lag is %d at %d of 10", lag, next)
			}
		}
		return p.Commit(ctx, 7)
	})
	if err != nil {
		t.Fatal(err)
	}
	err = runGroup(t, newGroup(t, quick(b.Addr())), func(ctx context.Context, p *Partition) error {
		if at, _, err := p.Committed(ctx); err != nil || at != 7 {
			t.Errorf("committed %d, error %v, want 7", at, err)
		}
		dst := make([]stream.Message, 1)
		if n, err := p.Read(ctx, dst); err != nil || n != 1 || dst[0].Offset != 7 {
			t.Errorf("the next member begins at %d, error %v, want 7", dst[0].Offset, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The newest checkpoint is the one saved last, wherever it is in the topic, and the one that is committed.
func TestTheNewestCheckpointIsFirst(t *testing.T) {
	t.Parallel()
	addr := newBroker(t, 1).Addr()
	p, end := own(t, addr)
	s := openState(t, addr).Store(p)
	c := quick(addr)
	for _, next := range []int64{1, 2, 3, 9, 10, 11} { // names of one and of two digits
		saveAt(t, s, next)
		saved, err := newGroup(t, c).SavedState(deadline(t), stateTopic)
		if err != nil {
			t.Fatal(err)
		}
		list, err := saved.Checkpoints(deadline(t))
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 || list[0].Next != next || !list[0].Committed || len(list) > 1 && (list[1].Next >= next || list[1].Committed) {
			t.Errorf("after a checkpoint at %d: %+v", next, list)
		}
		if got, err := s.Load(deadline(t)); err != nil || at(got) != next {
			t.Errorf("a member would go on at %d, error %v, want %d", at(got), err, next)
		}
		saved.Close()
	}
	end()
}
