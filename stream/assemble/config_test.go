package assemble_test

import (
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream/assemble"
)

// TestConfigBounds: each setting is accepted up to its bound, and beyond it an error names the setting.
func TestConfigBounds(t *testing.T) {
	const tenYears = 10 * 365 * 24 * time.Hour
	type config = assemble.Config
	with := func(a assemble.Assembly, c config) config {
		if c.Interval == 0 {
			c.Interval = time.Second
		}
		c.Assembly = &a
		return c
	}
	long := strings.Repeat("n", 256)
	many := assemble.Numbered(1025)
	for _, c := range []struct {
		good, bad config
		want      string
	}{
		{config{MaxGap: 0}, config{MaxGap: -1}, "MaxGap must be >= 0, got -1"},
		{config{SchemaChangeAfter: 0}, config{SchemaChangeAfter: -1}, "SchemaChangeAfter must be >= 0, got -1"},
		{config{MaxSeries: 1}, config{MaxSeries: -1}, "MaxSeries must be >= 0, got -1"},
		{config{MaxDim: 1}, config{MaxDim: -1}, "MaxDim must be >= 0, got -1"},
		{config{MaxName: 1}, config{MaxName: -1}, "MaxName must be >= 0, got -1"},
		{config{MaxAbs: 1}, config{MaxAbs: -1}, "MaxAbs must be >= 0, got -1"},
		{config{MaxAhead: 0}, config{MaxAhead: -1}, "MaxAhead must be >= 0, got -1ns"},
		{config{Interval: 1}, config{Interval: -1}, "Interval must be >= 0, got -1ns"},
		{config{Months: 120}, config{Months: 121}, "Months must lie in [0, 120], without an Interval, got 121"},
		{config{Months: 0, Interval: 1}, config{Months: -1}, "Months must lie in [0, 120], without an Interval, got -1"},
		{config{Months: 1}, config{Months: 1, Interval: 1}, "Months must lie in [0, 120], without an Interval, got 1"},
		{
			with(assemble.Assembly{}, config{Interval: tenYears}), with(assemble.Assembly{}, config{Interval: tenYears + 1}),
			"an Assembly needs an Interval of at most ten years, got 87600h0m0.000000001s",
		},
		{
			with(assemble.Assembly{}, config{Interval: 1}), config{Assembly: &assemble.Assembly{}},
			"an Assembly needs an Interval of at most ten years, got 0s",
		},
		{
			with(assemble.Assembly{Wait: tenYears}, config{Interval: tenYears}), with(assemble.Assembly{Wait: tenYears + 1}, config{Interval: tenYears}),
			"Assembly.Wait must be >= 0 and at most 10000 times Interval",
		},
		{
			with(assemble.Assembly{Wait: 10_001*time.Second - 1}, config{}), with(assemble.Assembly{Wait: 10_001 * time.Second}, config{}),
			"Assembly.Wait must be >= 0 and at most 10000 times Interval, got 2h46m41s and 1s",
		},
		{with(assemble.Assembly{Wait: 0}, config{}), with(assemble.Assembly{Wait: -1}, config{}), "Assembly.Wait must be >= 0"},
		{
			with(assemble.Assembly{Aggregate: assemble.AggregateMean, WaitForLate: true}, config{}), with(assemble.Assembly{Aggregate: assemble.AggregateMean}, config{}),
			`Assembly.Aggregate must be "latest", or "mean" with WaitForLate, got "mean"`,
		},
		{with(assemble.Assembly{Aggregate: assemble.AggregateLatest}, config{}), with(assemble.Assembly{Aggregate: "sum", WaitForLate: true}, config{}), `got "sum"`},
		{
			with(assemble.Assembly{}, config{Rates: []string{"n"}}),
			with(assemble.Assembly{Aggregate: assemble.AggregateMean, WaitForLate: true}, config{Rates: []string{"n"}}), `Rates excludes "mean"`,
		},
		{
			with(assemble.Assembly{Rates: true}, config{}), with(assemble.Assembly{Rates: true, Aggregate: assemble.AggregateMean, WaitForLate: true}, config{}),
			`Assembly.Rates excludes "mean" and Exogenous`,
		},
		{
			with(assemble.Assembly{}, config{Exogenous: []string{"u"}}), with(assemble.Assembly{Rates: true}, config{Exogenous: []string{"u"}}),
			`Assembly.Rates excludes "mean" and Exogenous`,
		},
		{with(assemble.Assembly{Fill: assemble.FillLast}, config{}), with(assemble.Assembly{Fill: "zero"}, config{}), `Assembly.Fill must be "none" or "last", got "zero"`},
		{config{Variables: many[:1024]}, config{Variables: many}, "at most 1024 Variables are allowed, got 1025"},
		{config{Variables: many[:2], MaxDim: 2}, config{Variables: many[:3], MaxDim: 2}, "at most 2 Variables are allowed, got 3"},
		{config{Exogenous: many[:1024]}, config{Exogenous: many}, "at most 1024 Exogenous are allowed, got 1025"},
		{config{Variables: []string{long}}, config{Variables: []string{long + "n"}}, "each of Variables must have a name of at most 256 bytes that is not _all, got \"nnn"},
		{config{}, config{Variables: []string{"x", ""}}, `of at most 256 bytes that is not _all, got ""`},
		{config{}, config{Variables: []string{"x", "_all"}}, `of at most 256 bytes that is not _all, got "_all"`},
		{config{Variables: []string{"x", "y"}}, config{Variables: []string{"x", "y", "x"}}, `Variables has "x" twice`},
		{config{Exogenous: []string{"u", "v"}}, config{Exogenous: []string{"u", "v", "u"}}, `Exogenous must have different names that no variable has, got "u"`},
		{config{}, config{Exogenous: []string{""}}, `Exogenous must have different names that no variable has, got ""`},
		{
			config{Exogenous: []string{"u"}, Variables: []string{"x"}}, config{Exogenous: []string{"u"}, Variables: []string{"x", "u"}},
			`Exogenous must have different names that no variable has, got "u"`,
		},
		{config{Exogenous: []string{"u"}, Rates: []string{"n"}}, config{Exogenous: []string{"u"}, Rates: []string{"n", "u"}}, `Rates has "u", which is one of Exogenous`},
	} {
		if a, err := assemble.New(c.good); err != nil || a == nil {
			t.Errorf("%+v: %v", c.good, err)
		}
		switch a, err := assemble.New(c.bad); {
		case err == nil || a != nil:
			t.Errorf("%+v: no error", c.bad)
		default:
			if first, _, _ := strings.Cut(err.Error(), "\n"); !strings.Contains(first, c.want) {
				t.Errorf("%+v: %v, want %s", c.bad, err, c.want)
			}
		}
	}
}

// TestConfigDefaults: zeros become the defaults, and the copy shares nothing.
func TestConfigDefaults(t *testing.T) {
	given := assemble.Config{Variables: []string{"x"}, Exogenous: []string{"u"}, Interval: time.Second, Assembly: &assemble.Assembly{}}
	c, err := given.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	if c.MaxSeries != 100_000 || c.MaxDim != 1024 || c.MaxName != 256 || c.MaxAbs != 1e50 {
		t.Errorf("the limits are %d series, %d variables, names of %d bytes, values of %g", c.MaxSeries, c.MaxDim, c.MaxName, c.MaxAbs)
	}
	if a := c.Assembly; a.Fill != assemble.FillNone || a.Aggregate != assemble.AggregateLatest {
		t.Errorf("the assembly is %+v", a)
	}
	c.Variables[0], c.Exogenous[0], c.Assembly.Wait = "other", "other", 1
	if given.Variables[0] != "x" || given.Exogenous[0] != "u" || *given.Assembly != (assemble.Assembly{}) {
		t.Errorf("the copy shares memory: %+v", given)
	}
}
