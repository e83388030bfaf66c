package format

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/shell"
)

// noteIDs names the setting for a column of whole numbers that tell the lines of one time apart. Such
// a column may also be a variable, so that nothing is assumed.
func (s *sniffer) noteIDs(repeats int) {
	if 20*repeats <= len(s.rows) {
		return
	}
	i := s.first(func(i int) bool {
		return i != s.time && s.hasIntegers(i) && s.repeatsTexts(i) && 100*s.repeats(i) <= len(s.rows)
	})
	if i >= 0 {
		text := fmt.Sprintf("rows of one time have other numbers in column %s (--set %s makes a series for each)", s.header[i], shell.Quote("input.csv.series_column="+s.header[i]))
		s.out.Assumptions = append(s.out.Assumptions, Assumption{Text: text, Usual: true})
	}
}

// textHint names the setting for columns of text that tell the lines of one time apart, "" if there
// are none: they name the series, or, beside a column that does, the variables.
func (s *sniffer) textHint(values []string) string {
	c := &s.out.CSV
	if len(c.Series) == 0 {
		return s.seriesHint(len(values))
	}
	series := slices.Index(s.header, c.Series[0])
	if series < 0 || len(values) != 1 || 20*s.repeats(series) <= len(s.rows) {
		return ""
	}
	i := s.first(func(i int) bool {
		return i != s.time && i != series && s.header[i] != c.Clock && s.isText(i) && 100*s.repeats(series, i) <= len(s.rows) && s.repeatsTexts(i)
	})
	if i < 0 {
		return ""
	}
	return fmt.Sprintf(" (--set %s%s makes a variable of each %s)", shell.Quote("input.csv.variable_column="+s.header[i]), s.intervalSetting(), s.header[i])
}

// intervalSetting returns the interval that the long format needs, where all times of a file that
// differ are equally far apart; otherwise the next message names it.
func (s *sniffer) intervalSetting() string {
	var at []int64
	for _, row := range s.rows {
		if t, err := s.times.parse([]byte(s.timeOf(row)), ""); err == nil {
			at = append(at, t)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	for i := 2; i < len(at); i++ {
		if at[i]-at[i-1] != at[1]-at[0] {
			return ""
		}
	}
	if len(at) < 3 {
		return ""
	}
	text := time.Duration(at[1] - at[0]).String() // 1h0m0s
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return " --set pipeline.interval=" + text
}

// seriesHint names the columns of text that together tell the lines of one time apart: two, or all.
// Beside a single column of values one of them may have the names of variables.
func (s *sniffer) seriesHint(values int) string {
	if 20*s.repeats() <= len(s.rows) {
		return ""
	}
	var texts []int
	for i := range s.header {
		if i != s.time && s.header[i] != s.out.CSV.Clock && s.isText(i) && s.repeatsTexts(i) {
			texts = append(texts, i)
		}
	}
	sets := [][]int{texts}
	for k, i := range texts {
		for _, j := range texts[:k] {
			sets = append(sets, []int{j, i})
		}
	}
	for _, set := range slices.Backward(sets) { // all of them last
		if len(set) < 2 || 100*s.repeats(set...) > len(s.rows) {
			continue
		}
		var names []string
		for _, i := range set {
			names = append(names, s.header[i])
		}
		hint := fmt.Sprintf("--set %s makes a series for each %s", shell.Quote("input.csv.series_column="+list(names)), strings.Join(names, " and "))
		if i := slices.IndexFunc(set, func(i int) bool { return s.named(i, variableNames) }); i >= 0 && values == 1 {
			variable := names[i]
			hint += fmt.Sprintf("; --set %s --set %s%s makes a variable of each %s", shell.Quote("input.csv.series_column="+list(slices.Delete(names, i, i+1))),
				shell.Quote("input.csv.variable_column="+variable), s.intervalSetting(), variable)
		}
		return " (" + hint + ")"
	}
	return ""
}

// repeatsTexts reports whether a column has each of its texts twice or more, in the mean.
func (s *sniffer) repeatsTexts(column int) bool {
	seen := make(map[string]bool)
	for _, row := range s.rows {
		seen[row[column]] = true
	}
	return 2*len(seen) <= len(s.rows)
}
