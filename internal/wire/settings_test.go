package wire

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/recorded"
)

// sharedSettings are the keys below model: that every model reads.
var sharedSettings = []string{"horizon", "levels", "intervals", "joint", "anomaly", "influence", "drift", "memory"}

// changes has, for a key below model:, a value other than the default, with what else
// it needs to be read at all.
var changes = []struct{ key, before, set string }{
	{"order", "", "2"},
	{"frequencies", "", "30"},
	{"bandwidth", "", "2"},
	{"ridge", "", "7"},
	{"forgetting", "", "0.97"},
	{"seed", "", "2"},
	{"season", "horizon=12", "5"},
	{"tier", "", "light"},
	{"experts", "", "ar6,var1"},
	{"calendar", "", "hour"},
	{"exogenous", "", "x"},
	{"events", "", "testdata/events.csv"},
	{"optimiser.step", "", "plain"},
	{"optimiser.rate", "optimiser.step=plain", "0.3"},
	{"optimiser.schedule", "optimiser.step=plain optimiser.rate=0.5", "inverse_root"},
	{"optimiser.schedule", "optimiser.step=plain optimiser.rate=0.5", "inverse_time"},
	{"optimiser.schedule", "optimiser.step=plain optimiser.rate=0.5", "inverse_scaling"},
	{"kernel.lambda", "optimiser.step=plain optimiser.schedule=inverse_time", "0.3"},
	{"optimiser.step", "", "adagrad"},
	{"optimiser.power", "optimiser.step=plain optimiser.schedule=inverse_scaling", "0.9"},
	{"optimiser.batch", "", "4"},
	{"optimiser.blocks", "", "2"},
	{"optimiser.decay", "optimiser.step=plain optimiser.blocks=2", "block"},
	{"optimiser.clip", "optimiser.step=plain", "0.1"},
	{"optimiser.average", "optimiser.step=plain", "true"},
	{"optimiser.warm", "optimiser.step=plain", "20"},
	{"optimiser.redraw", "optimiser.blocks=2", "3"},
	{"optimiser.manifold", "optimiser.step=plain", "0.5"},
	{"optimiser.manifold_batches", "optimiser.step=plain optimiser.manifold=0.5", "3"},
	{"optimiser.group_lasso", "optimiser.step=plain kernel.linear=false", "0.5"},
	{"loss.name", "optimiser.step=plain", "insensitive"},
	{"loss.parameter", "optimiser.step=plain loss.name=huber", "0.05"},
	{"kernel.name", "", "matern32"},
	{"kernel.parameter", "", "2"},
	{"kernel.coefficients", "kernel.name=compositional", "1,0,2"},
	{"kernel.sampling", "", "orthogonal"},
	{"kernel.inputs", "", "ranged"},
	{"kernel.linear", "", "false"},
	{"kernel.plus.name", "", "sinc"},
	{"kernel.plus.weight", "kernel.plus.name=sinc", "0.9"},
	{"kernel.plus.parameter", "kernel.plus.name=sinc", "3"},
	{"kernel.times.name", "", "sinc"},
	{"kernel.times.parameter", "kernel.times.name=sinc", "3"},
	{"kernel.operator.name", "", "transformable"},
	{"kernel.operator.gamma", "", "positions"},
	{"kernel.operator.matrix", "kernel.operator.gamma=matrix kernel.operator.matrix=1,0,0,0,1,0,0,0,1", "1,.9,0,.9,1,0,0,0,1"},
	{"kernel.operator.rank", "kernel.operator.gamma=low_rank kernel.operator.rank=1 kernel.operator.matrix=1,.9,0,.9,1,0,0,0,1", "2"},
	{"kernel.operator.eta", "kernel.operator.gamma=graph kernel.operator.matrix=0,1,0,1,0,1,0,1,0", "0.7"},
	{"kernel.operator.positions", "kernel.operator.gamma=positions", "0,5,6"},
	{"kernel.operator.length", "kernel.operator.gamma=positions", "3"},
	{"kernel.operator.mix", "kernel.operator.name=helmholtz", "0.9"},
	{"kernel.operator.form", "kernel.operator.name=curl_free", "unbounded"},
	{"kernel.operator.reduced", "kernel.operator.name=divergence_free", "true"},
	{"kernel.operator.groups", "kernel.operator.name=tensor kernel.operator.groups=1", "3"},
	{"kernel.landmarks", "", "20"},
	{"kernel.window", "", "20"},
	{"kernel.terms", "", "20"},
	{"kernel.degree", "", "3"},
	{"kernel.lambda", "", "0.3"},
}

// unread are keys that change no forecast of a complete sample series, or that need
// what this test does not have.
var unread = []string{
	"season_time", "time_zone", "optimiser.solver", "optimiser.grow", "optimiser.most_blocks",
}

