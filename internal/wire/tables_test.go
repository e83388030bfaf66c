package wire

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff/random"
)

// A row is enough: whatever the tables name is accepted by the configuration, is made,
// forecasts, and is in the documentation (TestDocumentation and
// TestNamesAreInTheConfigurationPage).

// of returns the name of a model of the row.
func (m model) of() string { return strings.Replace(m.name, "N", "2", 1) }

// loaded reads keys below model: as a file does.
func loaded(t *testing.T, keys string, sets ...string) (*config.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte("model: {"+keys+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	src := config.Sources{Files: []string{path}}
	for _, s := range sets {
		key, value, _ := strings.Cut(s, "=")
		src.Set = append(src.Set, config.Setting{Path: key, Value: value, From: "--set"})
	}
	return Load(src)
}

// learnt returns the forecasts of the model of c while it learns a chaotic series, with
// the bounds of their intervals and the scores by level sets.
func learnt(t *testing.T, c config.Model, dim, samples int) []float64 {
	t.Helper()
	m, err := NewModel(c, dim, false)
	if err != nil {
		t.Fatalf("%s: %v", c.Type, err)
	}
	s := m.NewSeries()
	y, yhat := make([]float64, dim), make([]float64, dim*c.Horizon)
	lower := make([]float64, len(c.Levels)*len(yhat))
	upper := make([]float64, len(lower))
	for j := range y {
		y[j] = .1 + .7*float64(j)/float64(dim)
	}
	var all []float64
	for i := range samples {
		if i%29 == 28 { // a glitch: no model is exact
			y[0] *= .5
		}
		if err := s.Observe(y); err != nil {
			t.Fatal(err)
		}
		if s.ForecastTo(yhat) {
			all = append(all, yhat...)
		}
		if b, ok := eval.As[eval.Bounder](s); ok && b.BoundsTo(lower, upper) {
			all = append(all, slices.DeleteFunc(slices.Concat(lower, upper), math.IsNaN)...) // of horizons that are too young
		}
		if d, ok := eval.As[eval.Detector](s); ok {
			if score, ok := d.Anomaly(); ok {
				all = append(all, score)
			}
		}
		for j := range y {
			y[j] = float64(3.8*y[j]*(1-y[j])*.95) + float64(.04*y[(j+1)%dim]) // the same on every machine: nothing is fused
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s made no forecast of %d samples", c.Type, samples)
	}
	for _, v := range all {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("%s forecasts %v", c.Type, v)
		}
	}
	return all
}

func TestEveryModelIsARow(t *testing.T) {
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			if m.about == "" || m.make == nil {
				t.Fatal("the row is not complete")
			}
			c, err := loaded(t, m.example)
			if err != nil {
				t.Fatal(err)
			}
			if row, err := modelNamed(c.Model.Type); err != nil || row.name != m.name {
				t.Errorf("the example %q is not about %s", m.example, m.name)
			}
			if _, err := loaded(t, "influence: true, "+m.example); (err == nil) != (m.influence != nil) {
				t.Errorf("model.influence with it: %v", err)
			}
			if _, err := loaded(t, "calendar: [hour], "+m.example); (err == nil) != m.inputs {
				t.Errorf("model.calendar with it: %v", err)
			}
			if c.Model.Order = 1; m.kernel {
				c.Model.Order = 2
			}
			learnt(t, c.Model, 3, 300)
			other := c.Model
			other.Seed++
			if same := slices.Equal(learnt(t, c.Model, 3, 300), learnt(t, other, 3, 300)); same == slices.Contains(m.settings, "seed") {
				t.Errorf("the seed changes the forecasts: %v, and the row says otherwise", !same)
			}
		})
	}
}

func TestEveryKernelIsARow(t *testing.T) {
	seen := make(map[string]bool)
	for _, row := range kernels {
		given := 0
		for _, ok := range []bool{row.spectrum != nil, row.series != nil, row.features != nil} {
			if ok {
				given++
			}
		}
		if row.formula == "" || row.when == "" || given != 1 {
			t.Errorf("the row %v is not complete", row.names)
		}
		for _, name := range row.names {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
			example := strings.Replace(row.example, row.names[0], name, 1)
			c, err := loaded(t, "type: kernelvar, order: 1, "+example)
			if err != nil {
				t.Errorf("%s: %v", example, err)
				continue
			}
			if c.Model.Kernel.Name != name {
				t.Errorf("the example %q is not about %s", example, name)
			}
			learnt(t, c.Model, 3, 200)
			_, err = loaded(t, "type: kernelvar, order: 1, influence: true, "+example)
			if (err == nil) != (row.rough == "") {
				t.Errorf("%s: influence: %v", name, err)
			}
			_, err = loaded(t, "type: kernelvar, order: 1, "+example, "model.kernel.inputs=standardised")
			if (err == nil) == row.positive {
				t.Errorf("%s: standardised inputs: %v", name, err)
			}
		}
	}
}

