package config

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAlarmsPerDay: a budget is a number and a period. The error for any other text quotes the text.
func TestAlarmsPerDay(t *testing.T) {
	for text, want := range map[string]float64{
		"": 0, "2 per hour": 48, "3 per day": 3, "1 per week": 1. / 7, "1000000 per day": 1e6, " 0.5 per  month": 6 / 365.25, "1 per year": 1 / 365.25,
	} {
		a := Anomaly{Alarms: text}
		if got, err := a.AlarmsPerDay(); err != nil || math.Abs(got-want) > 1e-12*want { // a few roundings
			t.Errorf("%q: %v, error %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"1", "per day", "1 per decade", "0 per day", "-1 per day", "NaN per day", "1000001 per day", "one per day"} {
		a := Anomaly{Alarms: text}
		if got, err := a.AlarmsPerDay(); err == nil || got != 0 || !strings.Contains(err.Error(), `got "`+text+`"`) {
			t.Errorf("%q: %v, error %v", text, got, err)
		}
	}
}

func TestParseAnomalyRule(t *testing.T) {
	for text, want := range map[string]AnomalyRule{
		"cpu above":            {Variable: "cpu", Direction: 1},
		"cpu below":            {Variable: "cpu", Direction: -1},
		"* 0":                  {Variable: "*"},
		"cpu 2.5 10%":          {Variable: "cpu", MinDeviation: 2.5, MinRelative: .1},
		`"cpu (%)" above`:      {Variable: "cpu (%)", Direction: 1},
		"'cpu usage'\t5%":      {Variable: "cpu usage", MinRelative: .05},
		"  cpu above  5% 1e-3": {Variable: "cpu", Direction: 1, MinDeviation: 1e-3, MinRelative: .05},
	} {
		if got, err := ParseAnomalyRule(text); err != nil || got != want {
			t.Errorf("%q: %+v, error %v, want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "must be VARIABLE with at least one of", "cpu": "must be VARIABLE with at least one of", "cpu over": `"over" in "cpu over" is none of`,
		"cpu -1": `"-1" in`, "cpu Inf": `"Inf" in`, "cpu NaN%": `"NaN%" in`, "cpu 1 x%": `"x%" in`,
		"cpu (%) above": `put a name with blanks in quotes`, `"cpu (%)"`: "must be VARIABLE", `"cpu (%) above`: "put a name with blanks in quotes",
	} {
		if got, err := ParseAnomalyRule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, error %v, want %q", text, got, err, want)
		}
	}
}

// The own bound of a variable has precedence over "*", in any order.
func TestBoundOf(t *testing.T) {
	cpu, others := Bound{"cpu", 0, 100}, Bound{"*", -1, 1}
	for _, list := range [][]Bound{{cpu, others}, {others, cpu}} {
		if a, b := BoundOf(list, "cpu"), BoundOf(list, "mem"); a != cpu || b != others {
			t.Errorf("%v: %v and %v", list, a, b)
		}
	}
	if got := BoundOf([]Bound{cpu}, "mem"); got != (Bound{"mem", math.Inf(-1), math.Inf(1)}) {
		t.Errorf("without a bound: %v", got)
	}
	m := Model{Limits: []string{"cpu >= 5 <= 90", "mem <= 1"}}
	if list, err := m.Thresholds(); err != nil || !slices.Equal(list, []Bound{{"cpu", 5, 90}, {"mem", math.Inf(-1), 1}}) {
		t.Errorf("limits %v, error %v", list, err)
	}
	for want, list := range map[string][]string{`"mem" has several limits`: {"cpu <= 1", "mem <= 1", "mem >= 0"}, "element 1 must be VARIABLE": {"cpu <= 1", "mem"}, `element 0 has a quote in the name "*"`: {`"*" <= 90`}} {
		m.Limits, m.Bounds = list, list
		if _, err := m.Thresholds(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("limits %q: %v", list, err)
		}
		if _, err := m.Ranges(); err == nil || !strings.Contains(err.Error(), strings.Replace(want, "limits", "bounds", 1)) {
			t.Errorf("bounds %q: %v", list, err)
		}
	}
}

func TestMissingNumbers(t *testing.T) {
	for text, want := range map[string][]float64{"": nil, "none": nil, "-999": {-999}, "-999 1e20": {-999, 1e20}} {
		p := Pipeline{Missing: strings.Fields(text)}
		if got, err := p.MissingNumbers(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, error %v", text, got, err)
		}
	}
	for text, bad := range map[string]string{"-999 none": "none", "x": "x", "NaN": "NaN", "1 Inf": "Inf"} {
		p := Pipeline{Missing: strings.Fields(text)}
		if got, err := p.MissingNumbers(); err == nil || !strings.HasSuffix(err.Error(), `got "`+bad+`"`) {
			t.Errorf("%q: %v, error %v", text, got, err)
		}
	}
}

// For the first days of any two months in four years, leap years included, NearMonths and SpacingText give the number
// of months. A number of days outside of the tolerance gives 0.
func TestSpacingText(t *testing.T) {
	for first := range 48 {
		for n := 1; n <= 12; n++ {
			begin := time.Date(2023, time.Month(1+first), 1, 0, 0, 0, 0, time.UTC)
			d := begin.AddDate(0, n, 0).Sub(begin)
			if got := NearMonths(d); got != n {
				t.Fatalf("%v after %v: %d months, want %d", d, begin, got, n)
			}
		}
	}
	for d, want := range map[time.Duration]string{
		time.Hour: "1h", 90 * time.Second: "1m30s", day: "1 day", 7 * day: "7 days", 27 * day: "27 days", 28 * day: "1 month", 31 * day: "1 month",
		32 * day: "32 days", 365 * day: "12 months", 30*day + time.Hour: "721h", 400 * day: "400 days", 0: "0s", -day: "-24h",
	} {
		if got := SpacingText(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
