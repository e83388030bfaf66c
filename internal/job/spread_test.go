package job

import (
	"bytes"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
)

// TestSpread: a series of two partitions is named once, with what its producer lacks.
func TestSpread(t *testing.T) {
	for format, want := range map[string]string{"otlp_json": "partition_metrics_by_resource_attributes: true", "influx": "routing_tag", "json": "input.kafka.join"} {
		cfg, err := loadConfig(t, "input.kafka.brokers=a:1", "input.kafka.topics=t", "output.discard={}", "pipeline.interval=10s", "input.data_format="+format)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		p := newPlaces(cfg, logtest.New(&text))
		taps := []*spreadLog{{p, "t-0", map[string]bool{}}, {p, "t-1", map[string]bool{}}}
		for i, name := range []string{"a", "b", "a", "b", "b", "b", "a", "a"} {
			b := &stream.Batch{Observations: []stream.Observation{{Series: &stream.Series{Name: name}}}}
			if err := taps[i%2].Write(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			if spread := i >= 4; (text.Len() > 0) != spread {
				t.Errorf("%s: after %d samples: %s", format, i+1, text.String())
			}
		}
		if got := text.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, want) || !strings.Contains(got, `series=b partitions="[t-1 t-0]"`) {
			t.Errorf("%s: %s, want %s", format, got, want)
		}
	}
}

func loadConfig(t *testing.T, sets ...string) (*config.Config, error) {
	t.Helper()
	var src config.Sources
	for _, s := range sets {
		key, value, _ := strings.Cut(s, "=")
		src.Set = append(src.Set, config.Setting{Path: key, Value: value, From: "--set"})
	}
	return wire.Load(src)
}
