package job

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream/kafka"
)

// TestSettingsArrive: each key of the consumer group and of the checkpoints arrives with its value in what
// a job is made of; internal/wire has this test for the others.
func TestSettingsArrive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	base := func(sets ...string) []string {
		return append([]string{"input.kafka.brokers=a:1", "input.kafka.topics=t", "output.discard={}"}, sets...)
	}
	for _, c := range []struct {
		set  []string
		want map[string]any // of the configuration of the group or of the run
	}{
		{nil, map[string]any{
			"Topics": []string{"t"}, "Group": "forecaster", "Offset": kafka.Oldest, "Isolation": kafka.ReadCommitted, "Stateful": false,
			"HandOver": 8 * time.Second, "DrainTimeout": 7 * time.Second, "StallTimeout": 5 * time.Minute,
		}},
		{[]string{"input.kafka.topics=u"}, map[string]any{"Topics": []string{"u"}}},
		{[]string{"input.kafka.client_id=c"}, map[string]any{"ClientID": "c"}},
		{[]string{"input.kafka.join=j"}, map[string]any{"Topics": []string{"j"}}},
		{[]string{"input.kafka.consumer_group=g"}, map[string]any{"Group": "g"}},
		{[]string{"input.kafka.offset=newest"}, map[string]any{"Offset": kafka.Newest}},
		{[]string{"input.kafka.isolation_level=read_uncommitted"}, map[string]any{"Isolation": kafka.ReadUncommitted}},
		{[]string{"input.kafka.max_message_len=2KiB"}, map[string]any{"MaxMessageBytes": 2 << 10}},
		// Work under way ends before the partition is given back, and that before the session.
		{[]string{"input.kafka.session_timeout=12s"}, map[string]any{
			"SessionTimeout": 12 * time.Second, "HandOver": 4 * time.Second, "DrainTimeout": 3 * time.Second,
		}},
		{[]string{"state.dir=" + dir}, map[string]any{"Stateful": true}},
		{[]string{"state.topic=s"}, map[string]any{"Stateful": true}},
		{[]string{"state.interval=7s"}, map[string]any{"CheckpointEvery": 7 * time.Second, "Stateful": false}},
		{[]string{"state.records=7"}, map[string]any{"CheckpointRecords": int64(7)}},
		{[]string{"state.rebuild=7"}, map[string]any{"Rebuild": int64(7)}},
		{[]string{"state.stall_timeout=7m"}, map[string]any{"StallTimeout": 7 * time.Minute}},
		{[]string{"state.stall_timeout=0"}, map[string]any{"StallTimeout": time.Duration(0)}},
		// A request to an output may take its time: a stall is twice that at least.
		{[]string{"state.stall_timeout=10s", "output.influxdb.url=http://127.0.0.1:1", "output.influxdb.org=o", "output.influxdb.bucket=b", "output.influxdb.token=t", "output.influxdb.timeout=20s"},
			map[string]any{"StallTimeout": 40 * time.Second}},
	} {
		cfg, err := loadConfig(t, base(c.set...)...)
		if err != nil {
			t.Errorf("%v: %v", c.set, err)
			continue
		}
		l := NewLive(cfg, logtest.Discard(), "")
		connection, err := wire.InputKafka(cfg).Connection()
		if err != nil {
			t.Fatal(err)
		}
		group, rc := reflect.ValueOf(l.groupConfig(connection)), reflect.ValueOf(runConfig(cfg))
		for name, want := range c.want {
			at := group.FieldByName(name)
			if !at.IsValid() {
				at = rc.FieldByName(name)
			}
			if got := at.Interface(); !reflect.DeepEqual(got, want) {
				t.Errorf("%v: %s is %v, want %v", c.set, name, got, want)
			}
		}
	}
}
