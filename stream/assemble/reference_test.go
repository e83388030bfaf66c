package assemble_test

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/refuse"
)

// reference assembles records by the definitions in Config, slowly and independently of Assembler. It keeps the whole
// history; an Assembler keeps only a part.
type reference struct {
	c      assemble.Config // with its defaults
	afford func(place, dim int) *refuse.Error
	log    *transcript

	names  []string // of the series, in order of appearance
	series map[string]*referenceSeries
	grids  map[string]*referenceGrid
	begun  []string                       // names of the grids, in order of appearance
	last   *referenceRecord               // for a grid
	inputs map[string]map[int64][]float64 // by series and time
}

// referenceSeries is what the reference knows of a series.
type referenceSeries struct {
	place, samples int
	names          []string
	time           int64 // of the last sample
	steps          [][2]int64
	line           referenceLine
	counts         map[string]referenceCount
	candidate      []string
	agreed         int
}

type referenceCount struct {
	time  int64
	value float64
}

func newReference(c assemble.Config, log *transcript, afford func(place, dim int) *refuse.Error) *reference {
	c, err := c.WithDefaults()
	if err != nil {
		panic(err)
	}
	return &reference{
		c: c, log: log, afford: afford, series: make(map[string]*referenceSeries), grids: make(map[string]*referenceGrid),
		inputs: make(map[string]map[int64][]float64),
	}
}

// named returns the values of a record by name, in its order.
func (f *reference) named(r *stream.Record) (names []string, values []float64) {
	names = r.Names
	if names == nil {
		names = assemble.Numbered(len(r.Values))
		if f.c.Variables != nil && len(f.c.Exogenous) == 0 && len(f.c.Variables) == len(names) {
			names = f.c.Variables
		}
	}
	for _, v := range r.Values {
		if slices.Contains(f.c.Missing, v) {
			v = math.NaN()
		}
		values = append(values, v)
	}
	return names, values
}

// add takes the next record.
func (f *reference) add(r *stream.Record) {
	names, values := f.named(r)
	p := &referenceRecord{message: r.Message, series: r.Series, time: r.Time, names: names, values: values, since: r.Since}
	p.numbered = r.Names == nil && len(f.c.Exogenous) == 0
	if len(f.c.Exogenous) > 0 && !f.takeInputs(p, r.Ahead) || r.Ahead {
		return
	}
	if f.c.Assembly != nil {
		f.addToGrid(p)
		return
	}
	f.addWhole(p)
}

// referenceRecord is a record whose values have names.
type referenceRecord struct {
	message  *stream.Message
	series   string
	time     int64
	names    []string
	values   []float64
	since    []int64
	numbered bool // it had none
	row      bool // of a grid
}

func (f *reference) refuse(p *referenceRecord, why refuse.Reason) {
	m := *p.message
	if p.row {
		var cells []string
		for j, name := range p.names {
			cell := "null"
			if !math.IsNaN(p.values[j]) {
				cell = fmt.Sprint(p.values[j])
			}
			cells = append(cells, fmt.Sprintf("%q:%s", name, cell))
		}
		m.Key = []byte(p.series)
		m.Value = fmt.Appendf(nil, `{"time":%q,"values":{%s}}`, event.TimeText(p.time), strings.Join(cells, ","))
	}
	f.log.refuse(&m, why)
}

