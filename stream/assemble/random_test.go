package assemble_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval/calendar"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/refuse"
)

// scriptHorizon is the number of samples ahead whose inputs are compared.
const scriptHorizon = 2

// transcript writes down what an Assembler says, a line each.
type transcript struct {
	t      *testing.T
	inputs int
	a      *assemble.Assembler // nil: of the reference
	lines  []string
}

func (l *transcript) sample(s *assemble.Sample, u []float64) {
	l.lines = append(l.lines, fmt.Sprintf("sample %d of %s %v %v, %d, at %d: %.9g, missing %t, gap %d, break %d, wrong %d, spacing %d, inputs %.9g",
		s.Row, s.Series.Name, s.Series.Tags, s.Series.Variables, s.Place, s.Time, s.Y, s.Missing, s.Gap, s.Break, s.Wrong, s.Spacing, u))
}

func (l *transcript) refuse(m *stream.Message, why refuse.Reason) {
	l.lines = append(l.lines, fmt.Sprintf("refused %s, %s %s: %s", m.Origin(), m.Key, m.Value, why))
}

func (l *transcript) Sample(s *assemble.Sample) error {
	if l.a.SeriesAt(s.Place) != s.Series {
		l.t.Errorf("the series at place %d is another one than %s", s.Place, s.Series.Name)
	}
	u := make([]float64, (scriptHorizon+1)*l.inputs)
	l.a.InputsTo(u, s, scriptHorizon)
	l.sample(s, u)
	return nil
}

func (l *transcript) Refuse(m *stream.Message, err *refuse.Error) { l.refuse(m, err.Reason) }

// randomScript makes a configuration and records for it.
type randomScript struct {
	*rand.Rand
	c     assemble.Config
	begin int64
	step  int64   // between samples, as a rule
	free  bool    // there is none at weekends
	jumps float64 // how often a clock goes wrong
	leaps float64 // how often nothing comes for long
	names []string
	clock map[string]int64
	sums  map[string]float64
	list  map[string][]string // variables of a series
	wrong map[string]int64    // how far a clock is wrong
}

func (r *randomScript) chance(p float64) bool { return r.Float64() < p }

func newScript(seed uint64) *randomScript {
	r := &randomScript{
		Rand: rand.New(rand.NewPCG(seed, 1)), clock: make(map[string]int64), sums: make(map[string]float64),
		list: make(map[string][]string), wrong: make(map[string]int64), names: []string{"a", "b", "c"},
	}
	r.step = []int64{7, 8, int64(10 * time.Second), int64(time.Hour), int64(24 * time.Hour)}[r.IntN(5)]
	r.jumps, r.leaps = []float64{.01, .01, .3}[r.IntN(3)], []float64{0, 0, 0, .6}[r.IntN(4)]
	r.begin = []int64{-3 * r.step / 2, 0, time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).UnixNano()}[r.IntN(3)]
	r.c = assemble.Config{
		MaxGap: r.IntN(4), SchemaChangeAfter: r.IntN(4), MaxSeries: 3, MaxDim: 3, MaxName: 6, MaxAbs: 1000,
		Tags: func(series string) []stream.Tag { return []stream.Tag{{Key: "id", Value: series}} },
	}
	switch r.IntN(8) {
	case 0:
		r.c.Interval = time.Duration(r.step)
	case 1:
		r.step, r.free = int64(24*time.Hour), true
	case 2, 3:
		r.step = int64(24 * time.Hour * 365 / 12)
		if r.chance(.5) {
			r.c.Months = 1 + r.IntN(3)
		}
	case 4:
	default:
		r.c.Interval = time.Duration(r.step)
		r.c.Assembly = &assemble.Assembly{
			Wait:        time.Duration(r.step * r.Int64N(7) / 2),
			WaitForLate: r.chance(.5),
			Fill:        []assemble.Fill{assemble.FillNone, assemble.FillLast}[r.IntN(2)],
			Rates:       r.chance(.3),
		}
		if a := r.c.Assembly; a.WaitForLate && !a.Rates && r.chance(.5) {
			a.Aggregate = assemble.AggregateMean
		}
	}
	if r.chance(.3) {
		r.c.Variables = []string{"x", "n"}
	}
	if r.chance(.4) && (r.c.Assembly == nil || r.c.Assembly.Aggregate != assemble.AggregateMean) {
		r.c.Rates = []string{"n"}
	}
	if r.chance(.4) {
		r.c.Missing = []float64{-999, 7}
	}
	if r.chance(.3) {
		r.c.MaxAhead = time.Duration(20 * r.step)
	}
	if r.chance(.4) && (r.c.Assembly == nil || !r.c.Assembly.Rates) {
		r.c.Exogenous = []string{"u", "v"}
		if r.chance(.5) {
			r.c.Calendar, _ = calendar.New([]string{"hour"}, "")
		}
	}
	return r
}

