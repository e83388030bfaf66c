package wire

import (
	"cmp"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// seriesTags returns a function that finds the tags in the name of a series; nil: names have no tags.
func seriesTags(c *config.Config) func(series string) []stream.Tag {
	if f := formatOf(c); f.tags != nil {
		if tags := f.tags(c); tags != nil {
			return tags
		}
	}
	if c.Input.SeriesTags == "" {
		return nil
	}
	t, err := format.ParseSeriesTemplate(c.Input.SeriesTags)
	if err != nil {
		panic("wire: " + err.Error()) // the configuration was validated
	}
	return t.Tags
}

// WithTopic adds the tag topic if there are several topics, because series in different topics may have equal names.
func WithTopic(c *config.Config, topic string, tags func(series string) []stream.Tag) func(series string) []stream.Tag {
	if k := InputKafka(c); k == nil || len(k.Forecast()) < 2 {
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
