package job

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream/kafka"
)

// A directory that cannot be read is not one without checkpoints.
func TestCheckpointsOfAnUnreadableDirectory(t *testing.T) {
	if _, err := Directory(strings.Repeat("x", 300)).List(t.Context()); !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Error(err)
	}
}

// The checkpoints of a group, in a directory or a topic, are listed with the offset to go on from, and are removed
// together with its offsets once it has no member: the next start reads everything again.
func TestCheckpointsOfAGroup(t *testing.T) {
	for _, c := range []struct {
		sets       []string
		none, path string
	}{
		{nil, "no checkpoints below ", ""},
		{[]string{"state.dir=", "state.topic=s"}, "no checkpoints in the topic s", "in["},
	} {
		f := newField(t)
		cfg, err := loadConfig(t, f.settings(c.sets...)...)
		if err != nil {
			t.Fatal(err)
		}
		open := func() Checkpoints {
			t.Helper()
			connection, err := wire.InputKafka(cfg).Connection()
			if err != nil {
				t.Fatal(err)
			}
			group, err := kafka.NewGroup(kafka.GroupConfig{Connection: connection, Topics: []string{"in"}, Group: "g", Log: logtest.Discard()})
			if err != nil {
				t.Fatal(err)
			}
			if cfg.State.Topic == "" {
				return &LocalState{Directory(cfg.State.Dir), group}
			}
			saved, err := group.SavedState(t.Context(), cfg.State.Topic)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { saved.Close() })
			return &StateTopic{saved, cfg.State.Topic}
		}
		l, stop := f.start(c.sets...)
		f.send(20, sampleText)
		until(t, "all is read", func() bool { return records(l) == 4*20 })
		if n, err := open().Reset(t.Context()); n != 0 || err == nil || !strings.Contains(err.Error(), "the group has members") {
			t.Errorf("%v: while it works %d are removed, error %v", c.sets, n, err)
		}
		stop()
		state := open()
		list, err := state.List(t.Context())
		newest := 0
		for _, i := range list {
			if !strings.HasPrefix(i.Path, c.path) || i.Error != "" || i.Bytes == 0 || i.Settings["model.type"] != "persistence" || (i.Committed != nil) != (c.sets != nil) {
				t.Errorf("%v: %+v", c.sets, i)
			}
			if i.Next == 20 && strings.HasPrefix(i.Last, "19:") {
				newest++
			}
		}
		if err != nil || newest < fieldPartitions {
			t.Errorf("%v: %d checkpoints have all messages, want %d; error %v", c.sets, newest, fieldPartitions, err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if n, err := state.Reset(ended); n != 0 || err == nil || !strings.Contains(err.Error(), "no answer from Kafka within 5m") {
			t.Errorf("%v: without time %d are removed, error %v", c.sets, n, err)
		}
		if left, err := state.List(ended); c.sets != nil && (err == nil || !strings.Contains(err.Error(), "no answer from Kafka within 5m")) {
			t.Errorf("%v: without time there are %+v, error %v", c.sets, left, err)
		}
		if n, err := state.Reset(t.Context()); n != len(list) || err != nil {
			t.Errorf("%v: %d of %d are removed, error %v", c.sets, n, len(list), err)
		}
		if left, err := state.List(t.Context()); err == nil || !strings.HasPrefix(err.Error(), c.none) {
			t.Errorf("%v: afterwards %+v, error %v", c.sets, left, err)
		}
		again, stop := f.start(append(c.sets, "output.file.path="+filepath.Join(f.dir, "again-{partition}.jsonl"))...)
		until(t, "all is read again", func() bool { return records(again) == 4*20 })
		stop()
		if c.sets != nil {
			continue
		}
		if err := os.RemoveAll(cfg.State.Dir); err != nil {
			t.Fatal(err)
		}
		for range 2 { // without the directory; then with one that a start has made
			if n, err := open().Reset(t.Context()); n != 0 || err != nil {
				t.Errorf("the directory was removed by hand: %d are removed, error %v", n, err)
			}
			if err := os.MkdirAll(cfg.State.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		afresh, _ := f.start("output.file.path=" + filepath.Join(f.dir, "afresh-{partition}.jsonl"))
		until(t, "all is read afresh", func() bool { return records(afresh) == 4*20 })
	}
}
