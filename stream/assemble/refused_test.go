package assemble_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/refuse"
)

// details has the refusals of an Assembler.
type details []string

func (d *details) Sample(*assemble.Sample) error { return nil }

func (d *details) Refuse(_ *stream.Message, err *refuse.Error) { *d = append(*d, err.Error()) }

// TestRefusals: the last record of each list is refused, and the text names the mistake and the allowed values.
func TestRefusals(t *testing.T) {
	const s = int64(time.Second)
	nan := math.NaN()
	of := func(series string, at int64, names []string, values ...float64) stream.Record {
		return stream.Record{Message: &stream.Message{}, Series: series, Time: at, Names: names, Values: values}
	}
	x, xy := []string{"x"}, []string{"x", "y"}
	first, second := of("a", s, xy, 1, 2), of("a", 2*s, xy, 1, 2)
	early := of("a", 100*s+1, xy, 1, 2)
	early.Message.Time = 90 * s
	limits := assemble.Config{MaxSeries: 1, MaxDim: 2, MaxName: 4, MaxAbs: 10, MaxAhead: 10 * time.Second}
	fixed := limits
	fixed.Variables = xy
	inputs := limits
	inputs.Exogenous = []string{"u"}
	grid := limits
	grid.Interval, grid.Assembly = time.Second, &assemble.Assembly{}
	late := grid
	late.Assembly = &assemble.Assembly{WaitForLate: true}
	fixedGrid := grid
	fixedGrid.Variables = xy
	type records = []stream.Record
	for _, c := range []struct {
		config  assemble.Config
		records records
		want    string
	}{
		{limits, records{first, of("b", s, xy, 1, 2)}, `too_many: series "b" would be one more than the 1 allowed`},
		{limits, records{of("a", s, nil)}, "dimension: no values"},
		{limits, records{of("a", s, nil, 1, 2, 3)}, "too_large: 3 values, at most 2 are allowed"},
		{limits, records{of("a", s, []string{"x", "x"}, 1, 2)}, "malformed: two variables of one name"},
		{limits, records{of("a", s, []string{"x", ""}, 1, 2)}, "malformed: a variable without a name"},
		{limits, records{of("a", s, []string{"x", "_all"}, 1, 2)}, "malformed: no variable can have the name _all"},
		{limits, records{of("a", s, []string{"x", "loong"}, 1, 2)}, "too_large: the name of a variable has 5 bytes, at most 4 are allowed; shorten it"},
		{limits, records{of("", s, xy, 1, 2)}, "malformed: no name of the series"},
		{limits, records{of("_all of x", s, xy, 1, 2)}, `malformed: no series can have the name "_all of x"`},
		{limits, records{of("loong", s, xy, 1, 2)}, "too_large: the name of the series has 5 bytes, at most 4 are allowed; shorten it"},
		{limits, records{early}, "future: the sample is 10.000000001s ahead of its message, at most 10s are allowed"},
		{limits, records{of("a", math.MinInt64+1, xy, 1, 2), second}, `future: the sample is centuries after the last of series "a"`},
		{limits, records{second, second}, `duplicate: the last sample of series "a" has the same time`},
		{limits, records{second, of("a", s/2, xy, 1, 2)}, `late: the sample is 1.5s older than the last of series "a"`},
		{limits, records{of("a", math.MaxInt64, xy, 1, 2), of("a", -1, xy, 1, 2)}, `late: the sample is 2562047h47m16.854775807s older than the last of series "a"`},
		{limits, records{first, of("a", 2*s, xy, 1, -10.5)}, "non_finite: y = -10.5, at most 10 is allowed"},
		{limits, records{of("a", 2*s, xy, nan, math.Inf(1))}, "non_finite: y = +Inf, at most 10 is allowed"},
		{limits, records{first, of("a", 2*s, nil, 1)}, "dimension: 1 value where 2 were expected"},
		{limits, records{first, of("a", 2*s, []string{"x", "z"}, 1, 2)}, `dimension: the variable "z" is not one of the 2 expected`},
		{fixed, records{of("a", s, []string{"z", "w"}, 1, 2)}, `dimension: the record has "z" and none of the 2 variables expected, such as "x"`},
		{fixed, records{of("a", s, nil, 1, 2, 3)}, "dimension: 3 values where 2 were expected"},
		{inputs, records{of("a", s, []string{"u"}, 11)}, "non_finite: u = 11, at most 10 is allowed"},
		{inputs, records{of("", s, []string{"u"}, 1)}, "malformed: no name of the series"},
		{inputs, records{of("a", s, []string{"u"}, 1), of("b", s, []string{"u"}, 1)}, `too_many: series "b" would be one more than the 1 allowed`},
		{grid, records{of("a", math.MaxInt64-1, x, 1)}, `malformed: the time of series "a" is centuries away`},
		{grid, records{of("a", math.MinInt64+1, x, 1)}, `malformed: the time of series "a" is centuries away`},
		{grid, records{first, of("b", s, xy, 1, 2)}, `too_many: series "b" would be one more than the 1 allowed`},
		{grid, records{of("a", s, nil)}, "dimension: no values"},
		{grid, records{of("a", s, nil, 1, 2, 3)}, "too_large: 3 values, at most 2 are allowed"},
		{grid, records{first, of("a", s, []string{"z"}, 1)}, `too_large: series "a" would have 3 variables, at most 2 are allowed`},
		{grid, records{of("a", s, xy, 1, 10.5)}, "non_finite: y = 10.5, at most 10 is allowed"},
		{grid, records{of("a", s, []string{"loong"}, 1)}, "too_large: the name of a variable has 5 bytes, at most 4 are allowed; shorten it"},
		{fixedGrid, records{of("a", s, nil, 1)}, "dimension: 1 value where 2 were expected"},
		{
			grid, records{of("a", s, x, 1), of("a", 4*s, x, 1), of("a", 5*s, x, 1), of("a", 3*s, x, 1)},
			`late: the row of series "a" at 1970-01-01T00:00:03Z, or a later one, was closed; a row that does not wait for late values closes when it is complete`,
		},
		{late, records{of("a", s, x, 1), of("a", 4*s, x, 1), of("a", s, x, 1)}, `late: the row of series "a" at 1970-01-01T00:00:01Z, or a later one, was closed`},
	} {
		a, err := assemble.New(c.config)
		if err != nil {
			t.Fatal(err)
		}
		var got details
		for i := range c.records {
			if err := a.Add(&got, &c.records[i]); err != nil {
				t.Fatal(err)
			}
		}
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%q, want %s", got, c.want)
		}
	}
}

