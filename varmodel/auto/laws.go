package auto

import "math"

// law is an autoregression of the deviations u of a variable from its centre:
//
//	u_{t+1} = now u_t + before u_{t-1} + noise.
//
// The centre is the level of a smoother, which moves by the slope of the smoother at each step. If now + before = 1,
// the increments minus the slope are an autoregression of order one.
type law struct {
	centre      int // index of a smoother
	now, before float64
	of          kind
}

// kind is a kind of smoothers or laws with the same prior weight.
type kind int

const (
	walkKind    kind = iota // the last value
	levelKind               // levels that follow the last values
	meanKind                // means of many values
	driftKind               // walk with a drift
	lineKind                // lines
	returnKind              // returns to a mean
	detourKind              // returns to a line
	inertiaKind             // walks with a drift and correlated increments; only the drift continues a trend
	swingKind               // swings around a mean
	lawKinds
)

// odds are the logarithms of the prior weights, learnt by TestOdds.
var odds = [lawKinds]float64{
	walkKind: 3.36, levelKind: 0, meanKind: 1.06, driftKind: 1.14, lineKind: .33,
	returnKind: 1.63, detourKind: .44, inertiaKind: 1.19, swingKind: -.55,
}

// restOdds are the odds for a variable whose season is known, learnt in the same way. A season that is not known resembles
// a walk, so odds favour walks more.
var restOdds = [lawKinds]float64{
	walkKind: .79, levelKind: 0, meanKind: 2.61, driftKind: 1.73, lineKind: 1.08,
	returnKind: 2.44, detourKind: 4.06, inertiaKind: 1.17, swingKind: -1.90,
}

// laws lists the laws: variables that return to a mean or a line, that swing, or whose increments are correlated. These
// have few coefficients, so a young series shows which law is close, long before a regression has learnt it. The
// grid is as coarse as the loss of TestOdds allows.
var laws = newLaws()

func newLaws() []law {
	var all []law
	for _, keep := range []float64{.3, .5, .7, .8, .9, .95} {
		all = append(all, law{meanOfAll, keep, 0, returnKind})
	}
	for _, keep := range []float64{.6, .9} {
		all = append(all, law{lineOfAll, keep, 0, detourKind})
	}
	for _, keep := range []float64{.25, .6} {
		all = append(all, law{walkOnLine, 1 + keep, -keep, inertiaKind})
	}
	for _, o := range []struct {
		keep    float64 // factor of the amplitude per step
		periods []float64
	}{
		{.85, []float64{6, 8.5, 12, 20, 35}},
		{.95, []float64{5, 6, 7, 8.5, 10, 12, 15, 20, 26, 35}},
	} {
		for _, p := range o.periods {
			all = append(all, law{meanOfAll, 2 * o.keep * math.Cos(2*math.Pi/p), -o.keep * o.keep, swingKind})
		}
	}
	return all
}

// response is the forecast increment of a law over h steps, beside the slope of its centre: level times the deviation
// of the centre from the last value, plus step times the last increment minus the slope.
type response struct{ level, step float64 }

// responses returns the responses of the laws over h steps.
func responses(h int) []response {
	all := make([]response, len(laws))
	for k, l := range laws {
		// The deviation h steps after a deviation of 1 with the increment 0, and after a deviation of 0 with the increment 1.
		level, levelBefore, step, stepBefore := 1., 1., 0., -1.
		for range h {
			level, levelBefore = l.now*level+l.before*levelBefore, level
			step, stepBefore = l.now*step+l.before*stepBefore, step
		}
		all[k] = response{1 - level, step}
	}
	return all
}

var nextResponses = responses(1)
