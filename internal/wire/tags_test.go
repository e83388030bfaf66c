package wire

import (
	"fmt"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
)

// TestSeriesTags: the tags of a series by the settings of the input.
func TestSeriesTags(t *testing.T) {
	for _, c := range []struct {
		change       func(in *config.Input)
		series, want string
	}{
		{func(*config.Input) {}, "web1", "[]"},
		{func(in *config.Input) { in.SeriesTags = "{dc}/{host}" }, "eu/web1", "[{dc eu} {host web1}]"},
		{func(in *config.Input) { in.SeriesTags = "{dc}/{host}" }, "web1", "[]"},
		{func(in *config.Input) { in.JSON.Tags = []string{"host"} }, "host=web1", "[{host web1}]"},
		{func(in *config.Input) { in.DataFormat = "influx" }, "cpu,host=a", "[{host a} {metric cpu}]"},
		{func(in *config.Input) { in.DataFormat, in.Influx.Series = "influx", []string{"host"} }, "host=a", "[{host a}]"},
		{func(in *config.Input) { in.Kafka, in.File = nil, &config.FileInput{Path: "x.lp.gz"} }, "cpu", "[{metric cpu}]"},
		{func(in *config.Input) { in.Kafka.Topics = []string{"in", "b"} }, "web1", "[{id web1} {topic in}]"},
		{func(in *config.Input) {
			in.Kafka.Topics = []string{"in", "b"}
			in.JSON.Tags = []string{"topic", "zone"}
		}, "topic=x,zone=eu", "[{topic in} {topic_ x} {zone eu}]"},
	} {
		cfg := config.Default()
		cfg.Input.Kafka = &config.Kafka{Topics: []string{"in"}}
		c.change(&cfg.Input)
		var got []stream.Tag
		if tags := WithTopic(cfg, "in", seriesTags(cfg)); tags != nil {
			got = tags(c.series)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: got %v, want %s", c.series, got, c.want)
		}
	}
}