// takeInputs takes the exogenous inputs out of a record; it reports whether there is a sample besides.
func (f *reference) takeInputs(p *referenceRecord, ahead bool) bool {
	inputs, targets := make(map[int]float64), false
	var names []string
	var values []float64
	for j, name := range p.names {
		v := p.values[j]
		k := slices.Index(f.c.Exogenous, name)
		switch {
		case k < 0:
			names, values, targets = append(names, name), append(values, v), targets || !math.IsNaN(v)
		case math.Abs(v) > f.c.MaxAbs:
			if !ahead {
				f.refuse(p, refuse.NonFinite)
			}
			return false
		case !math.IsNaN(v):
			inputs[k] = v
		}
	}
	if len(inputs) > 0 {
		of, why := f.inputs[p.series], refuse.Reason("")
		if of == nil {
			if why = f.wrongName(p.series); why == "" && len(f.inputs) >= f.c.MaxSeries {
				why = refuse.TooMany
			}
		}
		if why != "" {
			if !ahead {
				f.refuse(p, why)
			}
			return false
		}
		if of == nil {
			of = make(map[int64][]float64)
			f.inputs[p.series] = of
		}
		if of[p.time] == nil {
			of[p.time] = unknown(len(f.c.Exogenous))
		}
		for k, v := range inputs {
			of[p.time][k] = v
		}
	}
	had := len(p.names) > 0
	p.names, p.values = names, values
	return !(len(inputs) > 0 && !targets) && (len(names) > 0 || !had)
}

func unknown(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// inputsAt returns the known inputs after a sample, and forgets older ones.
func (f *reference) inputsAt(name string, t int64, every assemble.Spacing, horizon int) (u []float64) {
	of := f.inputs[name]
	var past []int64
	for at := range of {
		if at <= t {
			past = append(past, at)
		}
	}
	slices.Sort(past)
	now := unknown(len(f.c.Exogenous))
	for i, at := range past {
		for k, v := range of[at] {
			if !math.IsNaN(v) {
				now[k] = v
			}
		}
		if i < len(past)-1 {
			delete(of, at)
		} else {
			of[at] = slices.Clone(now)
		}
	}
	for h := range horizon + 1 {
		row, at := unknown(len(f.c.Exogenous)), every.After(t, h)
		if h == 0 {
			row = now
		} else if every == 0 {
			u = append(u, unknown(f.c.Inputs())...)
			continue
		}
		var nearest []float64
		reach := every.Length() / 2
		for _, known := range slices.Sorted(maps.Keys(of)) {
			if d := max(at-known, known-at); d < reach || d == reach && nearest == nil {
				nearest, reach = of[known], d
			}
		}
		if h == 0 {
			nearest = nil
		}
		for k, v := range nearest {
			if !math.IsNaN(v) {
				row[k] = v
			}
		}
		calendar := make([]float64, f.c.Calendar.Len())
		f.c.Calendar.To(calendar, at)
		u = append(append(u, row...), calendar...)
	}
	return u
}

func (f *reference) wrongName(name string) refuse.Reason {
	switch {
	case name == "" || name == stream.AllSeries || strings.HasPrefix(name, stream.AllSeries+" "):
		return refuse.Malformed
	case len(name) > f.c.MaxName:
		return refuse.TooLarge
	}
	return ""
}

// variablesOf returns the variables of a series that begins with a record.
func (f *reference) variablesOf(p *referenceRecord) ([]string, refuse.Reason) {
	switch {
	case f.c.Variables != nil:
		return f.c.Variables, ""
	case len(p.values) == 0:
		return nil, refuse.Dimension
	case len(p.values) > f.c.MaxDim:
		return nil, refuse.TooLarge
	}
	for _, name := range p.names {
		if why := f.wrongVariable(name); why != "" {
			return nil, why
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(p.names)))) < len(p.names) {
		return nil, refuse.Malformed
	}
	return slices.Clone(p.names), ""
}

func (f *reference) wrongVariable(name string) refuse.Reason {
	switch {
	case name == "" || name == stream.AllTargets:
		return refuse.Malformed
	case len(name) > f.c.MaxName:
		return refuse.TooLarge
	}
	return ""
}

// valuesOf returns the values of the variables in a record; false if it is not one of these variables.
func (f *reference) valuesOf(names []string, p *referenceRecord) ([]float64, bool) {
	if p.numbered {
		return slices.Clone(p.values), len(p.values) == len(names)
	}
	y, known := unknown(len(names)), false
	for j, name := range p.names {
		if k := slices.Index(names, name); k >= 0 {
			y[k], known = p.values[j], true
		} else if f.c.Variables == nil {
			return nil, false
		}
	}
	return y, known
}

