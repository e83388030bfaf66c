package faultsim

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// partition is one log with its committed offset and its checkpoints. The checkpoints are snapshots of a group, or
// files on the disk of a single process.
type partition struct {
	number    int
	log       []stream.Message
	start     int // offset of the first message after retention
	end       int // offset after the last message sent so far
	state     []byte
	committed commit

	snapshots map[string][]byte     // chunks
	manifests map[string]snapshotID // by id
	damaged   map[string]bool       // chunks removed by a failure
	disk      disk

	transactions []transaction
	file         outputFile
	lines        map[string]int // how often the file must contain each line at the end
	fileSize     int
}

// commit is a committed offset with its snapshot.
type commit struct {
	next       int64
	generation int
	partitions int // number of partitions of the topic
	current    snapshotID
	previous   snapshotID
}

// snapshotID names a snapshot. The zero value names no snapshot.
type snapshotID struct {
	id     string
	next   int64
	chunks int
}

func decoder() stream.Decoder {
	d, err := format.NewJSON(format.JSONConfig{})
	if err != nil {
		panic("faultsim: " + err.Error())
	}
	return d
}

// newPartition returns a log with all kinds of defects that a log can have.
func newPartition(rng *rand.Rand, number, records int) *partition {
	p := &partition{number: number, snapshots: make(map[string][]byte), manifests: make(map[string]snapshotID), damaged: make(map[string]bool), disk: newDisk(), committed: commit{next: -1}}
	series := 1 + rng.IntN(3)
	dims := make([]int, series)
	times := make([]int, series)
	ahead := make([]int, series) // how far the clocks of the devices are ahead
	for i := range dims {
		dims[i] = 1 + rng.IntN(3)
	}
	for i := range records {
		k := rng.IntN(series)
		times[k]++
		now := times[k]
		var value []byte
		switch rng.IntN(40) {
		case 0:
			value = []byte("not JSON")
		case 1:
			now -= 1 + rng.IntN(3) // late or twice
		case 2:
			dims[k] = 1 + rng.IntN(3)
		case 3:
			now += rng.IntN(5)
			times[k] = now
		case 4:
			now += 100_000 // a gap
		case 5:
			ahead[k] = 5000 - ahead[k] // set, and set back
		}
		now += ahead[k]
		if value == nil {
			value = fmt.Appendf(value, `{"time": %d, "values": [`, now)
			for j := range dims[k] {
				if j > 0 {
					value = append(value, ',')
				}
				switch rng.IntN(60) {
				case 0:
					value = append(value, "null"...)
				case 1:
					value = fmt.Append(value, streamtest.Poison)
				case 2:
					value = append(value, "1e60"...)
				default:
					value = fmt.Append(value, rng.IntN(100))
				}
			}
			value = append(value, "]}"...)
		}
		p.log = append(p.log, stream.Message{
			Topic: "in", Partition: int32(number), Offset: int64(i), Key: fmt.Appendf(nil, "p%d-s%d", number, k), Value: value,
		})
	}
	return p
}

// named returns c for this partition. As in a job, each partition has its own name for the scores over all series.
func (p *partition) named(c engine.Config) engine.Config {
	c.Pool = fmt.Sprint(stream.AllSeries, " ", p.number)
	return c
}

// oracle runs an engine over the log without failures. It adds the output to want, and keeps the state.
func (p *partition) oracle(c engine.Config, seed uint64, want *contents) error {
	e, err := engine.New(p.named(c))
	if err != nil {
		return err
	}
	var b engine.Results
	d, err := run.NewDriver(run.Config{Source: nowhere{}, Decoder: decoder(), Engine: e, Sink: stream.Discard{}})
	if err != nil {
		return err
	}
	valid := p.valid()
	for i := range valid {
		if _, err := d.Apply(&b, &valid[i]); err != nil {
			return err
		}
	}
	p.lines = make(map[string]int)
	for line := range bytes.Lines(encoder(seed).AppendBatch(nil, &stream.Batch{Forecasts: b.Forecasts})) {
		p.lines[string(line)]++
		p.fileSize += len(line)
	}
	for line := range bytes.Lines(encoder(seed).AppendBatch(nil, &b.Batch)) {
		key, value := splitLine(line)
		if old, ok := want.points[key]; ok && old != value {
			return fmt.Errorf("two values for one point: %s%s and %s", key, old, value)
		}
		want.points[key] = value
	}
	for _, l := range b.DeadLetters {
		want.letters[l.Message.Origin()] = l.Detail
	}
	p.state = streamtest.Snapshot(e)
	return nil
}

// encoder returns an encoder of points with a layout drawn from the seed.
func encoder(seed uint64) lineproto.Encoder {
	return lineproto.Encoder{Levels: levels, Exact: true, Long: seed%2 == 1, Every: int(seed % 3)}
}

// nowhere is the source of a Driver that receives its messages by Apply.
type nowhere struct{ stream.Source }