// next makes a record: as a rule the next of a series that goes on, at times with every mistake.
func (r *randomScript) next(offset int64) *stream.Record {
	name := r.names[r.IntN(len(r.names))]
	if r.chance(.02) {
		name = []string{"", "_all", "_all x", "a name", "a long name", "d"}[r.IntN(6)]
	}
	if _, ok := r.clock[name]; !ok {
		r.clock[name], r.list[name] = r.begin, []string{"x", "n"}
	}
	m := &stream.Message{Topic: "in", Partition: 1, Offset: offset, Key: []byte("k"), Value: []byte("v")}
	rec := &stream.Record{Message: m, Series: name, Time: r.time(name)}
	if r.chance(.5) {
		m.Time = rec.Time - r.Int64N(30)*r.step
	}
	if r.chance(.02) {
		r.list[name] = [][]string{{"x", "n"}, {"n", "x"}, {"x", "n", "z"}, {"x"}, {"y", "z"}, {"x", "n", "y", "z"}, {"x", "a long name"}, {"", "x"}, {"_all"}, {"p", "p"}, {}}[r.IntN(11)]
	}
	rec.Names = slices.Clone(r.list[name])
	if r.c.Assembly != nil {
		if slices.Equal(rec.Names, []string{"p", "p"}) {
			rec.Names = nil
		}
		r.Shuffle(len(rec.Names), func(i, j int) { rec.Names[i], rec.Names[j] = rec.Names[j], rec.Names[i] })
		rec.Names = rec.Names[:min(len(rec.Names), 1+r.IntN(2))]
	}
	if len(r.c.Exogenous) > 0 && r.chance(.5) {
		inputs := r.c.Exogenous[:1+r.IntN(2)]
		rec.Names = append(rec.Names, inputs...)
		if r.chance(.4) {
			rec.Names = inputs
			rec.Time += r.Int64N(5) * r.step / 2
		}
		rec.Ahead = r.chance(.1)
	}
	for _, v := range rec.Names {
		value := r.value(name, v)
		if r.c.Assembly != nil && r.c.Assembly.Aggregate == assemble.AggregateMean {
			value = (math.Trunc(value) + 0) * 27720 / 16384 // the mean of at most twelve of them is exact
		}
		rec.Values = append(rec.Values, value)
		since := int64(0)
		if v == "n" && r.c.Assembly != nil {
			since = []int64{1, 1, rec.Time - r.step/2, rec.Time - 3*r.step}[r.IntN(4)]
		}
		rec.Since = append(rec.Since, since)
	}
	if r.c.Assembly == nil || !r.c.Assembly.Rates {
		rec.Since = nil
		if r.chance(.05) {
			rec.Names = nil
		}
	}
	return rec
}

// time returns the time of the next record of a series. A clock may be wrong for a while.
func (r *randomScript) time(name string) int64 {
	switch {
	case r.wrong[name] != 0 && r.chance(.2):
		r.wrong[name] = 0
	case r.chance(r.jumps):
		r.wrong[name] = r.step * (10 + r.Int64N(1000)) * (2*r.Int64N(2) - 1)
	}
	switch at := r.clock[name] + r.wrong[name]; {
	case r.chance(.03):
		return at // again
	case r.chance(.05):
		return at - r.Int64N(4*r.step)
	}
	n := int64(1)
	if r.chance(.05) {
		n += r.Int64N(12)
	}
	if r.step <= int64(24*time.Hour) && r.chance(r.leaps) { // else beyond the end of time
		n += 10 + r.Int64N(400)
	}
	if r.c.Assembly != nil && r.chance(.6) {
		n = 0 // a part of the same row
	}
	switch every := r.c.Months; {
	case r.step > int64(24*time.Hour):
		at := time.Unix(0, r.clock[name]).UTC()
		r.clock[name] = at.AddDate(0, max(every, 1)*int(n), 0).UnixNano()
		if at.Day() != time.Unix(0, r.clock[name]).UTC().Day() { // no month before has the day
			r.clock[name] = at.UnixNano() + r.step
		}
	default:
		r.clock[name] += n * r.step
		for r.free && time.Unix(0, r.clock[name]).UTC().Weekday()%6 == 0 {
			r.clock[name] += r.step
		}
	}
	at := r.clock[name] + r.wrong[name]
	if r.c.Interval > 0 || r.c.Months > 0 && r.chance(.3) || r.chance(.002) {
		at += r.Int64N(r.step/2+1) - r.step/4
	}
	return at
}

