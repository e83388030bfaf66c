package anomaly

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// incident is an anomaly in the rows [from, to).
type incident struct{ from, to int }

// serviceMetric returns a metric of five-minute data with days and weeks, its forecasts, and the many small incidents of its
// last week: spikes, dips, shifts and plateaus of up to 25 rows, most of them within an hour behind the one before.
func serviceMetric(seed uint64) (y, forecasts []float64, all []incident) {
	const day, weeks = 288, 4
	r := rand.New(rand.NewPCG(seed, 30))
	season := func(i int) float64 {
		m := 5 * (math.Sin(2*math.Pi*float64(i)/day) + .4*math.Sin(4*math.Pi*float64(i)/day+1))
		if i/day%7 >= 5 {
			m *= .7
		}
		return 20 + m
	}
	noise := 0.
	for i := range weeks * 7 * day {
		noise = .6*noise + .4*r.NormFloat64()
		y = append(y, season(i)+noise)
	}
	for i := (weeks-1)*7*day + r.IntN(50); i < len(y)-40; {
		n := [...]int{1, 2, 3 + r.IntN(6), 5 + r.IntN(21)}[len(all)%4]
		size := (3 + 3*r.Float64()) * float64(1-2*r.IntN(2))
		for k := range n {
			y[i+k] += size
		}
		all = append(all, incident{i, i + n})
		if i += n + 12 + r.IntN(49); r.IntN(5) < 2 {
			i += r.IntN(300)
		}
	}
	forecasts = []float64{y[0]}
	for i := 1; i < len(y); i++ {
		forecasts = append(forecasts, season(i)+.7*(y[i-1]-season(i-1)))
	}
	return y, forecasts, all
}

// In a week of many small incidents, an incident shortly after another one is an alarm, too.
func TestIncidentsBehindIncidents(t *testing.T) {
	found, at1, total, falseAlarms, days := 0., 0., 0., 0., 0.
	for seed := range uint64(6) {
		y, forecasts, all := serviceMetric(seed)
		s := NewScorer(Config{Dim: 1})
		scores, odd := make([]float64, len(y)), make([]bool, len(y))
		for i := range y {
			scores[i], _ = s.Observe(int64(5*i)*minute, y[i:i+1], forecasts[i:i+1])
		}
		for _, a := range all {
			for i := a.from; i < min(a.to+5, len(y)); i++ {
				odd[i] = true // the return belongs to it
			}
		}
		var normal []float64
		for i, score := range scores {
			if !odd[i] {
				normal = append(normal, score)
				if score > 1 {
					falseAlarms++
				}
			}
		}
		slices.Sort(normal)
		limit := normal[len(normal)-1-len(normal)/1000] // .1 % false rows
		for _, a := range all {
			most := slices.Max(scores[a.from:a.to])
			if total++; most > limit {
				found++
			}
			if most > 1 {
				at1++
			}
		}
		days += float64(len(y)) / 288
	}
	t.Logf("%v incidents: %.2f found at .1 %% false rows, %.2f at 1, with %.2f false alarms a day", total, found/total, at1/total, falseAlarms/days)
	if found/total < .9 || at1/total < .85 || falseAlarms/days > .5 {
		t.Error("incidents behind others are lost")
	}
}

// A first weekend, lower than the workdays before it, hides no spike behind its beginning.
func TestSpikesBehindAFirstWeekend(t *testing.T) {
	const day = 96
	alarmsOf := func(weekend float64) (found, others float64) {
		for seed := range uint64(8) {
			s, r := NewScorer(Config{Dim: 1}), rand.New(rand.NewPCG(seed, 32))
			noise, last := 0., 0.
			for i := range 21 * day {
				noise = .6*noise + .4*r.NormFloat64()
				y := 20 + 3*math.Sin(2*math.Pi*float64(i)/day) + noise
				if i/day%7 >= 5 {
					y += weekend
				}
				spike := i == 6*day+day/2 || i == 8*day+day/3 || i == 11*day
				if spike {
					y += 5
				}
				s.Observe(int64(15*i)*minute, []float64{y}, []float64{last})
				if last = y; !s.Begins() {
					continue
				}
				if spike {
					found++
				} else {
					others++
				}
			}
		}
		return found, others
	}
	want, _ := alarmsOf(0)
	found, others := alarmsOf(-6)
	t.Logf("%v of %v spikes with weekends, %v without, and %v other alarms", found, 8*3, want, others)
	if found < .7*want || others > 8*8 {
		t.Errorf("%v spikes with weekends, %v without; %v other alarms", found, want, others)
	}
}

// A variable that is another one times a constant, or this rounded, adds not many alarms.
func TestAMultipleOfAVariableIsNoChronicAlarm(t *testing.T) {
	const rows, total = 20_000, 16 << 30
	count := func(seed uint64, percent func(used float64) []float64) (alarms, odd int) {
		var s *Scorer
		var last []float64
		r, load, job := rand.New(rand.NewPCG(seed, 31)), 0., 0
		for i := range rows {
			load = .9*load + r.NormFloat64()
			if job--; job < -900 && r.IntN(900) == 0 {
				job = 30 + r.IntN(60)
			}
			used := 6e9 + 8e8*math.Sin(2*math.Pi*float64(i)/1440) + 2e8*load
			if job > 0 {
				used += 2e9
			}
			used = math.Round(used/4096) * 4096
			y := append(percent(used), used, 40+3*load+r.NormFloat64(), r.ExpFloat64())
			if s == nil {
				s = NewScorer(Config{Dim: len(y)})
			}
			s.Observe(int64(i)*minute, y, last)
			if last = y; s.Begins() {
				alarms++
			}
			if s.Anomalous() {
				odd++
			}
		}
		return alarms, odd
	}
	const seeds = 3
	sum := func(percent func(used float64) []float64) (alarms, odd int) {
		for seed := range uint64(seeds) {
			a, o := count(seed, percent)
			alarms, odd = alarms+a, odd+o
		}
		return alarms, odd
	}
	alone, oddAlone := sum(func(float64) []float64 { return nil })
	for name, percent := range map[string]func(float64) []float64{
		"exact":   func(used float64) []float64 { return []float64{used / total * 100} },
		"rounded": func(used float64) []float64 { return []float64{math.Round(used/total*1e4) / 100} },
		"float32": func(used float64) []float64 { return []float64{float64(float32(used / total * 100))} },
	} {
		alarms, odd := sum(percent)
		t.Logf("%s: %d alarms and %d odd rows, %d and %d without", name, alarms, odd, alone, oddAlone)
		if alarms > alone+seeds*rows/1000/4 || odd > oddAlone+seeds*rows/1000 {
			t.Errorf("%s: %d alarms and %d odd rows, %d and %d without", name, alarms, odd, alone, oddAlone)
		}
	}
}
