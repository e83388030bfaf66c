package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/dataset"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// The gates of this file need no recorded value. A series is simulated, so that its best forecast
// is known; what a forecast loses is its mean squared distance from the best one, in units of the
// error of the best one. The mean of the cross term is 0, so a loss is far less noisy than an error.
const (
	optimumRows    = 3000
	optimumFrom    = 1000 // the first scored origin
	optimumHorizon = 24
)

var optimumHorizons = []int{1, 4, optimumHorizon}

// perCoefficient is what each coefficient of a regression costs: with t samples the loss is 1/t of
// the noise (Ljung 1999, section 9.2), here the mean over the scored rows.
var perCoefficient = math.Log(float64(optimumRows)/optimumFrom) / (optimumRows - optimumFrom)

// freeCoefficients bounds the number of free coefficients in a forecast: the longest autoregression has 96, and a mixture
// of experts has not the sum of their numbers.
const freeCoefficients = 96

// optimumModels lists the models that are measured on every world.
var optimumModels = []string{string(TierFull), string(TierLight), string(TierTiny), "orffvar"}

func newOptimumModel(t testing.TB, name string, d int) (m eval.Model) {
	t.Helper()
	var err error
	switch name {
	case "orffvar":
		m, err = NewORFFVAR(ORFFVARConfig{Dim: d, Order: 3, Horizon: optimumHorizon, Seed: 1})
	case "var1":
		m, err = varmodel.NewVAR(varmodel.VARConfig{Dim: d, Order: 1, Horizon: optimumHorizon, Ridge: 1})
	case "ar2":
		m, err = varmodel.NewAR(varmodel.ARConfig{Dim: d, Order: 2, Horizon: optimumHorizon, Ridge: 1})
	case "persistence":
		m, err = varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: d, Horizon: optimumHorizon})
	case "seasonal":
		m, err = varmodel.NewSeasonal(varmodel.SeasonalConfig{Dim: d, Horizon: optimumHorizon, Period: 24})
	default:
		m, err = New(Config{Dim: d, Horizon: optimumHorizon, Tier: Tier(name), Seed: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// scores are sums over the scored origins and the coordinates, by horizon.
type scores struct {
	errors, best, loss, naive [optimumHorizon + 1]float64
	inside, targets           [optimumHorizon + 1]float64
	loudInside, loud          [optimumHorizon + 1]float64 // at loudHour
}

func (s *scores) lossAt(h int) float64     { return s.loss[h] / s.best[h] }
func (s *scores) coverageAt(h int) float64 { return s.inside[h] / s.targets[h] }

// scoreWorld runs a model with intervals of 90 % over a world.
func scoreWorld(t *testing.T, m eval.Model, w world, from int) *scores {
	t.Helper()
	const H = optimumHorizon
	d, s := len(w.x[0]), &scores{}
	f := intervalsAround(t, m, d, H, []float64{.9}).NewSeries()
	bounds := modeltest.As[eval.Bounder](t, f)
	lower, upper, dst, best := make([]float64, H*d), make([]float64, H*d), make([]float64, H*d), make([]float64, d)
	for i, y := range w.x {
		if c, ok := eval.As[eval.Clocked](f); ok && w.clocked {
			c.SetTime(modeltest.FirstOf2026 + int64(i)*3600e9)
		}
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
		if i < from {
			continue
		}
		if !f.ForecastTo(dst) || !bounds.BoundsTo(lower, upper) {
			t.Fatalf("no forecast or no interval after %d samples", i+1)
		}
		for _, h := range optimumHorizons {
			if i+h >= len(w.x) {
				continue
			}
			if w.best != nil {
				w.best(i, h, best)
			}
			for j, v := range w.x[i+h] {
				k := (h-1)*d + j
				s.errors[h] += square(v - dst[k])
				s.best[h] += square(v - best[j])
				s.loss[h] += square(dst[k] - best[j])
				s.naive[h] += square(v - y[j])
				inside := 0.
				if lower[k] <= v && v <= upper[k] {
					inside = 1
				}
				s.inside[h], s.targets[h] = s.inside[h]+inside, s.targets[h]+1
				if (i+h)%24 == loudHour {
					s.loudInside[h], s.loud[h] = s.loudInside[h]+inside, s.loud[h]+1
				}
			}
		}
	}
	return s
}

func square(v float64) float64 { return v * v }

// binomial is three standard deviations of a share of .9 of n independent outcomes.
func binomial(n float64) float64 { return 3 * math.Sqrt(.9*.1/n) }

// optimumCase is a world and the largest loss of a model in it.
type optimumCase struct {
	name  string
	make  func(r *rand.Rand, n int) world
	limit func(model string, h int, w world, s *scores) float64
}

func coefficients(p float64) func(string, int, world, *scores) float64 {
	return func(string, int, world, *scores) float64 { return p * perCoefficient }
}

var optimumCases = []optimumCase{
	{"white noise", linearWorld([]float64{0}, 1), coefficients(freeCoefficients)},
	{"random walk", linearWorld([]float64{1}, 1), coefficients(freeCoefficients)},
	{"AR of .9", linearWorld([]float64{.9}, 1), coefficients(freeCoefficients)},
	{"AR of -.9", linearWorld([]float64{-.9}, 1), coefficients(freeCoefficients)},
	{"VAR", linearWorld([]float64{.5, .4, 0, 0, .5, .4, -.4, 0, .5}, 3), coefficients(freeCoefficients)},
	{"far lag", farWorld, func(_ string, h int, _ world, s *scores) float64 {
		// The ridge of an autoregression leaves out a part, a quarter at most.
		known := math.Pow(farKeep, 2*math.Ceil(float64(h)/farLag)) / (1 - farKeep*farKeep)
		return known / 4 / (s.best[h] / s.targets[h])
	}},
	{"alarms", alarmsWorld, coefficients(freeCoefficients)},
	{"day", dailyWorld, coefficients(freeCoefficients + 24)}, // and a mean for each hour
	{"counts", countsWorld, func(model string, h int, w world, s *scores) float64 {
		limit := (freeCoefficients + 24) * perCoefficient
		if model == "orffvar" && h == 1 { // it sees the day through the last 24 samples alone
			limit += linearInHindsight(w.x, 24, h, optimumFrom)/s.best[h] - 1
		}
		return limit
	}},
	{"threshold", thresholdWorld, func(model string, h int, w world, s *scores) float64 {
		if h > 1 { // the best forecast is nearly flat
			return freeCoefficients * perCoefficient
		}
		// The random features find most of what no line has. The light tiers have a few of them.
		share := .25
		if model == string(TierLight) || model == string(TierTiny) {
			share = .5
		}
		return share * (linearInHindsight(w.x, 3, h, optimumFrom)/s.best[h] - 1)
	}},
	{"jumps", jumpsWorld, func(_ string, h int, _ world, s *scores) float64 {
		// A new level is believed at its second sample: two origins are lost, and one more for
		// every eight steps ahead, where the mean weighs more. A level of k samples costs 1/k.
		lost := (2 + float64(h)/8) * jumpSize * jumpSize / jumpLength
		level := (math.Log(jumpLength) + .6) / jumpLength
		return (lost+level)/(s.best[h]/s.targets[h]) + freeCoefficients*perCoefficient
	}},
	{"turn", turnWorld, func(model string, h int, _ world, s *scores) float64 {
		if h > 1 { // both laws say nearly the same
			return freeCoefficients * perCoefficient * optimumRows / (optimumRows - turnFrom)
		}
		// Least squares that forget a sample by the factor b are wrong by 2 turnKeep b^k, k steps
		// after the turn. The full tier and ORFFVAR have experts with b = .998, the others one of .9995.
		forgetting := .998
		if model == string(TierLight) || model == string(TierTiny) {
			forgetting = .9995
		}
		var loss, n float64
		for t := turnFrom; t+h < optimumRows; t++ {
			wrong := 2 * turnKeep * math.Pow(forgetting, float64(t-optimumRows/2))
			loss += square(wrong) / (1 - turnKeep*turnKeep)
			n++
		}
		since := float64(optimumRows / 2) // the turn; only samples after it count
		coefficients := freeCoefficients * math.Log((optimumRows-since)/(turnFrom-since)) / (optimumRows - turnFrom)
		return loss/n/(s.best[h]/s.targets[h]) + coefficients
	}},
}

// Every tier and ORFFVAR come as close to the best forecast as theory lets a regression of their
// size, at one step and many, and their intervals cover 90 % within binomial bounds. The targets of
// h steps overlap: h of them count as one. All worlds together bound the coverage closer than one.
func TestKnownOptimum(t *testing.T) {
	var mu sync.Mutex
	inside, targets := map[string]float64{}, map[string]float64{}
	t.Run("worlds", func(t *testing.T) {
		for _, c := range optimumCases {
			w := c.make(rand.New(rand.NewPCG(1, 2)), optimumRows)
			for _, model := range optimumModels {
				t.Run(c.name+", "+model, func(t *testing.T) {
					t.Parallel()
					from := optimumFrom
					if c.name == "turn" {
						from = turnFrom
					}
					s := scoreWorld(t, newOptimumModel(t, model, len(w.x[0])), w, from)
					for _, h := range optimumHorizons {
						limit := c.limit(model, h, w, s)
						t.Logf("h=%-2d loss %.4f, limit %.4f, coverage %.4f", h, s.lossAt(h), limit, s.coverageAt(h))
						if !(s.lossAt(h) <= limit) {
							t.Errorf("%d steps ahead, %.4f is lost to the best forecast, more than %.4f", h, s.lossAt(h), limit)
						}
						checkCoverage(t, h, s)
						if w.clocked {
							modeltest.Near(t, "coverage of the loud hour", s.loudInside[h]/s.loud[h], .9, binomial(s.loud[h]))
						}
						mu.Lock()
						key := model + " " + string(rune('0'+slices.Index(optimumHorizons, h)))
						inside[key], targets[key] = inside[key]+s.coverageAt(h), targets[key]+1
						mu.Unlock()
					}
				})
			}
		}
	})
	for key, n := range targets {
		h := optimumHorizons[key[len(key)-1]-'0']
		modeltest.Near(t, "coverage of all worlds, "+key, inside[key]/n, .9, binomial(n*(optimumRows-optimumFrom)/float64(h)))
	}
}

func checkCoverage(t *testing.T, h int, s *scores) {
	t.Helper()
	// Coordinates of a chaotic series depend on each other: their number does not count.
	modeltest.Near(t, "coverage", s.coverageAt(h), .9, binomial((optimumRows-optimumFrom)/float64(h)))
}

// Nothing is random in a chaotic series, and a line is not its law: the models do better than the best
// linear forecast from 3 samples in hindsight, at one step four times. The light tiers have no
// nonlinear path beyond a few steps and do better than persistence there; the few features of the tiny one are
// as good as the line at 4 steps, within a tenth.
func TestKnownChaos(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(r *rand.Rand, n int) world
	}{
		{"Lorenz 96", lorenz96},
		{"Mackey-Glass", func(_ *rand.Rand, n int) world { return world{x: mackeyGlass(n, 17)} }},
	} {
		w := c.make(rand.New(rand.NewPCG(1, 2)), optimumRows)
		for _, model := range optimumModels {
			t.Run(c.name+", "+model, func(t *testing.T) {
				t.Parallel()
				s := scoreWorld(t, newOptimumModel(t, model, len(w.x[0])), w, optimumFrom)
				for _, h := range optimumHorizons {
					limit := linearInHindsight(w.x, 3, h, optimumFrom)
					switch light := model == string(TierLight) || model == string(TierTiny); {
					case h == 1:
						limit /= 4
					case h == optimumHorizon && light:
						limit = s.naive[h]
					case model == string(TierTiny):
						limit *= 1.1
					}
					t.Logf("h=%-2d error %.5f of the limit, coverage %.4f", h, s.errors[h]/limit, s.coverageAt(h))
					if !(s.errors[h] < limit) {
						t.Errorf("%d steps ahead, the error is %.4f of its limit", h, s.errors[h]/limit)
					}
					checkCoverage(t, h, s)
				}
			})
		}
	}
}

// The baselines have closed forms: repetition has the error of the series itself, and a regression on
// the lags that the law has costs its coefficients. Over h steps the same coefficients enter h times;
// 3 bounds their chance.
func TestKnownOptimumOfBaselines(t *testing.T) {
	for name, w := range map[string]world{
		"ar2":  linearWorld([]float64{-.9}, 1)(rand.New(rand.NewPCG(1, 2)), optimumRows),
		"var1": linearWorld([]float64{.5, .4, 0, 0, .5, .4, -.4, 0, .5}, 3)(rand.New(rand.NewPCG(1, 2)), optimumRows),
	} {
		s := scoreWorld(t, newOptimumModel(t, name, len(w.x[0])), w, optimumFrom)
		for _, h := range optimumHorizons {
			p := float64(max(len(w.x[0])+1, 3))
			t.Logf("%s h=%-2d loss %.5f", name, h, s.lossAt(h))
			if limit := 3 * p * perCoefficient * min(float64(h), 4); !(s.lossAt(h) <= limit) {
				t.Errorf("%s loses %.4f, %d steps ahead, more than %.4f", name, s.lossAt(h), h, limit)
			}
		}
	}
	w := dailyWorld(rand.New(rand.NewPCG(1, 2)), optimumRows)
	for name, back := range map[string]func(h int) int{
		"persistence": func(h int) int { return h },
		"seasonal":    func(h int) int { return (h + 23) / 24 * 24 },
	} {
		s := scoreWorld(t, newOptimumModel(t, name, 1), w, optimumFrom)
		for _, h := range optimumHorizons {
			var want float64
			for i := optimumFrom; i+h < optimumRows; i++ {
				want += square(w.x[i+h][0] - w.x[i+h-back(h)][0])
			}
			modeltest.Near(t, name, s.errors[h], want, 1e-9*want)
		}
	}
}

// On the bundled data every tier and ORFFVAR do better than persistence at every horizon, and than
// ORFFVAR of Brault 2017, table 8.3, one step ahead: 445.895, with windows of 50 quarters.
func TestKnownMacrodata(t *testing.T) {
	const window, published = 50, 445.895
	w := world{x: columns(dataset.Macrodata().Series[0].Rows, 2, 3, 5, 6, 7, 8, 10, 11)}
	for _, model := range optimumModels {
		s := scoreWorld(t, newOptimumModel(t, model, len(w.x[0])), w, window-1)
		for _, h := range optimumHorizons {
			t.Logf("%s, h=%d: %.4f of persistence", model, h, s.errors[h]/s.naive[h])
			if !(s.errors[h] < s.naive[h]) {
				t.Errorf("%s, %d steps ahead: the error is %.4f of that of persistence", model, h, s.errors[h]/s.naive[h])
			}
		}
		if mse := s.errors[1] / s.targets[1]; !(mse < published) {
			t.Errorf("%s: %.3f, published %.3f", model, mse, published)
		}
	}
}

// linearInHindsight is the sum of the squared errors of the best linear forecasts from an
// intercept and the last samples of all coordinates, fitted to the rows that it is scored on.
func linearInHindsight(x [][]float64, lags, h, from int) (sum float64) {
	d := len(x[0])
	p := 1 + lags*d
	a := make([][]float64, p) // normal equations, and the right-hand sides
	for i := range a {
		a[i] = make([]float64, p+d)
	}
	row := make([]float64, p+d)
	for i := from; i+h < len(x); i++ {
		row[0] = 1
		for l := range lags {
			copy(row[1+l*d:], x[i-l])
		}
		copy(row[p:], x[i+h])
		for k := range p {
			for q, v := range row {
				a[k][q] += row[k] * v
			}
		}
		for _, v := range row[p:] {
			sum += v * v
		}
	}
	b := make([][]float64, p)
	for k := range a {
		b[k] = slices.Clone(a[k])
	}
	for k := range p { // Gauss and Jordan
		for i := range p {
			if f := b[i][k] / b[k][k]; i != k {
				for q := k; q < p+d; q++ {
					b[i][q] -= f * b[k][q]
				}
			}
		}
	}
	for k := range p {
		for q := p; q < p+d; q++ {
			sum -= b[k][q] / b[k][k] * a[k][q]
		}
	}
	return sum
}
