package kafkasink

import (
	"encoding/binary"
	"slices"
	"sync"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/internal/devbroker"
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
