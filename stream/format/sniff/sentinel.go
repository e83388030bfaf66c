package sniff

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/lazyregexp"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/internal/decimal"
)

// usualSentinel matches numbers that programs and devices write for a missing value.
var usualSentinel = lazyregexp.New(`^(0|-1|[-]?9{2,}(\.9+)?|[-]?8888|255|4095|32767|-32768|65535|2147483647|-2147483648|4294967295|-127|85|1e\+?[123]\d)$`)

// Sentinel is a number that may stand for a missing value.
type Sentinel struct {
	Value float64 `json:"value"`
	Count int     `json:"count"`
}

// MissingField is the field that lists the numbers that stand for a missing value.
const MissingField = "assemble.Config.Missing"

// Columns are the values of each variable.
type Columns struct {
	names  []string // in order of appearance
	values map[string][]float64
}

// Add takes the values of a record that has names.
func (c *Columns) Add(r *stream.Record) {
	for j, name := range r.Names {
		c.add(name, r.Values[j])
	}
}

func (c *Columns) add(name string, v float64) {
	if c.values == nil {
		c.values = make(map[string][]float64)
	}
	if _, ok := c.values[name]; !ok {
		c.names = append(c.names, name)
		c.values[name] = nil
	}
	if !math.IsNaN(v) {
		c.values[name] = append(c.values[name], v)
	}
}

// Sentinels returns the numbers that may stand for a missing value, with the setting that makes them missing; ok is
// false without such numbers.
func (c *Columns) Sentinels(setting format.Names) (a Assumption, ok bool) {
	var texts, values []string
	for _, name := range c.names {
		for _, f := range Sentinels(c.values[name]) {
			text := string(decimal.Append(nil, f.Value))
			texts = append(texts, fmt.Sprintf("%s (%s of the first %s of %s)", text, plural.Thousands(f.Count), plural.Count(len(c.values[name]), "value"), name))
			if !slices.Contains(values, text) {
				values = append(values, text)
			}
		}
	}
	value := strings.Join(values, ",")
	return Assumption{
		Text:  fmt.Sprintf("far from all other values: %s, read as numbers; %s makes them missing", strings.Join(texts, ", "), setting.Set(MissingField, value)),
		Field: MissingField, Value: value,
	}, len(texts) > 0
}

// findSentinels lists numbers that may stand for a missing value, unless Missing is configured.
func (s *sniffer) findSentinels() {
	c := &s.out.CSV
	if c.Missing != nil || s.time < 0 {
		return
	}
	numbers := s.numberCells()
	var found Columns
	for i, name := range s.header {
		if i == s.time || name == c.Clock || slices.Contains(c.Series, name) || c.Values != nil && !slices.Contains(c.Values, name) {
			continue
		}
		for _, row := range s.rows {
			if v, err := numbers.Parse([]byte(row[i])); err == nil {
				found.add(name, v)
			}
		}
	}
	if a, ok := found.Sentinels(c.Names); ok {
		s.out.Assumptions = append(s.out.Assumptions, a)
	}
}

// Sentinels returns the numbers that recur exactly and lie far from all others: more than eight interquartile ranges
// from the quartiles, and three times as far as any other number on that side.
func Sentinels(values []float64) (found []Sentinel) {
	const fewest, usual, unusual = 20, 2, 5
	const fill = 1e30 // larger numbers are fill values: 9.96921e36 of NetCDF, 1e35, the largest float32
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
		if !(far(v) > 8*spread) || 3*counts[v] > n {
			return false
		}
		least := unusual
		if math.Abs(v) >= fill || usualSentinel().MatchString(string(decimal.Append(nil, v))) {
			least = usual
		}
		return counts[v] >= least
	}
	reach := spread // distance of the farthest ordinary number
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
