package sniff

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/lazyregexp"
	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/internal/decimal"
)

// identifier matches names of columns with identifiers, which may be numbers: host, entity_id, StationId.
var identifier = lazyregexp.New(`(?i)^(.*[_ .-])?(id|uid|uuid|guid|host|hostname|server|instance|node|device|sensor|station|site|meter|machine|entity|asset|symbol|ticker|isin|sku|store|shop|item|product|series|account|customer|pod|container|turbine|friendly_?name)([_ .-]?(id|name|no|nr|key|code|number))?$`)

// calendarName matches names of days and months: they repeat in turn, but do not identify a series.
var calendarName = lazyregexp.New(`(?i)^(mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zé]{0,7}\.?$`)

// findSeries makes the columns whose texts separate series the series columns. It returns an error if the lines may
// belong to several series and nothing decides it: a model would learn the mixture as one series.
func (s *sniffer) findSeries() error {
	c := &s.out.CSV
	if len(c.Series) > 0 || c.Variable != "" || s.time < 0 || len(s.rows) == 0 {
		return nil
	}
	set, sure := s.seriesBy()
	switch {
	case sure:
		for _, i := range set {
			c.Series = append(c.Series, s.header[i])
		}
		s.assume("CSVConfig.Series", cells.List(c.Series), "a series for each %s%s", strings.Join(c.Series, " and "), s.variableOf(set))
	case len(set) > 0 && c.Values == nil:
		return s.mixed(set[0], s.set("CSVConfig.Series", cells.List([]string{s.header[set[0]]})), s.set("CSVConfig.Values", cells.List(s.numberColumns())))
	case 20*s.repeats() > len(s.rows):
		s.noteIDs()
	}
	return nil
}

// mixed returns the error of a column that may separate series, with the settings for several series and for one.
func (s *sniffer) mixed(column int, series, one string) error {
	return fmt.Errorf("%s may tell several series apart, whose rows alternate at uneven times: say %s for a series of each, or %s for one series",
		s.header[column], series, one)
}

// seriesBy returns the columns whose texts separate series, and sure = true; or a column that may separate series,
// and false; or nil.
func (s *sniffer) seriesBy() (set []int, sure bool) {
	s.readTimes()
	var columns []int
	for i := range s.header {
		if s.maySeparate(i) {
			columns = append(columns, i)
		}
	}
	for _, i := range columns {
		if s.named(i, seriesNames) {
			return []int{i}, true
		}
	}
	if 20*s.repeats() > len(s.rows) {
		for _, set := range subsets(slices.DeleteFunc(columns, s.isConstant)) {
			if 100*s.repeats(set...) <= len(s.rows) {
				return set, true
			}
		}
		return nil, false
	}
	for _, i := range columns {
		if s.putsInOrder(i) || s.more && s.isConstant(i) && identifier().MatchString(s.header[i]) {
			return []int{i}, true
		}
	}
	regular := s.isRegular()
	for _, i := range columns {
		if !s.interleaves(i) {
			continue
		}
		known := identifier().MatchString(s.header[i]) || s.named(i, variableNames)
		separate := s.separatesLevels(i) && (!regular || s.takesTurns(i))
		if known || separate || !regular {
			return []int{i}, known || separate
		}
	}
	return nil, false
}

// maySeparate reports whether the texts of a column recur beside a value. Numbers count as texts in a column with the
// name of an identifier.
func (s *sniffer) maySeparate(column int) bool {
	if column == s.time || s.isFlux(column) || s.header[column] == s.out.CSV.Clock || slices.Contains(s.out.CSV.Values, s.header[column]) {
		return false
	}
	if s.isText(column) {
		return s.named(column, seriesNames) || s.repeatsTexts(column)
	}
	whole := func(cell string) bool {
		v, err := decimal.Parse([]byte(cell))
		return err == nil && v == math.Trunc(v)
	}
	switch {
	case !s.nearlyAll(column, whole) || !s.repeatsTexts(column) || len(s.numberColumns()) < 2:
		return false
	case identifier().MatchString(s.header[column]):
		return !s.isConstant(column) || s.named(column, seriesNames)
	}
	return s.isPanel(column)
}

