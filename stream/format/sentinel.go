package format

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/decimal"
)

// usualSentinel matches numbers that programs and devices write where they have no value.
var usualSentinel = regexp.MustCompile(`^(0|-1|[-]?9{2,}(\.9+)?|[-]?8888|255|4095|32767|-32768|65535|2147483647|-2147483648|4294967295|-127|85|1e\+?[123]\d|9\.96921e\+?36|-?3\.402823\d*e\+?38)$`)

// Sentinel is a number that may stand for a missing value.
type Sentinel struct {
	Value float64 `json:"value"`
	Count int     `json:"count"`
}

// findSentinels names numbers that may stand for a missing value in each column of values, unless the
// spellings of one are set.
func (s *sniffer) findSentinels() {
	c := &s.out.CSV
	if c.Missing != nil || s.time < 0 {
		return
	}
	d := CSV{c: *c}
	var texts, settings []string
	for i, name := range s.header {
		if i == s.time || name == c.Clock || slices.Contains(c.Series, name) || c.Values != nil && !slices.Contains(c.Values, name) {
			continue
		}
		var values []float64
		for _, row := range s.rows {
			if v, err := d.value([]byte(row[i])); err == nil && v == v {
				values = append(values, v)
			}
		}
		for _, f := range Sentinels(values) {
			text := string(decimal.Append(nil, f.Value))
			texts = append(texts, fmt.Sprintf("%s (%d times in %s)", text, f.Count, name))
			if !slices.Contains(settings, text) {
				settings = append(settings, text)
			}
		}
	}
	if len(texts) > 0 {
		value := strings.Join(settings, ",")
		s.assume("CSVConfig.Missing", value, "far from all other values: %s, read as numbers; %s makes them missing", strings.Join(texts, ", "), s.set("CSVConfig.Missing", value))
	}
}

// Sentinels returns numbers that come again exactly and lie far from all others: eight times the
// distance of the quartiles away from them, and three times as far as the other numbers on that side.
func Sentinels(values []float64) (found []Sentinel) {
	const fewest, usual, unusual = 20, 2, 5
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n < fewest {
		return nil
	}
	counts := make(map[float64]int)
	for _, v := range sorted {
		counts[v]++
	}
	low, high := sorted[n/4], sorted[3*n/4]
	spread := high - low
	if spread == 0 || 2*len(counts) < n/10 {
		return nil
	}
	far := func(v float64) float64 { return max(low-v, v-high, 0) }
	isOne := func(v float64) bool {
		least := unusual
		if usualSentinel.MatchString(string(decimal.Append(nil, v))) {
			least = usual
		}
		return counts[v] >= least && 3*counts[v] <= n && far(v) > 8*spread
	}
	reach := spread // of the numbers that are none
	for _, v := range sorted {
		if !isOne(v) {
			reach = max(reach, far(v))
		}
	}
	for _, v := range slices.Compact(sorted) {
		if isOne(v) && (far(v) > 3*reach || math.IsInf(reach, 1)) {
			found = append(found, Sentinel{v, counts[v]})
		}
	}
	return found
}
