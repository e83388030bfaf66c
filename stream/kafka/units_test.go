package kafka

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/fetch"

	"github.com/orffvar/forecaster/stream"
)

// TestGroupConfigs: defaults, values at their limits, and the errors beyond them.
func TestGroupConfigs(t *testing.T) {
	c, err := GroupConfig{Topics: []string{"t"}}.withDefaults()
	if err != nil || c.Offset != Oldest || c.Isolation != ReadCommitted || c.MaxMessageBytes != 1<<20 || c.FetchBytes != 1<<20 || c.MaxWait != 500*time.Millisecond ||
		c.SessionTimeout != 30*time.Second || c.Heartbeat != 3*time.Second || c.HandOver != 10*time.Second || c.Log != slog.Default() {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := (GroupConfig{Topics: []string{"t"}, SessionTimeout: 6 * time.Second}).withDefaults(); err != nil || c.Heartbeat != 2*time.Second || c.HandOver != 2*time.Second {
		t.Errorf("%+v, %v", c, err)
	}
	for _, c := range []struct {
		change func(c *GroupConfig)
		want   string // "": valid
	}{
		{func(c *GroupConfig) { c.Topics = nil }, "kafka: Topics must not be empty"},
		{func(c *GroupConfig) { c.Offset = Newest }, ""},
		{func(c *GroupConfig) { c.Offset = "x" }, `kafka: Offset must be "oldest" or "newest", got "x"`},
		{func(c *GroupConfig) { c.Isolation = ReadUncommitted }, ""},
		{func(c *GroupConfig) { c.Isolation = "x" }, `kafka: Isolation must be "read_committed" or "read_uncommitted", got "x"`},
		{func(c *GroupConfig) { c.MaxMessageBytes = 1 }, ""},
		{func(c *GroupConfig) { c.MaxMessageBytes = -1 }, "kafka: MaxMessageBytes must be > 0, got -1"},
		{func(c *GroupConfig) { c.FetchBytes = 1 << 30 }, ""},
		{func(c *GroupConfig) { c.FetchBytes = 1<<30 + 1 }, "kafka: FetchBytes must be in [1, 1 GiB], got 1073741825"},
		{func(c *GroupConfig) { c.FetchBytes = -1 }, "kafka: FetchBytes must be in [1, 1 GiB], got -1"},
		{func(c *GroupConfig) { c.MaxWait = -1 }, "kafka: MaxWait must be > 0, got -1ns"},
		{func(c *GroupConfig) { c.Heartbeat, c.HandOver, c.SessionTimeout = 1, 1, 3 }, ""},
		{func(c *GroupConfig) { c.Heartbeat, c.HandOver, c.SessionTimeout = 1, 2, 3 }, "kafka: HandOver + Heartbeat must be less than SessionTimeout, got 2ns + 1ns and 3ns"},
		{func(c *GroupConfig) { c.Heartbeat = -1 }, "kafka: HandOver + Heartbeat must be less than SessionTimeout, got 10s + -1ns and 30s"},
		{func(c *GroupConfig) { c.HandOver, c.MaxWait = -1, -1 }, "kafka: MaxWait must be > 0, got -1ns\nkafka: HandOver + Heartbeat must be less than SessionTimeout, got -1ns + 3s and 30s"},
	} {
		config := GroupConfig{Topics: []string{"t"}}
		c.change(&config)
		if _, err := config.withDefaults(); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestMetadata: what a commit says is read back, and any other text is none of it.
func TestMetadata(t *testing.T) {
	sum := strings.Repeat("0a", 32)
	for text, want := range map[string]int{ // number of snapshots; 0: refused
		"snapshots3 a,7,8,1," + sum: 1,
		"snapshots3 a,7,8,1048576," + sum + " b,0,0,1," + sum + " c,1,1,1," + sum: 3,
		"snapshots3 a,7,8,1048577," + sum:                                         0,
		"snapshots3 a,7,8,1," + sum + strings.Repeat(" b,0,0,1,"+sum, 3):          0,
		"snapshots3 a,7,8,0," + sum:                                               0,
		"snapshots3 a,-1,8,1," + sum:                                              0,
		"snapshots3 a,7,-1,1," + sum:                                              0,
		"snapshots3 a,07,8,1," + sum:                                              0,
		"snapshots3 a,7,8,1," + sum[2:]:                                           0,
		"snapshots3 a,7,8,1," + strings.ToUpper(sum):                              0,
		"snapshots3 a,7,8,1":                                                      0,
		"snapshots3 ,7,8,1," + sum:                                                0,
		"snapshots3 a/b,7,8,1," + sum:                                             0,
		"snapshots3 a,x,8,1," + sum:                                               0,
		"snapshots3 a,7,x,1," + sum:                                               0,
		"snapshots3 a,7,8,x," + sum:                                               0,
		"snapshots3":                                                              0,
		"snapshots2 a,7,8,1," + sum:                                               0,
	} {
		list, err := parseManifests(text)
		if len(list) != want || (err == nil) != (want > 0) || want > 0 && formatManifests(list...) != text {
			t.Errorf("%s: %d snapshots, %v", text, len(list), err)
		}
	}
	if text := formatManifests(manifest{}, manifest{id: "a", next: 7, first: 8, chunks: 1}, manifest{}); text != "snapshots3 a,7,8,1,"+strings.Repeat("0", 64) {
		t.Error(text)
	}
	for text, want := range map[string]note{
		"v2 3 7:000000000000000a text of it": {3, stream.Mark{Offset: 7, Hash: 10}, "text of it"},
		"v2 0 0:ffffffffffffffff ":           {0, stream.Mark{Hash: 1<<64 - 1}, ""},
		"":                                   {}, "x": {text: "x"}, "v1 3 7:000000000000000a x": {text: "v1 3 7:000000000000000a x"},
		"v2 -3 7:000000000000000a x": {text: "v2 -3 7:000000000000000a x"}, "v2 3 -7:000000000000000a x": {text: "v2 3 -7:000000000000000a x"}, "v2 3 7:a x": {text: "v2 3 7:a x"},
		"v2 x 7:000000000000000a x": {text: "v2 x 7:000000000000000a x"}, "v2 3 x:000000000000000a x": {text: "v2 3 x:000000000000000a x"}, "v2 3 7 x": {text: "v2 3 7 x"}, "v2 3 7:000000000000000a": {text: "v2 3 7:000000000000000a"},
	} {
		if got := parseNote(text); got != want {
			t.Errorf("%q is read as %+v, want %+v", text, got, want)
		}
	}
}

// TestProblemsOfAPartition: each operation has its problem, and the first one is shown.
func TestProblemsOfAPartition(t *testing.T) {
	var p problems
	for _, c := range []struct {
		what, text string
		changed    bool
		shown      string
	}{
		{"fetch", "", false, ""}, {"fetch", "gone", true, "gone"}, {"fetch", "gone", false, "gone"}, {"commit", "slow", true, "slow"}, {"fetch", "lost", true, "slow"}, {"commit", "", true, "lost"}, {"fetch", "", true, ""},
	} {
		if changed := p.set(c.what, c.text); changed != c.changed || p.any() != c.shown {
			t.Errorf("%+v: changed %v, shows %q", c, changed, p.any())
		}
	}
	for s, want := range map[PartitionStatus]int64{{Position: -1, End: 7}: 0, {Position: 0, End: 7}: 7, {Position: 7, End: 7}: 0, {Position: 8, End: 7}: 0} {
		if got := s.Lag(); got != want {
			t.Errorf("%+v: lag %d, want %d", s, got, want)
		}
	}
}

// TestCappedReader: a batch is read up to the limit, and is an error beyond it.
func TestCappedReader(t *testing.T) {
	for n, fails := range map[int]bool{0: false, 9: false, 10: true, 11: true} {
		r := &cappedReader{io.NopCloser(strings.NewReader(strings.Repeat("x", n))), 10}
		text, err := io.ReadAll(r)
		if len(text) != min(n, 10) || errors.Is(err, errExpanded) != fails || !fails && err != nil {
			t.Errorf("%d bytes: %d are read, %v", n, len(text), err)
		}
	}
}

// TestAbortedBatches: batches of an aborted transaction have no messages until the marker that ends it.
func TestAbortedBatches(t *testing.T) {
	const transactional = 1 << 4
	a := abortedTransactions{{ProducerID: 1, FirstOffset: 10}, {ProducerID: 2, FirstOffset: 12}}
	for i, c := range []struct {
		batch protocol.RecordReader
		skip  bool
		left  int
	}{
		{&protocol.RecordBatch{ProducerID: 1, BaseOffset: 9, Attributes: transactional}, false, 2},
		{&protocol.RecordBatch{ProducerID: 1, BaseOffset: 10, Attributes: transactional}, true, 2},
		{&protocol.RecordBatch{ProducerID: 1, BaseOffset: 11}, false, 2}, // of no transaction
		{&protocol.RecordBatch{ProducerID: 3, BaseOffset: 12, Attributes: transactional}, false, 2},
		{&protocol.ControlBatch{ProducerID: 2, BaseOffset: 11}, true, 2}, // of an earlier transaction
		{&protocol.ControlBatch{ProducerID: 1, BaseOffset: 13}, true, 1},
		{&protocol.RecordBatch{ProducerID: 1, BaseOffset: 14, Attributes: transactional}, false, 1},
		{&protocol.ControlBatch{ProducerID: 2, BaseOffset: 15}, true, 0},
		{&protocol.MessageSet{}, false, 0},
	} {
		if skip := a.skip(c.batch); skip != c.skip || len(a) != c.left {
			t.Errorf("batch %d: skipped %v, %d transactions left", i, skip, len(a))
		}
	}
	if !begun(fetch.ResponseTransaction{ProducerID: 1, FirstOffset: 7}, 1, 7) || begun(fetch.ResponseTransaction{ProducerID: 1, FirstOffset: 8}, 1, 7) {
		t.Error("the first offset of a transaction")
	}
}

// TestAppendRecords: messages are appended from the next offset on, those beyond the limit cut and refused, and those of an
// aborted transaction passed over.
func TestAppendRecords(t *testing.T) {
	for skip, want := range map[bool]string{
		false: `5 at 2s "k"="abc"; 7 at 0s "key"="v" too_large; 8 at 0s ""=""; `,
		true:  "",
	} {
		p := &Partition{fetched: 5, limit: 4}
		err := p.appendRecords(kafkago.NewRecordReader(
			kafkago.Record{Offset: 4, Value: kafkago.NewBytes([]byte("x"))},
			kafkago.Record{Offset: 5, Time: time.Unix(2, 0), Key: kafkago.NewBytes([]byte("k")), Value: kafkago.NewBytes([]byte("abc"))},
			kafkago.Record{Offset: 7, Key: kafkago.NewBytes([]byte("key")), Value: kafkago.NewBytes([]byte("va"))},
			kafkago.Record{Offset: 8},
		), skip)
		got := ""
		for _, m := range p.pending {
			got += fmt.Sprintf("%d at %v %q=%q", m.Offset, time.Duration(m.Time), m.Key, m.Value)
			if m.Refused != nil {
				got += " " + string(m.Refused.Reason)
			}
			got += "; "
		}
		if got != want || err != nil || p.fetched != 9 {
			t.Errorf("skip %t: %s up to offset %d, %v, want %s", skip, got, p.fetched, err, want)
		}
	}
}