// isFlux reports whether a column is one that Flux adds to each table.
func (s *sniffer) isFlux(column int) bool {
	return s.header[s.time] == "_time" && slices.Contains([]string{"result", "table", "_start", "_stop"}, s.header[column]) && slices.Contains(s.header, "table")
}

// isPanel reports whether nearly each time has one row for each number in a column: these numbers identify things,
// and measure nothing.
func (s *sniffer) isPanel(column int) bool {
	distinct := func(text func(row []string) string) int {
		seen := make(map[string]bool)
		for _, row := range s.rows {
			seen[text(row)] = true
		}
		return len(seen)
	}
	all := distinct(s.timeOf) * distinct(func(row []string) string { return row[column] })
	return 10*len(s.rows) >= 9*all && s.repeats(column) == 0 && 2*s.repeats() >= len(s.rows)
}

// subsets returns the sets of one column, of two columns, and of all columns.
func subsets(columns []int) (sets [][]int) {
	for _, i := range columns {
		sets = append(sets, []int{i})
	}
	for k, i := range columns {
		for _, j := range columns[:k] {
			sets = append(sets, []int{j, i})
		}
	}
	if len(columns) > 2 {
		sets = append(sets, columns)
	}
	return sets
}

// numberColumns returns the names of the columns with values.
func (s *sniffer) numberColumns() (names []string) {
	for i, name := range s.header {
		if i != s.time && name != s.out.CSV.Clock && !s.isText(i) {
			names = append(names, name)
		}
	}
	return names
}

// readTimes reads the time of each row. A row without a time has the time of the row before.
func (s *sniffer) readTimes() {
	s.at = s.at[:0]
	var last int64
	for _, row := range s.rows {
		if t, err := s.times.Parse([]byte(s.timeOf(row)), ""); err == nil {
			last = t
		}
		s.at = append(s.at, last)
	}
}

// isRegular reports whether half of the steps between the times are equal within 10 %.
func (s *sniffer) isRegular() bool {
	var steps []int64
	for i := 1; i < len(s.at); i++ {
		if d := s.at[i] - s.at[i-1]; d != 0 {
			steps = append(steps, max(d, -d))
		}
	}
	if len(steps) < 3 {
		return true
	}
	slices.Sort(steps)
	median, alike := steps[len(steps)/2], 0
	for _, d := range steps {
		if 10*max(d-median, median-d) <= median {
			alike++
		}
	}
	return 2*alike >= len(steps)
}

func (s *sniffer) isConstant(column int) bool {
	return !slices.ContainsFunc(s.rows, func(row []string) bool { return row[column] != s.rows[0][column] })
}

// putsInOrder reports whether the times of the file go back, but never among the rows with one text in a column.
func (s *sniffer) putsInOrder(column int) bool {
	back, within, last := 0, 0, make(map[string]int64)
	for i, at := range s.at {
		if i > 0 && at < s.at[i-1] {
			back++
		}
		if t, seen := last[s.rows[i][column]]; seen && at < t {
			within++
		}
		last[s.rows[i][column]] = at
	}
	return back > 0 && within == 0 && len(last) > 1
}

// interleaves reports whether the texts of a column change from row to row at least half as often as in random
// order. Each text must have at least five rows, and a tenth of an equal share of the rows.
func (s *sniffer) interleaves(column int) bool {
	const fewest = 5
	counts, changes := make(map[string]int), 0
	for i, row := range s.rows {
		counts[row[column]]++
		if i > 0 && row[column] != s.rows[i-1][column] {
			changes++
		}
	}
	n, same := float64(len(s.rows)), 0.
	for text, count := range counts {
		if text == "" || count < fewest || 10*count*len(counts) < len(s.rows) || calendarName().MatchString(text) {
			return false
		}
		same += float64(count) / n * float64(count) / n
	}
	return len(counts) > 1 && float64(changes) >= .5*(1-same)*n
}

// takesTurns reports whether the texts of a column recur in a fixed order.
func (s *sniffer) takesTurns(column int) bool {
	seen := make(map[string]bool)
	for _, row := range s.rows {
		seen[row[column]] = true
	}
	alike := 0
	for i := len(seen); i < len(s.rows); i++ {
		if s.rows[i][column] == s.rows[i-len(seen)][column] {
			alike++
		}
	}
	return 20*alike >= 19*(len(s.rows)-len(seen))
}

