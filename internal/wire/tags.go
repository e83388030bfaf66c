package wire

import (
	"cmp"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// seriesTags returns what finds the tags in the name of a series; nil when names have none.
func seriesTags(c *config.Config) func(series string) []stream.Tag {
	in := &c.Input
	switch kind := formatOf(*in); {
	case kind == "influx":
		measurement := len(in.Influx.Series) == 0 || slices.Contains(in.Influx.Series, format.Measurement)
		return func(series string) []stream.Tag { return format.TagsOf(series, measurement) }
	case (kind == "json" || kind == "jsonl") && len(in.JSON.Tags) > 0:
		return func(series string) []stream.Tag { return format.TagsOf(series, false) }
	case (kind == "csv" || kind == "parquet") && len(in.CSV.SeriesColumn) > 1:
		return func(series string) []stream.Tag { return format.TagsOf(series, false) }
	case in.SeriesTags != "":
		t, err := format.ParseSeriesTemplate(in.SeriesTags)
		if err != nil {
			panic("build: " + err.Error()) // checked before
		}
		return t.Tags
	}
	return nil
}

// WithTopic adds the tag topic when there are several topics, in which series can have equal
// names.
func WithTopic(c *config.Config, topic string, tags func(series string) []stream.Tag) func(series string) []stream.Tag {
	if k := c.Input.Kafka; k == nil || len(k.Topics) < 2 {
		return tags
	}
	return func(series string) []stream.Tag {
		list := []stream.Tag{{Key: "id", Value: series}}
		if tags != nil {
			if found := tags(series); found != nil {
				list = found
			}
		}
		for i := range list {
			if strings.TrimRight(list[i].Key, "_") == "topic" {
				list[i].Key += "_"
			}
		}
		list = append(list, stream.Tag{Key: "topic", Value: topic})
		slices.SortFunc(list, func(a, b stream.Tag) int { return cmp.Compare(a.Key, b.Key) })
		return list
	}
}