// spacings has the spacings in the refusals of an Assembler.
type spacings []int64

func (s *spacings) Sample(*assemble.Sample) error { return nil }

func (s *spacings) Refuse(_ *stream.Message, err *refuse.Error) { *s = append(*s, err.Spacing) }

// TestDuplicatesHaveTheSpacing: each time comes twice, and the second one is refused with the spacing of the times before:
// a step of a fixed length, calendar months, or a day for days without weekends.
func TestDuplicatesHaveTheSpacing(t *testing.T) {
	const day = int64(24 * time.Hour)
	for name, c := range map[string]struct {
		time func(i int) time.Time
		want int64
	}{
		"minutes":  {func(i int) time.Time { return time.Unix(int64(60*i), 0) }, int64(time.Minute)},
		"months":   {func(i int) time.Time { return time.Date(2026, time.Month(i), 1, 0, 0, 0, 0, time.UTC) }, -1},
		"workdays": {func(i int) time.Time { return time.Date(2026, 1, 5+i/5*7+i%5, 0, 0, 0, 0, time.UTC) }, day}, // from a Monday
	} {
		a, err := assemble.New(assemble.Config{MaxSeries: 1, MaxDim: 1, MaxName: 4, MaxAbs: 10})
		if err != nil {
			t.Fatal(err)
		}
		var got spacings
		for i := range 60 {
			if err := a.Add(&got, &stream.Record{Message: &stream.Message{}, Series: "a", Time: c.time(i / 2).UnixNano(), Values: []float64{1}}); err != nil {
				t.Fatal(err)
			}
		}
		if len(got) != 30 || got[0] != 0 || got[1] != c.want || got[29] != c.want {
			t.Errorf("%s: %d, want 0 and then %d", name, got, c.want)
		}
	}
}

