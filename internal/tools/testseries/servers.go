package testseries

import (
	"math"
	"math/rand/v2"
)

// Numbers of rows of Servers: a normal history, then rows with anomalies.
const (
	ServersDim     = 38
	ServersHistory = 8000
	ServersRows    = 18000
)

// Incident is an anomaly of some variables in the rows [From, To).
type Incident struct {
	From, To  int
	Variables []int
}

// Servers returns the rows of a server machine, and its incidents. There are 38 variables: eight rest at 0 and move in
// one row of a hundred, three are constant, and the others follow a daily load and four factors. Some of these are
// skewed, or rounded to steps of 0.01. Incidents last 15 to 700 rows. In an incident many variables deviate moderately,
// few variables deviate strongly, some variables lose their relation to the others, or resting variables move.
func Servers(seed uint64) (rows [][]float64, incidents []Incident) {
	rng := rand.New(rand.NewPCG(seed, 38))
	for at := ServersHistory + 300; at < ServersRows-900; {
		length := int(15 * math.Exp(rng.Float64()*math.Log(700./15)))
		count := [...]int{2 + rng.IntN(3), 8 + rng.IntN(12), 4 + rng.IntN(6), 5 + rng.IntN(6)}[len(incidents)%4]
		incidents = append(incidents, Incident{at, at + length, rng.Perm(ServersDim)[:count]})
		at += length + 200 + rng.IntN(600)
	}
	const factors = 4
	var loadings, lag, own [ServersDim][factors + 1]float64
	var f [factors]float64
	for j := range loadings {
		for k := range loadings[j] {
			loadings[j][k] = rng.NormFloat64() * rng.Float64()
		}
		own[j][0] = .2 + .5*rng.Float64()
	}
	rows = make([][]float64, ServersRows)
	for i := range rows {
		for k := range f {
			f[k] = .97*f[k] + .24*rng.NormFloat64()
			if rng.Float64() < .001 { // a job of a normal day
				f[k] += 1 + rng.ExpFloat64()
			}
		}
		day := math.Sin(2 * math.Pi * float64(i) / 1440)
		y := make([]float64, ServersDim)
		for j := range y {
			l := &lag[j]
			l[0] = .8*l[0] + .6*rng.NormFloat64()
			l[1] = loadings[j][factors] * day
			for k, v := range f {
				l[1] += loadings[j][k] * v
			}
			if j%3 == 0 { // queues and latencies grow faster than the load
				l[1] += .3 * l[1] * math.Abs(l[1])
			}
			y[j] = l[1] + own[j][0]*l[0]
		}
		rows[i] = y
	}
	for n, a := range incidents {
		for _, j := range a.Variables {
			sign, size, other := float64(1-2*rng.IntN(2)), 0., rng.NormFloat64()
			switch n % 4 {
			case 0:
				size = 4 + 3*rng.Float64()
			case 1, 3:
				size = 1.5 + 1.5*rng.Float64()
			}
			for i := a.From; i < a.To; i++ {
				if y := &rows[i][j]; n%4 == 2 {
					other = .97*other + .24*rng.NormFloat64()
					*y = 2 * other
				} else {
					*y += sign * size
				}
			}
		}
	}
	// What a counter or a gauge makes of them.
	awake := func(i, j int) bool {
		for n, a := range incidents {
			if i < a.From || i >= a.To {
				continue
			}
			for _, v := range a.Variables {
				if v == j {
					return n%2 == 1 && rng.Float64() < .3
				}
			}
		}
		return rng.Float64() < .01
	}
	for i, y := range rows {
		for j := range y {
			switch {
			case j%5 == 4 || j == 0:
				if moves := awake(i, j); moves {
					y[j] = .05 * rng.ExpFloat64()
				} else {
					y[j] = 0
				}
			case j%12 == 1:
				y[j] = 1
			case j%4 == 2:
				y[j] = math.Exp(.7 * y[j])
			case j%4 == 3:
				y[j] = math.Round(10*y[j]) / 100
			}
		}
	}
	return rows, incidents
}
