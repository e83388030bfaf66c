package job

import (
	"log/slog"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream/kafka"
)

// TestSettingsArrive: each key of the consumer group and of the checkpoints, set to another
// value, changes what a job is made of; internal/wire has this test for the others.
func TestSettingsArrive(t *testing.T) {
	base := []string{"input.kafka.brokers=a:1", "input.kafka.topics=t", "output.discard={}"}
	load := func(sets ...string) (*Live, any) {
		t.Helper()
		cfg, err := loadConfig(t, append(base[:len(base):len(base)], sets...)...)
		if err != nil {
			t.Fatalf("%v: %v", sets, err)
		}
		l := NewLive(cfg, slog.New(slog.DiscardHandler), "")
		connection, err := wire.InputKafka(cfg).Connection()
		if err != nil {
			t.Fatal(err)
		}
		group, rc := l.groupConfig(connection), runConfig(cfg)
		group.Log, rc.Settings = nil, nil // these have all settings
		return l, []any{group, rc}
	}
	_, was := load()
	if _, again := load(); !reflect.DeepEqual(was, again) {
		t.Fatal("the same configuration makes two jobs")
	}
	dir := filepath.Join(t.TempDir(), "state")
	for _, set := range []string{
		"input.kafka.topics=u", "input.kafka.join=j", "input.kafka.consumer_group=g", "input.kafka.offset=newest", "input.kafka.isolation_level=read_uncommitted",
		"input.kafka.max_message_len=2KiB", "input.kafka.session_timeout=12s", "input.kafka.client_id=c",
		"state.dir=" + dir, "state.topic=s", "state.interval=7s", "state.records=7", "state.stall_timeout=7m",
	} {
		if _, now := load(set); reflect.DeepEqual(was, now) {
			t.Errorf("%s changes nothing", set)
		}
	}

	// With checkpoints, a group whose state was lost is an error; without them, there is none.
	for set, want := range map[string]bool{"state.dir=" + dir: true, "state.topic=s": true, "state.interval=7s": false} {
		l, _ := load(set)
		if got := l.groupConfig(kafka.Connection{}).Stateful; got != want {
			t.Errorf("%s: stateful %v", set, got)
		}
	}
}