func (f *reference) tooLarge(y []float64) refuse.Reason {
	if slices.ContainsFunc(y, func(v float64) bool { return math.Abs(v) > f.c.MaxAbs }) {
		return refuse.NonFinite
	}
	return ""
}

// addWhole takes a record that is a sample, if nothing is wrong with it.
func (f *reference) addWhole(p *referenceRecord) {
	s := f.series[p.series]
	back := false
	why := refuse.Reason("")
	if s == nil {
		why = f.wrongName(p.series)
	}
	if why == "" && f.c.MaxAhead > 0 && p.message.Time != 0 && p.time > p.message.Time && p.time-p.message.Time > int64(f.c.MaxAhead) {
		why = refuse.Future
	}
	if why == "" && s != nil && p.time == s.time {
		why = refuse.Duplicate
	}
	if why == "" && s != nil && p.time < s.time {
		if back = s.line.back(p.time, f.spacingOf(s)); !back {
			why = refuse.Late
		}
	}
	var y []float64
	if why == "" {
		s, y, why = f.belongs(s, p)
	}
	if why != "" {
		if back {
			f.series[p.series].line.allow()
		}
		f.refuse(p, why)
		return
	}
	if f.c.Assembly == nil {
		for j, name := range s.names {
			if slices.Contains(f.c.Rates, name) && !math.IsNaN(y[j]) {
				before, ok := s.counts[name]
				s.counts[name] = referenceCount{p.time, y[j]}
				y[j] = rate(before, ok, y[j], p.time, 1)
			}
		}
	}
	sample := assemble.Sample{Row: int64(s.samples), Time: p.time, Y: y}
	switch {
	case s.line.holes == nil:
		s.line.begin(p.time)
	case back:
		sample.Wrong = s.time
	default:
		f.fillGap(s, p.series, &sample)
		s.line.advance(s.time, p.time, f.spacingOf(s))
		s.steps = append(s.steps, [2]int64{s.time, p.time})
	}
	s.time = p.time
	s.samples++
	f.deliver(s, p.series, sample)
}

// belongs returns the series and the values of a record, or why it has none.
func (f *reference) belongs(s *referenceSeries, p *referenceRecord) (*referenceSeries, []float64, refuse.Reason) {
	if s == nil && len(f.names) >= f.c.MaxSeries {
		return nil, nil, refuse.TooMany
	}
	if s != nil {
		if y, ok := f.valuesOf(s.names, p); ok {
			s.agreed = 0
			return s, y, f.tooLarge(y)
		}
		if f.c.SchemaChangeAfter == 0 || f.c.Variables != nil {
			return nil, nil, refuse.Dimension
		}
	}
	names, why := f.variablesOf(p)
	if why != "" {
		return nil, nil, why
	}
	y, ok := f.valuesOf(names, p)
	if !ok {
		return nil, nil, refuse.Dimension
	}
	if why := f.tooLarge(y); why != "" {
		return nil, nil, why
	}
	place := -1
	if s != nil {
		if s.agreed == 0 || !slices.Equal(s.candidate, names) {
			s.candidate, s.agreed = names, 0
		}
		if s.agreed++; s.agreed < f.c.SchemaChangeAfter {
			return nil, nil, refuse.Dimension
		}
		place = s.place
	}
	if refusal := f.afford(place, len(names)); refusal != nil {
		return nil, nil, refusal.Reason
	}
	if s == nil {
		s = &referenceSeries{place: len(f.names), counts: make(map[string]referenceCount)}
		f.names = append(f.names, p.series)
		f.series[p.series] = s
	}
	s.names, s.samples, s.agreed = names, 0, 0
	return s, y, ""
}

// rate returns how much a counter has risen in a second; NaN = nobody knows.
func rate(before referenceCount, known bool, v float64, t, since int64) float64 {
	seconds := func(from int64) float64 { return time.Duration(t - from).Seconds() }
	switch {
	case !known || math.IsNaN(before.value) || t <= before.time:
		return math.NaN()
	case before.time < since && since < t:
		return v / seconds(since)
	case v < before.value:
		return math.NaN()
	}
	return (v - before.value) / seconds(before.time)
}

