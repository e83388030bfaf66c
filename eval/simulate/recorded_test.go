package simulate_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/tools/recorded"
)

// TestRecordedSeries: every generator draws the series on record from a seed. Accuracies of different
// versions are compared on these series, so the series must not change.
func TestRecordedSeries(t *testing.T) {
	var got []string
	add := func(name string, rows [][]float64) {
		sum, squares := 0., 0.
		for i, row := range rows {
			for j, v := range row {
				sum += v * float64(1+j)
				squares += v * v * float64(1+i%7)
			}
		}
		got = append(got, fmt.Sprintf("%s: %.8g then %.8g; sum %.8g, of squares %.8g", name, rows[0], rows[1], sum, squares))
	}
	draw := func(name string, g simulate.Generator, n int) {
		add(name, simulate.Collect(name, g, n).Series[0].Rows)
	}
	chaotic := []string{simulate.Lorenz96(8).Name, simulate.LogisticMaps(5).Name, simulate.Thresholds(3).Name} // roundings grow in them
	for _, k := range simulate.Kinds() {
		data := k.Dataset(7)
		rows := data.Series[0].Rows
		if slices.Contains(chaotic, k.Name) {
			rows = rows[:20]
		}
		add(k.Name, rows)
		if times := data.Series[0].Times; len(times) > 0 {
			got = append(got, fmt.Sprintf("%s: times %d, %d to %d", k.Name, times[0], times[1], times[len(times)-1]))
		}
	}
	for _, l := range simulate.KernelLaws() {
		draw(l.Name, l.Series(7), 20)
	}
	draw("white noise", simulate.NewWhiteNoise(3, 7), 1000)
	draw("oscillators", simulate.NewOscillators(3, 24, 7), 1000)
	network := simulate.NewNetwork(7)
	draw("network", network, 1000)
	got = append(got, fmt.Sprint("network: edges ", network.Edges()))
	for setting := 1; setting <= 3; setting++ {
		for _, c := range []simulate.SettingConfig{{Setting: setting}, {Setting: setting, Toeplitz: true}, {Setting: setting, Dim: 2, OffDiagonal: .1}} {
			c.Seed = 7
			s := simulate.NewSetting(c)
			mse, sd := s.Floor()
			got = append(got, fmt.Sprintf("setting %d %v: floor %.8g, deviation %.8g, A %.8g", setting, c.Toeplitz, mse, sd, s.A()))
			draw(fmt.Sprintf("setting %d %v of %d", setting, c.Toeplitz, s.Dim()), s, 1000)
		}
	}
	recorded.Check(t, filepath.Join("testdata", "series.txt"), strings.Join(got, "\n")+"\n")
	for _, c := range []simulate.SettingConfig{{}, {Setting: 4}, {Setting: 1, Dim: -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v is no setting", c)
				}
			}()
			simulate.NewSetting(c)
		}()
	}
}

// TestPredictions: the errors of the best prediction of each generator have the variance of its noise, within five
// standard errors of a mean of squares.
func TestPredictions(t *testing.T) {
	type predictor interface {
		simulate.Generator
		PredictTo(dst, x []float64)
	}
	const rows = 20_000
	setting := simulate.NewSetting(simulate.SettingConfig{Setting: 3, Toeplitz: true, Seed: 3})
	floor, _ := setting.Floor()
	for name, c := range map[string]struct {
		g    predictor
		want float64
	}{"network": {simulate.NewNetwork(3), .09}, "setting": {setting, floor}} {
		d := c.g.Dim()
		x, y, best := make([]float64, d), make([]float64, d), make([]float64, d)
		c.g.Next(x)
		sum := 0.
		for range rows {
			c.g.PredictTo(best, x)
			c.g.Next(y)
			for j := range y {
				sum += (y[j] - best[j]) * (y[j] - best[j])
			}
			copy(x, y)
		}
		// Variables of Toeplitz noise count as one: their errors are correlated.
		if got := sum / float64(rows*d); math.Abs(got-c.want) > 5*c.want*math.Sqrt(2./rows) {
			t.Errorf("%s: mean squared error %g, want %g", name, got, c.want)
		}
	}
}
