package wire_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
)

// TestFault69_OneFileReadAndWritten: two names of one file, by a link, a detour or a file that
// does not exist yet, are refused before anything is written.
func TestFault69_OneFileReadAndWritten(t *testing.T) {
	dir := t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	data := []byte("time,a\n1,2\n")
	if err := os.WriteFile(name("x.csv"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(name("x.csv"), name("hard.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(name("x.csv"), name("soft.csv")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, out, letters, want string }{
		{"x.csv", "x.csv", "", "output.file.path"},
		{"x.csv", "hard.csv", "", "output.file.path"},
		{"x.csv", "soft.csv", "", "output.file.path"},
		{"x.csv", "../" + filepath.Base(dir) + "/x.csv", "", "output.file.path"},
		{"x.csv", "y.csv", "x.csv", "output.dead_letters.path"},
		{"x.csv", "new.csv", "new.csv", "output.dead_letters.path"},
		{"x.csv", "y.csv", "z.jsonl", ""},
	} {
		cfg := config.Default()
		cfg.Input.Set(&wire.FileInput{Path: name(c.in)})
		cfg.Output.Set(&wire.FileOutput{Path: dir + "/" + c.out})
		if c.letters != "" {
			cfg.Output.DeadLetters = &config.DeadLetters{Path: name(c.letters)}
		}
		err := wire.CheckPaths(cfg)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want+": ") {
			t.Errorf("%+v: got %v", c, err)
		}
		if err != nil {
			if _, err := wire.OpenOutputs(cfg, nil); err == nil {
				t.Errorf("%+v: the outputs were opened", c)
			}
		}
	}
	if kept, err := os.ReadFile(name("x.csv")); err != nil || string(kept) != string(data) {
		t.Errorf("the input is %q now, %v", kept, err)
	}
}

// TestFault70_WritersOfPartitions: with Kafka as input a file has a writer for each partition of each
// topic, in one process or in several: its name has to have them.
func TestFault70_WritersOfPartitions(t *testing.T) {
	for _, c := range []struct{ settings, want string }{
		{"output.file.path=out.csv", "output.file.path"},
		{"output.file.path=out-{topic}.csv", "output.file.path"},
		{"output.file.path=out-{partition}.csv", ""},
		{"output.file.path=-", ""},
		{"output.file.path=out-{partition}.csv input.kafka.topics=a,b", "output.file.path"},
		{"output.file.path=out-{topic}-{partition}.csv input.kafka.topics=a,b", ""},
		{"output.file.path=out-{partition}.csv input.kafka.topics=a,b input.kafka.join=c", ""},
		{"output.discard={} output.dead_letters.path=dead.jsonl", "output.dead_letters.path"},
		{"output.discard={} output.dead_letters.path=dead-{partition}.jsonl", ""},
		{"output.discard={} output.dead_letters.topic=dead", ""},
	} {
		cfg, err := load(append([]string{"input.kafka.brokers=localhost:9092", "input.kafka.topics=a"}, strings.Fields(c.settings)...)...)
		if err != nil {
			t.Fatal(err)
		}
		err = wire.CheckWriters(cfg)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.settings, err)
		}
	}
	cfg, err := load("input.file.path=a.csv", "output.file.path=b.csv")
	if err == nil {
		err = wire.CheckWriters(cfg)
	}
	if err != nil {
		t.Error(err)
	}
}
