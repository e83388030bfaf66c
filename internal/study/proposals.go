package study

import (
	"slices"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
)

// proposals returns settings that suit the described variables: rates of counters, missing values and bounds of
// forecasts. Variables with such a setting are left out.
func (d *Description) proposals(c *config.Config) []string {
	var rates, missing, counts, bounds []string
	add := func(list *[]string, text string) {
		if !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	for i := range d.Series {
		for j := range d.Series[i].Variables {
			v := &d.Series[i].Variables[j]
			for _, f := range v.Sentinels {
				add(&missing, strconv.FormatFloat(f.Value, 'g', -1, 64))
			}
			bounded := slices.Contains(c.Model.NonNegative, v.Name) || slices.ContainsFunc(c.Model.Bounds, func(text string) bool {
				b, err := config.ParseBound(text)
				return err == nil && (b.Variable == v.Name || b.Variable == "*")
			})
			switch {
			case strings.ContainsAny(v.Name, ", \t"): // a list on the command line cannot contain this name
			case v.Kind == "counter":
				add(&rates, v.Name)
			case bounded || len(v.Sentinels) > 0: // sentinels widen the range of the values
			case v.Kind == "count":
				add(&counts, v.Name)
			case v.Kind == "percentage":
				add(&bounds, v.Name+" >= 0 <= 100")
			}
		}
	}
	var settings []string
	for _, s := range []struct {
		key    string
		values []string
	}{{"pipeline.rate", rates}, {"pipeline.missing", missing}, {"model.non_negative", counts}, {"model.bounds", bounds}} {
		if len(s.values) > 0 {
			settings = append(settings, s.key+"="+strings.Join(s.values, ","))
		}
	}
	return settings
}