// Features have the scale 1 at distance 0, or one at all: a row whose constructor
// draws nothing, or ignores the number of draws, is found out. testdata/features.txt has the mean size of the features.
func TestEveryKernelDraws(t *testing.T) {
	sizes := make(map[string]float64)
	for _, row := range kernels {
		c, err := loaded(t, "type: kernelvar, order: 1, "+row.example)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newScalar(c.Model.Kernel, 3, 25, random.New(1))
		if err != nil {
			t.Errorf("%v: %v", row.names, err)
			continue
		}
		twice, err := newScalar(c.Model.Kernel, 3, 50, random.New(1))
		if err != nil || twice.Len() <= s.Len() {
			t.Errorf("%v: 25 draws have %d features, 50 have %d, %v", row.names, s.Len(), twice.Len(), err)
		}
		phi := make([]float64, s.Len())
		s.FeaturesTo(phi, []float64{.3, .2, .1})
		if !slices.ContainsFunc(phi, func(v float64) bool { return v != 0 }) || slices.ContainsFunc(phi, math.IsNaN) {
			t.Errorf("%v: features %v", row.names, phi)
		}
		sizes[row.names[0]] = size(phi)
	}
	for _, o := range operators {
		for _, draws := range []int{1, 3, 9} {
			k := config.Default().Model.Kernel
			k.Operator.Name, k.Operator.Groups, k.Linear = o.name, 1, false
			m, err := NewMap(k, 2, 2, draws, random.New(1))
			if err != nil {
				t.Fatal(err)
			}
			phi := make([]float64, m.Dims().Features)
			m.FeaturesTo(phi, []float64{.3, .2})
			sizes[fmt.Sprintf("%s, %d draws, %d features", o.name, draws, len(phi))] = size(phi)
		}
	}
	checkSizes(t, "testdata/features.txt", sizes)
}

// Samplings, operators, matrices between outputs and losses: every example is a
// configuration whose model forecasts. testdata/parts.txt has the mean size of the forecasts.
func TestEveryPartIsARow(t *testing.T) {
	var examples []string
	for _, r := range samplings {
		order := "order: 1, "
		if r.name == "sorf" {
			order = "order: 12, " // at least 32 inputs
		}
		examples = append(examples, order+r.example)
	}
	for _, r := range operators {
		examples = append(examples, "order: 1, "+strings.Replace(r.example, "groups: 4", "groups: 3", 1))
	}
	for _, r := range gammas {
		examples = append(examples, "order: 1, "+r.example)
	}
	for _, l := range lossKinds {
		examples = append(examples, fmt.Sprintf("order: 1, optimiser: {step: plain}, loss: {name: %s, parameter: 0.5}", l.name))
	}
	for _, together := range []string{
		"kernel: {plus: {name: laplacian, weight: 0.3}, times: {name: polynomial}}", "kernel: {operator: {name: curl_free, form: unbounded}, plus: {name: laplacian, weight: 0.3}}",
		"kernel: {operator: {name: helmholtz}, times: {name: sinc}}", "kernel: {operator: {name: transformable}, linear: false}", "kernel: {inputs: common}, bandwidth: 0.5",
	} {
		examples = append(examples, "order: 1, "+together)
	}
	distinct, sizes := make(map[string]string), make(map[string]float64)
	for _, e := range examples {
		c, err := loaded(t, "type: kernelvar, "+e)
		if err != nil {
			t.Errorf("%s: %v", e, err)
			continue
		}
		all := learnt(t, c.Model, 3, 250)
		sizes[strings.ReplaceAll(e, ": ", " ")] = size(all)
		forecasts := fmt.Sprint(all)
		if other, ok := distinct[forecasts]; ok && !plainExample(e) && !plainExample(other) {
			t.Errorf("%s forecasts what %s does", e, other)
		}
		distinct[forecasts] = e
	}
	checkSizes(t, "testdata/parts.txt", sizes)
}

// plainExample reports whether an example is that of the defaults.
func plainExample(e string) bool {
	return strings.Contains(e, "iid") || strings.Contains(e, "decomposable") || strings.Contains(e, "identity")
}

func TestEveryTrialLoads(t *testing.T) {
	names := make(map[string]bool)
	for _, trial := range Trials() {
		if names[trial.Name] {
			t.Errorf("%s is there twice", trial.Name)
		}
		names[trial.Name] = true
		sets := append([]string{"model.type=kernelvar", "model.order=1", "input.simulated.dim=32"}, strings.Fields(trial.Sets)...)
		if trial.Groups {
			sets = append(sets, "model.kernel.operator.groups=2")
		}
		if _, err := loaded(t, "", sets...); err != nil {
			t.Errorf("%s: %v", trial.Name, err)
		}
	}
	for _, k := range kernels {
		if len(k.trials) == 0 && len(k.names) < 5 {
			t.Errorf("kernel compare does not try %v", k.names)
		}
	}
}
