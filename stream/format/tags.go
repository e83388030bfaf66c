package format

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/stream"
)

// TagsOf returns the tags in the name of a series, which Influx or JSON with Tags has made: host=a,rack=2 has the
// tags host=a and rack=2. measurement: the name begins with a measurement, so cpu,host=a has the tags metric=cpu and
// host=a; a tag metric is renamed metric_. TagsOf returns nil for a name of another form.
func TagsOf(series string, measurement bool) []stream.Tag {
	var tags []stream.Tag
	for i, part := range splitEscaped(series, ',') {
		if i == 0 && measurement {
			tags = append(tags, stream.Tag{Key: measurementTag, Value: unescape(part)})
			continue
		}
		pair := splitEscaped(part, '=')
		if len(pair) != 2 {
			return nil
		}
		t := stream.Tag{Key: unescape(pair[0]), Value: unescape(pair[1])}
		if measurement && strings.TrimRight(t.Key, "_") == measurementTag {
			t.Key += "_"
		}
		tags = append(tags, t)
	}
	sortTags(tags)
	return tags
}

func sortTags(tags []stream.Tag) {
	slices.SortFunc(tags, func(a, b stream.Tag) int { return cmp.Compare(a.Key, b.Key) })
}

// splitEscaped splits s at separators without a backslash before them.
func splitEscaped(s string, separator byte) (parts []string) {
	from := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case separator:
			parts = append(parts, s[from:i])
			from = i + 1
		}
	}
	return append(parts, s[from:])
}

// unescape removes the backslashes of appendName.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// SeriesTemplate finds tags in the names of series: the template {dc}/{host} finds dc=eu and host=web1 in eu/web1.
type SeriesTemplate struct {
	texts, keys []string // texts[i] comes before the value of keys[i]; the last text is the end of the name
}

// ParseSeriesTemplate reads a template. There must be text between two values, so that a name has only one reading.
func ParseSeriesTemplate(text string) (*SeriesTemplate, error) {
	t := &SeriesTemplate{}
	rest := text
	for {
		before, after, more := strings.Cut(rest, "{")
		t.texts = append(t.texts, before)
		if !more {
			break
		}
		key, behind, closed := strings.Cut(after, "}")
		switch {
		case !closed || key == "":
			return nil, fmt.Errorf("the template %q has a { without a name and a }", text)
		case key == "id":
			return nil, fmt.Errorf("the template %q cannot have {id}, which other series have", text)
		case slices.Contains(t.keys, key):
			return nil, fmt.Errorf("the template %q has {%s} twice", text, key)
		case before == "" && len(t.keys) > 0:
			return nil, fmt.Errorf("the template %q has no text before {%s}", text, key)
		}
		t.keys = append(t.keys, key)
		rest = behind
	}
	if len(t.keys) == 0 {
		return nil, errors.New("a template needs a {name}, got " + fmt.Sprintf("%q", text))
	}
	return t, nil
}

// Tags returns the tags in the name of a series; nil for a name of another form.
func (t *SeriesTemplate) Tags(series string) []stream.Tag {
	rest, ok := strings.CutPrefix(series, t.texts[0])
	if !ok {
		return nil
	}
	var tags []stream.Tag
	for i, key := range t.keys {
		var value string
		if next := t.texts[i+1]; i < len(t.keys)-1 {
			value, rest, ok = strings.Cut(rest, next)
		} else {
			value, ok = strings.CutSuffix(rest, next)
		}
		if !ok || value == "" {
			return nil
		}
		tags = append(tags, stream.Tag{Key: key, Value: value})
	}
	sortTags(tags)
	return tags
}
