package lanes

import "testing"

// Each condition of a check is wrong alone in one call, and the panic is that of the check: a kernel would read behind
// the end.
func TestWrongShapesPanic(t *testing.T) {
	const n = 5
	// each returns calls in which one of the arguments, of the given lengths, is too short.
	each := func(f func(a [][]float64), lengths ...int) (calls []func()) {
		for short := range lengths {
			calls = append(calls, func() {
				var a [][]float64
				for i, length := range lengths {
					if i == short {
						length--
					}
					a = append(a, make([]float64, length, length+8))
				}
				f(a)
			})
		}
		return calls
	}
	c := NewConformal(2, 1, .1, 0, 0, 1, 1, 1)
	mixture := func(experts, variables, every int, prior ...float64) *Mixture {
		return NewMixture(MixtureConfig{Experts: experts, Variables: variables, Every: every, Prior: prior})
	}
	m := mixture(2, n, 1, .5, .5)
	row := len(m.Mean)
	for name, calls := range map[string][]func(){
		"Conformal": each(func(a [][]float64) { c.Learn(a[0], a[1], a[5], a[6], a[2], make([]float64, n), a[3], a[4], n) },
			n, n, n, n, 4, 2*n, 2*n),
		"Cusum":      each(func(a [][]float64) { NewCusum(n, 1, 1, 1).Add(a[0]) }, row),
		"Errors":     each(func(a [][]float64) { NewErrors(n, ErrorRules{}).Add(a[0], a[1]) }, n, n),
		"Noise":      each(func(a [][]float64) { NewErrors(n, ErrorRules{}).Noise(a[0]) }, n),
		"Levels":     each(func(a [][]float64) { NewLevels(n, LevelRules{}).Compare(a[0], a[1], a[2]) }, n, n, n),
		"Learn":      each(func(a [][]float64) { NewLevels(n, LevelRules{}).Learn(a[0], a[1], a[2], 1, 1) }, n, n, n),
		"Liveliness": each(func(a [][]float64) { NewLiveliness(n, 1, 1, 1, 1).Add(a[0], a[1], a[2]) }, n, n, n),
		"LocalMean":  each(func(a [][]float64) { NewLocalMean(n, 1, 1, 1, 1, 1).Add(a[0]) }, n),
		"NewMixture": {func() { mixture(0, n, 1) }, func() { mixture(1, 0, 1, 1) }, func() { mixture(1, n, 0, 1) }, func() { mixture(2, n, 1, 1) }},
		"Aggregate":  each(func(a [][]float64) { m.Aggregate(a[0], a[1], a[2], 1) }, 2*row, n, row),
		"Mixture":    each(func(a [][]float64) { m.Learn(a[0], a[1]) }, row, row),
		"Moments":    each(func(a [][]float64) { NewMoments(n, 1, 1, 1, 1, 1).Add(a[0]) }, n),
		"no moments": {func() { NewMoments(0, 1, 1, 1, 1, 1) }},
		"Bound":      each(func(a [][]float64) { NewMoments(n, 1, 1, 1, 1, 1).Bound(a[0], a[1], a[2], a[3], a[4], 1, nil) }, n, n, n, n, n),
		"Residuals":  each(func(a [][]float64) { NewResiduals(n, 1).Add(a[0], 1, 1, 1) }, n),
		"Ratios":     each(func(a [][]float64) { NewSizes(n, SizeRules{}).RatiosTo(a[0], a[1], a[2]) }, n, OriginRows*row, n),
		"Sizes":      each(func(a [][]float64) { NewSizes(n, SizeRules{}).Add(a[0], a[1]) }, n, n),
		"Standardise": append(each(func(a [][]float64) { Standardise(a[0], a[1], make([]float64, n), a[2], 1) }, 2*n, 2*n, n),
			func() { Standardise(Rows(1, n-1), make([]float64, n-1), make([]float64, n), make([]float64, n), 1) },
			func() { Standardise(nil, nil, nil, nil, 1) }),
		"Steps": each(func(a [][]float64) { NewSteps(n, 1, 1, 1).Add(a[0], a[1]) }, n, n),
		"Tally": append(each(func(a [][]float64) {
			Tally(a[0], a[1], a[2], make([]float64, 100), []int{0, 0}, make([]float64, n), TallyErrors)
		}, 6, 2*TallySize(TallyErrors, n), 2*n),
			func() {
				Tally(make([]float64, 3), nil, make([]float64, n), make([]float64, 100), []int{0}, make([]float64, n), 0)
			}),
	} {
		for i, call := range calls {
			func() {
				defer func() {
					if _, ok := recover().(string); !ok {
						t.Errorf("%s, call %d: took wrong shapes", name, i)
					}
				}()
				call()
			}()
		}
	}
}
