package scoring_test

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/dataset"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/thesis"
	"github.com/orffvar/forecaster/varmodel"
)

// Prequential is the following loop, with more book-keeping: every row is
// first the target of the forecast made before it, then a sample to learn from.
func ExamplePrequential() {
	data := dataset.Macrodata()
	model, err := varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: data.Dim(), Horizon: 1})
	if err != nil {
		panic(err)
	}

	f := model.NewSeries()
	yhat := make([]float64, data.Dim())
	ready := false
	var sum, n float64
	for _, y := range data.Series[0].Rows {
		if ready {
			for j := range y {
				sum += math.Pow(y[j]-yhat[j], 2)
				n++
			}
		}
		if err := f.Observe(y); err != nil {
			panic(err)
		}
		ready = f.ForecastTo(yhat)
	}
	fmt.Printf("by hand      MSE %.3f\n", sum/n)

	r, err := scoring.Prequential(model, data, scoring.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("Prequential  MSE %.3f over %d quarters\n", r.Score(scoring.All, 0).MSE, r.Score(scoring.All, 0).N)

	unemployment := r.Score(8, 0)
	fmt.Printf("%s        RMSE %.3f, nMSE %.3f\n", data.Variables[8], unemployment.RMSE, unemployment.NMSE)
	// Output:
	// by hand      MSE 1302.388
	// Prequential  MSE 1302.388 over 202 quarters
	// unemp        RMSE 0.344, nMSE 0.056
}

// A stream is scored step by step: the forecast of y first, then the
// forecasts made with it.
func ExampleScorer() {
	s := scoring.NewScorer(scoring.ScorerConfig{Dim: 1, Horizons: []int{1, 3}})
	yhat := make([]float64, 3) // for horizons 1 to 3
	for t := range 10 {
		y := []float64{float64(t * t)}
		s.Observe(y)
		for h := range yhat {
			yhat[h] = y[0] + float64((h+1)*2*t) // linear extrapolation
		}
		s.Push(yhat, nil, nil, nil)
	}
	for k, h := range []int{1, 3} {
		score := s.Running(0, k)
		fmt.Printf("horizon %d: %d scores, MAE %g, skill against persistence %.3f\n", h, score.N, score.MAE, score.SkillVsNaive)
	}
	// Output:
	// horizon 1: 9 scores, MAE 1, skill against persistence 0.991
	// horizon 3: 7 scores, MAE 9, skill against persistence 0.907
}

// Sequential cross-validation refits a model to a sliding window: here the
// published result of VAR(1) on Macrodata, 449.1 (Brault 2017, Table 8.3).
// Two models are compared on the same targets: is VAR(1) really better than
// persistence on the linear setting?
func ExampleCompare() {
	data := simulate.Collect("linear", simulate.NewSetting(simulate.SettingConfig{Setting: 1, Seed: 1}), 600)
	a, err := thesis.SCV(thesis.NewVAR1(data.Dim()), data, 300)
	if err != nil {
		panic(err)
	}
	b, err := thesis.SCV(thesis.Persistence{}, data, 300)
	if err != nil {
		panic(err)
	}
	c, err := scoring.Compare(a.Losses, b.Losses, 1)
	if err != nil {
		panic(err)
	}
	fmt.Printf("VAR(1) %.3f, persistence %.3f\n", a.MSE, b.MSE)
	fmt.Printf("difference %.3f in [%.3f, %.3f], p = %.3f\n", c.Mean, c.Lower, c.Upper, c.P)
	// Output:
	// VAR(1) 0.933, persistence 1.840
	// difference -0.908 in [-1.207, -0.608], p = 0.000
}
