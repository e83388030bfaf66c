package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
)

const running = `
input: {kafka: {brokers: ["a:1"], topics: [t]}}
model: {levels: [0.9]}
output:
  influxdb: {url: "http://a", token: old, bucket: b}
  file: {path: out.csv}
`

func TestReload(t *testing.T) {
	old := mustLoad(t, running)
	next := mustLoad(t, `
input: {kafka: {brokers: ["a:1", "b:1"], topics: [t]}}
model: {levels: [0.9, 0.5]}
evaluate: {interval: 7}
output:
  influxdb: {url: "http://a", token: new, bucket: b, batch_size: 10}
log: {level: debug}
`)
	merged, changed, restart := config.Reload(old, next)
	if want := []string{"evaluate.interval", "output.influxdb.token", "output.influxdb.batch_size", "log.level"}; !slices.Equal(changed, want) {
		t.Errorf("changed %q, want %q", changed, want)
	}
	if want := []string{"input.kafka.brokers", "model.levels", "output.file"}; !slices.Equal(restart, want) {
		t.Errorf("needing a restart %q, want %q", restart, want)
	}
	if wire.OutputInfluxDB(merged).Token.Reveal() != "new" || merged.Evaluate.Interval != 7 || merged.Log.Level != "debug" ||
		len(wire.InputKafka(merged).Brokers) != 1 || wire.OutputFile(merged) == nil {
		t.Errorf("merged %+v", merged)
	}
	if wire.OutputInfluxDB(old).Token.Reveal() != "old" || old.Log.Level != "info" {
		t.Error("the configuration in force was written to")
	}
	if _, changed, restart := config.Reload(merged, merged); changed != nil || restart != nil {
		t.Errorf("nothing differs, but %q %q", changed, restart)
	}
}

// Every key in Live exists, and the documentation lists exactly these keys.
func TestLiveKeys(t *testing.T) {
	all := config.DefaultSettings()
	for _, path := range config.Live() {
		if _, ok := all[path]; !ok {
			t.Errorf("there is no key %q", path)
		}
	}
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	if line := "`" + strings.Join(config.Live(), "`, `") + "`"; !strings.Contains(string(text), "\n"+line+"\n") {
		t.Errorf("docs/configuration.md has no line\n%s", line)
	}
}

func mustLoad(t *testing.T, text string) *config.Config {
	t.Helper()
	name := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Sources{Files: []string{name}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