// TestSettings changes each setting of each model in turn. Forecasts must change if the row of the model has the key, and
// otherwise stay the same, unless the setting is refused. testdata/forecasts.txt has the mean size of the forecasts;
// UPDATE_GATES=1 writes it.
func TestSettings(t *testing.T) {
	sizes := make(map[string]float64)
	defer func() { checkSizes(t, "testdata/forecasts.txt", sizes) }()
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			base := []string{"model.type=" + m.of(), "model.order=1", "model.frequencies=20", "pipeline.variables=a,b,c"}
			if m.name == "seasonal" {
				base = append(base, "model.season=3")
			}
			for _, c := range changes {
				sets := slices.Clone(base)
				for _, s := range strings.Fields(c.before) {
					sets = append(sets, "model."+s)
				}
				was, err := loaded(t, "", sets...)
				if err != nil {
					if m.reads(c.key) && (!m.kernel || m.name == "kernelvar") {
						t.Errorf("%s: %v", c.key, err)
					}
					continue // the model refuses what the key belongs to
				}
				now, err := loaded(t, "", append(sets, "model."+c.key+"="+c.set)...)
				if err != nil {
					if m.reads(c.key) && m.name == "kernelvar" {
						t.Errorf("%s=%s: %v", c.key, c.set, err)
					}
					continue
				}
				const samples = 250
				if len(now.Model.Exogenous)+len(now.Model.Calendar)+len(now.Model.Occurrences) > 0 {
					if !m.reads(c.key) {
						t.Errorf("%s is accepted and not in the row", c.key)
					}
					continue // the model must be told the inputs
				}
				before, after := learnt(t, was.Model, 3, samples), learnt(t, now.Model, 3, samples)
				same := slices.Equal(before, after)
				if m.reads(c.key) {
					sizes[m.name+" "+strings.TrimSpace(c.before+" "+c.key+"="+c.set)] = size(after)
				}
				if same == m.reads(c.key) {
					t.Errorf("%s=%s changes the forecasts: %v; the row says otherwise", c.key, c.set, !same)
				}
			}
			for _, key := range m.settings {
				if !slices.ContainsFunc(changes, func(c struct{ key, before, set string }) bool {
					return c.key == key || strings.HasPrefix(c.key, key+".")
				}) && !slices.Contains(unread, key) {
					t.Errorf("no change of %s", key)
				}
			}
		})
	}
}

// size is the mean of absolute values.
func size(all []float64) (mean float64) {
	for _, v := range all {
		mean += math.Abs(v) / float64(len(all))
	}
	return mean
}

// checkSizes compares sizes with those of a file.
func checkSizes(t *testing.T, golden string, sizes map[string]float64) {
	t.Helper()
	var text strings.Builder
	for _, what := range slices.Sorted(maps.Keys(sizes)) {
		fmt.Fprintf(&text, "%s: %.9e\n", what, sizes[what])
	}
	recorded.Check(t, golden, text.String())
}

// TestBesideSettings: the last value has neither lags nor random frequencies, its quantiles
// and level sets do.
func TestBesideSettings(t *testing.T) {
	results := func(sets ...string) []float64 {
		c, err := loaded(t, "type: persistence", append(sets, "pipeline.variables=a,b,c")...)
		if err != nil {
			t.Fatal(err)
		}
		return learnt(t, c.Model, 3, 400)
	}
	for _, with := range append(slices.Clone(besideSettings.with), "joint=true") {
		base := results("model." + with)
		for _, key := range besideSettings.keys {
			same := slices.Equal(base, results("model."+with, "model."+key+"=2"))
			if same == slices.Contains(besideSettings.with, with) {
				t.Errorf("%s: %s changes the results: %v", with, key, !same)
			}
		}
	}
}

// TestIdleSettings: keys that the model does not read are named, those of its own example are not.
func TestIdleSettings(t *testing.T) {
	for _, m := range models {
		if c, err := loaded(t, m.example); err != nil || len(IdleSettings(c)) > 0 {
			t.Errorf("%s: %v, %q", m.name, err, IdleSettings(c))
		}
	}
	for _, test := range []struct {
		keys string
		sets []string
		want []string
	}{
		{"type: ar3", []string{"model.order=5"}, []string{"model.order=5 has no effect: model.type ar3 does not read this key"}},
		{"type: ar3", []string{"model.order=5", "model.intervals=quantile"}, nil},
		{"type: auto", []string{"model.kernel.name=gaussian", "model.seed=7", "model.horizon=9"}, nil}, // gaussian is the default
		{"type: auto", []string{"model.kernel.operator.rank=2"}, []string{"model.kernel.operator.rank=2 has no effect: model.type auto does not read this key"}},
	} {
		c, err := loaded(t, test.keys, test.sets...)
		if err != nil {
			t.Fatal(err)
		}
		if got := IdleSettings(c); !slices.Equal(got, test.want) {
			t.Errorf("%s, %q: got %q, want %q", test.keys, test.sets, got, test.want)
		}
	}
}