// TestRowsOfAWrongClock: the rows that a wrong clock has left open are refused one by one, the latest first.
func TestRowsOfAWrongClock(t *testing.T) {
	a, err := assemble.New(assemble.Config{Interval: time.Second, Assembly: &assemble.Assembly{Wait: time.Minute, WaitForLate: true}})
	if err != nil {
		t.Fatal(err)
	}
	var got details
	for i := range int64(12) {
		at := 1000 + i%2
		if i > 1 {
			at = i
		}
		r := stream.Record{Message: &stream.Message{}, Series: "a", Time: at * int64(time.Second), Names: []string{"x"}, Values: []float64{1}}
		if err := a.Add(&got, &r); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		`future: the row of series "a" at 1970-01-01T00:16:41Z lies ahead of all that followed it`,
		`future: the row of series "a" at 1970-01-01T00:16:40Z lies ahead of all that followed it`,
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestInputTimesAreBounded: exogenous inputs are kept for ten thousand times ahead, and a sample makes room.
func TestInputTimesAreBounded(t *testing.T) {
	a, err := assemble.New(assemble.Config{Exogenous: []string{"u"}})
	if err != nil {
		t.Fatal(err)
	}
	var got details
	give := func(at int64, name string) {
		r := stream.Record{Message: &stream.Message{}, Series: "a", Time: at, Names: []string{name}, Values: []float64{1}}
		if err := a.Add(&got, &r); err != nil {
			t.Fatal(err)
		}
	}
	for at := range int64(10_001) {
		give(at, "u")
	}
	give(5, "u") // a known time
	if len(got) != 1 || got[0] != `too_many: series "a" has exogenous inputs for 10000 times, more are not kept` {
		t.Errorf("%q", got)
	}
	give(1, "x")
	if give(10_001, "u"); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// stopper fails at the n-th sample.
type stopper struct {
	details
	n int
}

var errStop = errors.New("stop")

func (s *stopper) Sample(*assemble.Sample) error {
	if s.n--; s.n == 0 {
		return errStop
	}
	return nil
}

// TestReceiverStops: an error of the receiver is returned, for a filled gap, a filled row and a sample that has
// arrived.
func TestReceiverStops(t *testing.T) {
	for _, c := range []assemble.Config{
		{Interval: time.Second, MaxGap: 3},
		{Interval: time.Second, MaxGap: 3, Assembly: &assemble.Assembly{Fill: assemble.FillLast}},
	} {
		for n := 1; n <= 5; n++ {
			a, err := assemble.New(c)
			if err != nil {
				t.Fatal(err)
			}
			to := &stopper{n: n}
			for _, at := range []int64{0, 4, 6} {
				r := stream.Record{Message: &stream.Message{}, Series: "a", Time: at * int64(time.Second), Names: []string{"x"}, Values: []float64{1}}
				if err = a.Add(to, &r); err != nil {
					break
				}
			}
			if !errors.Is(err, errStop) || to.n != 0 {
				t.Errorf("%+v, sample %d: %v", c, n, err)
			}
		}
	}
	defer func() {
		if s, _ := recover().(string); !strings.Contains(s, "not as many names as values") {
			t.Errorf("a record with other names than values: %q", s)
		}
	}()
	a, _ := assemble.New(assemble.Config{})
	_ = a.Add(new(details), &stream.Record{Message: &stream.Message{}, Series: "a", Names: []string{"x"}})
}