// fillGap passes on the samples that are missing before a sample.
func (f *reference) fillGap(s *referenceSeries, name string, sample *assemble.Sample) {
	every := f.spacing()
	if every == 0 || s.samples == 0 {
		return
	}
	for every.After(s.time, int(sample.Gap)+2)-sample.Time <= sample.Time-every.After(s.time, int(sample.Gap)+1) {
		sample.Gap++
	}
	for i := range min(int(sample.Gap), f.c.MaxGap) {
		f.deliver(s, name, assemble.Sample{Row: int64(s.samples), Time: every.After(s.time, i+1), Y: unknown(len(s.names)), Missing: true})
	}
	sample.Break = max(0, sample.Gap-int64(f.c.MaxGap))
}

func (f *reference) deliver(s *referenceSeries, name string, sample assemble.Sample) {
	sample.Series, sample.Place, sample.Spacing = &stream.Series{Name: name, Variables: s.names}, s.place, f.spacingOf(s)
	if f.c.Tags != nil {
		sample.Series.Tags = f.c.Tags(name)
	}
	f.log.sample(&sample, f.inputsAt(name, sample.Time, sample.Spacing, scriptHorizon))
}

func (f *reference) spacing() assemble.Spacing {
	if f.c.Months > 0 {
		return assemble.Spacing(-f.c.Months)
	}
	return assemble.Spacing(f.c.Interval)
}

// spacingOf is the spacing of Config, or the lower median of the last 31 steps: in months if each is
// a whole number of them, and of days of work if none of eleven or more is on two days of a week.
func (f *reference) spacingOf(s *referenceSeries) assemble.Spacing {
	if fixed := f.spacing(); fixed != 0 {
		return fixed
	}
	last := s.steps[max(0, len(s.steps)-31):]
	if len(last) == 0 {
		return 0
	}
	const day = 24 * time.Hour
	var lengths, months []int64
	on := make([]bool, 7) // days of the week
	at := s.time
	on[time.Unix(0, at).UTC().Weekday()] = true
	for i := len(last) - 1; i >= 0; i-- {
		from, to := last[i][0], last[i][1]
		lengths = append(lengths, to-from)
		at -= to - from
		on[time.Unix(0, at).UTC().Weekday()] = true
		for n := 1; n <= 120 && to-from >= int64(28*day); n++ {
			if assemble.Spacing(-n).After(from, 1) == to {
				months = append(months, int64(n))
				break
			}
		}
	}
	slices.Sort(lengths)
	slices.Sort(months)
	middle := (len(last) - 1) / 2
	if len(months) == len(last) {
		return assemble.Spacing(-months[middle])
	}
	if lengths[middle] == int64(day) && len(last) >= 11 {
		for d := range on {
			if slices.Equal(append(slices.Clone(on[d+1:]), on[:d+1]...), []bool{false, false, true, true, true, true, true}) {
				return assemble.Spacing(math.MinInt64) + assemble.Spacing(d)
			}
		}
	}
	return assemble.Spacing(lengths[middle])
}

// count counts the events.
func (f *reference) count(said map[string]int) {
	for _, line := range f.log.lines {
		for what, pattern := range marks {
			if pattern.MatchString(line) {
				said[what]++
			}
		}
		if why := line[strings.LastIndex(line, " ")+1:]; strings.HasPrefix(line, "refused") {
			said[why]++
		}
	}
}

var marks = map[string]*regexp.Regexp{
	"gaps": regexp.MustCompile(`, gap [1-9]`), "breaks": regexp.MustCompile(`, break [1-9]`), "wrong clocks": regexp.MustCompile(`, wrong -?[1-9]`),
	"missing": regexp.MustCompile(`missing true`), "schemas": regexp.MustCompile(`^sample 0 `),
}