func (r *randomScript) value(series, name string) float64 {
	switch {
	case r.chance(.08):
		return math.NaN()
	case r.chance(.03):
		return []float64{-999, 7, 1000, -1000.5, math.Inf(1)}[r.IntN(5)]
	case name == "n":
		if r.sums[series] += float64(r.IntN(5)); r.chance(.05) || r.sums[series] > 800 {
			r.sums[series] = 0
		}
		return r.sums[series]
	}
	return float64(r.IntN(2000)-1000) / 4
}

// TestRandomScripts: for random records an Assembler gives the same results as the reference, also after its state,
// or changes to it, were read again.
func TestRandomScripts(t *testing.T) {
	said := make(map[string]int)
	for seed := range uint64(150) {
		compareScript(t, seed, said)
		if t.Failed() {
			return
		}
	}
	for _, what := range []string{"gaps", "breaks", "wrong clocks", "missing", "schemas", string(refuse.Late), string(refuse.Duplicate), string(refuse.Future),
		string(refuse.Dimension), string(refuse.NonFinite), string(refuse.TooLarge), string(refuse.TooMany), string(refuse.Memory), string(refuse.Malformed)} {
		if said[what] < 50 {
			t.Errorf("the scripts have %d %s only", said[what], what)
		}
	}
}

func compareScript(t *testing.T, seed uint64, said map[string]int) {
	script := newScript(seed)
	afford := func(place, dim int) *refuse.Error {
		if place == 1 && dim == 2 || place == -1 && dim == 1 {
			return refuse.New(refuse.Memory, "no")
		}
		return nil
	}
	want, got := &transcript{t: t}, &transcript{t: t, inputs: script.c.Inputs()}
	reference := newReference(script.c, want, afford)
	fresh := func() *assemble.Assembler {
		a, err := assemble.New(script.c)
		if err != nil {
			t.Fatalf("script %d: %v", seed, err)
		}
		a.Afford = afford
		return a
	}
	a := fresh()
	var states [][]byte // the whole, then changes
	for offset := range int64(600) {
		rec := script.next(offset)
		from := len(want.lines)
		reference.add(rec)
		got.a = a
		given := *rec
		given.Values = slices.Clone(rec.Values)
		if err := a.Add(got, &given); err != nil {
			t.Fatal(err)
		}
		const last = 599
		if offset == last {
			reference.close()
			if err := a.Close(got); err != nil {
				t.Fatal(err)
			}
		}
		for i := from; i < max(len(want.lines), len(got.lines)); i++ {
			if i >= len(want.lines) || i >= len(got.lines) || want.lines[i] != got.lines[i] {
				t.Fatalf("script %d, %+v, record %d: %s %v at %d %v %v\ngot  %q\nwant %q", seed, script.c, offset, rec.Series, rec.Names, rec.Time, rec.Values, rec.Since, got.lines[from:], want.lines[from:])
			}
		}
		if offset == last || !script.chance(.05) {
			continue
		}
		whole := len(states) == 0 || script.chance(.2)
		if whole {
			states = nil
		}
		c := snapshot.NewEncoder(nil)
		a.State(c, whole)
		states = append(states, slices.Clone(c.Bytes()))
		a.Saved()
		if script.chance(.5) {
			a = restored(t, fresh(), states)
		}
	}
	reference.count(said)
}

func restored(t *testing.T, a *assemble.Assembler, states [][]byte) *assemble.Assembler {
	for i, b := range states {
		c := snapshot.NewDecoder(b)
		a.State(c, i == 0)
		if err := c.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	a.Saved()
	return a
}