// separatesLevels reports whether the median change of some value from row to row is at least three times the median
// change between rows with the same text.
func (s *sniffer) separatesLevels(column int) bool {
	for j, name := range s.header {
		if j == s.time || j == column || name == s.out.CSV.Clock || s.isText(j) {
			continue
		}
		var all, within []float64
		last, before := make(map[string]float64), math.NaN()
		for _, row := range s.rows {
			v, err := decimal.Parse([]byte(row[j]))
			if err != nil {
				continue
			}
			if d := math.Abs(v - before); d == d {
				all = append(all, d)
			}
			if x, seen := last[row[column]]; seen {
				within = append(within, math.Abs(v-x))
			}
			last[row[column]], before = v, v
		}
		if len(within) < 10 {
			continue
		}
		slices.Sort(all)
		slices.Sort(within)
		if all[len(all)/2] > 3*within[len(within)/2] {
			return true
		}
	}
	return false
}

// noteIDs proposes the setting for a column of whole numbers that distinguish the lines of one time. The column may
// also be a variable, so nothing is assumed.
func (s *sniffer) noteIDs() {
	i := s.first(func(i int) bool {
		return i != s.time && s.hasIntegers(i) && s.repeatsTexts(i) && 100*s.repeats(i) <= len(s.rows)
	})
	if i >= 0 {
		text := fmt.Sprintf("rows of one time have other numbers in column %s (%s makes a series for each)", s.header[i], s.set("CSVConfig.Series", s.header[i]))
		s.out.Assumptions = append(s.out.Assumptions, Assumption{Text: text, Usual: true})
	}
}

// repeats counts the lines whose time and texts in columns equal those of an earlier line.
func (s *sniffer) repeats(columns ...int) (n int) {
	seen := make(map[string]bool)
	for _, row := range s.rows {
		key := s.timeOf(row)
		for _, i := range columns {
			key += "\x00" + row[i]
		}
		if seen[key] {
			n++
		}
		seen[key] = true
	}
	return n
}

// repeatsTexts reports whether a column has each text at least twice on average.
func (s *sniffer) repeatsTexts(column int) bool {
	seen := make(map[string]bool)
	for _, row := range s.rows {
		seen[row[column]] = true
	}
	return 2*len(seen) <= len(s.rows)
}

// variableOf returns the setting that makes variables of one of several series columns, chosen by its name; "": none
// fits.
func (s *sniffer) variableOf(set []int) string {
	i := slices.IndexFunc(set, func(i int) bool { return s.named(i, variableNames) })
	if i < 0 || len(set) < 2 || len(s.numberColumns()) != 1 {
		return ""
	}
	names := slices.Clone(s.out.CSV.Series)
	return fmt.Sprintf(" (%s %s%s makes a variable of each %s)", s.set("CSVConfig.Series", cells.List(slices.Delete(names, i, i+1))),
		s.set("CSVConfig.Variable", s.header[set[i]]), s.intervalSetting(), s.header[set[i]])
}

// variableHint returns the setting that makes variables of a text column that distinguishes the lines of one time and
// series; "": there is no such column.
func (s *sniffer) variableHint(values []string) string {
	c := &s.out.CSV
	if len(c.Series) == 0 || len(values) != 1 {
		return ""
	}
	var rest []int // the other series columns
	for _, name := range c.Series {
		rest = append(rest, slices.Index(s.header, name))
	}
	if slices.Contains(rest, -1) || 20*s.repeats(rest...) <= len(s.rows) {
		return ""
	}
	i := s.first(func(i int) bool {
		return i != s.time && !slices.Contains(rest, i) && s.header[i] != c.Clock && s.isText(i) && s.repeatsTexts(i) && 100*s.repeats(append(slices.Clone(rest), i)...) <= len(s.rows)
	})
	if i < 0 {
		return ""
	}
	return fmt.Sprintf(" (%s%s makes a variable of each %s)", s.set("CSVConfig.Variable", s.header[i]), s.intervalSetting(), s.header[i])
}

// intervalSetting returns the setting of the interval, which the long format needs, if the times of the file are
// equidistant. Otherwise it returns "", and the next error of the program proposes it.
func (s *sniffer) intervalSetting() string {
	s.readTimes()
	at := slices.Compact(slices.Sorted(slices.Values(s.at)))
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
	return " " + s.set("assemble.Config.Interval", text)
}
