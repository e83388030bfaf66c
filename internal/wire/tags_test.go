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
		change       func(c *config.Config)
		series, want string
	}{
		{func(*config.Config) {}, "web1", "[]"},
		{func(c *config.Config) { c.Input.SeriesTags = "{dc}/{host}" }, "eu/web1", "[{dc eu} {host web1}]"},
		{func(c *config.Config) { c.Input.SeriesTags = "{dc}/{host}" }, "web1", "[]"},
		{func(c *config.Config) { jsonOf(c).Tags = []string{"host"} }, "host=web1", "[{host web1}]"},
		{func(c *config.Config) { c.Input.DataFormat = "influx" }, "cpu,host=a", "[{host a} {metric cpu}]"},
		{func(c *config.Config) { c.Input.DataFormat, influxOf(c).Series = "influx", []string{"host"} }, "host=a", "[{host a}]"},
		{func(c *config.Config) { c.Input = config.Default().Input; c.Input.Set(&FileInput{Path: "x.lp.gz"}) }, "cpu", "[{metric cpu}]"},
		{func(c *config.Config) { InputKafka(c).Topics = []string{"in", "b"} }, "web1", "[{id web1} {topic in}]"},
		{func(c *config.Config) {
			InputKafka(c).Topics = []string{"in", "b"}
			jsonOf(c).Tags = []string{"topic", "zone"}
		}, "topic=x,zone=eu", "[{topic in} {topic_ x} {zone eu}]"},
	} {
		cfg := config.Default()
		cfg.Input.Set(&KafkaInput{Topics: []string{"in"}})
		c.change(cfg)
		var got []stream.Tag
		if tags := WithTopic(cfg, "in", seriesTags(cfg)); tags != nil {
			got = tags(c.series)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: got %v, want %s", c.series, got, c.want)
		}
	}
}
