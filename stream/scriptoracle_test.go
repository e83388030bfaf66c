package stream_test

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// oracle computes again, from the samples that a script of testdata/engine shows as observed, what
// the script says of forecasts, bounds, errors and scores. It knows the definitions only, and
// nothing of the engine: with d the differences of consecutive values and AE the absolute values
// of d less the mean of those before,
//
//	forecast = last + h mean(d)       bounds = forecast -+ (l+1) h mean(AE)
//	error = y - forecast of 1 step    mse = mean(error²)    skill = 1 - mse / mean((y-last)²)
type oracle struct {
	interval float64 // s; 0: consecutive samples are a step apart
	longest  float64 // steps without a sample after which nothing is known of the last value
	series   map[string][]*track
}

// track is the history of a variable.
type track struct {
	name       string
	step, time []float64
	y, last    []float64 // last: the value known after the sample
	mean, ae   []float64 // of the differences so far
	sum, sumAE float64
	n          float64
}

func (o *oracle) observe(t *track, at, y float64) (forecast float64) {
	i := len(t.y) - 1
	step, last, mean := 0., math.NaN(), 0.
	if o.interval > 0 {
		step = math.Round(at / o.interval)
	}
	if i >= 0 {
		last, mean = t.last[i], t.mean[i]
		if o.interval == 0 {
			step = t.step[i] + 1
		} else if step-t.step[i]-1 > o.longest {
			last = math.NaN()
		}
	}
	if d := y - last; !math.IsNaN(d) {
		t.sumAE += math.Abs(d - mean)
		t.sum += d
		t.n++
	}
	forecast = last + mean
	if !math.IsNaN(y) {
		last = y
	}
	n := max(t.n, 1)
	t.step, t.time, t.y, t.last = append(t.step, step), append(t.time, at), append(t.y, y), append(t.last, last)
	t.mean, t.ae = append(t.mean, t.sum/n), append(t.ae, t.sumAE/n)
	return forecast
}

// score is what the forecasts of h steps were worth until a time.
func (t *track) score(h, until float64) (n, mse, skill float64) {
	var se, naive float64
	for i, origin := range t.step {
		for k := i + 1; k < len(t.step); k++ {
			if t.step[k] != origin+h || t.time[k] > until || math.IsNaN(t.y[k]) || math.IsNaN(t.last[i]) {
				continue
			}
			e, still := t.y[k]-(t.last[i]+h*t.mean[i]), t.y[k]-t.last[i]
			n, se, naive = n+1, se+e*e, naive+still*still
		}
	}
	return n, se / n, 1 - se/naive
}

var (
	observedLine = regexp.MustCompile(`^observed (\S+) (\S+)s: (.*)$`)
	observedCell = regexp.MustCompile(`(\S+)=(\S+)(?: \(error (\S+)\))?`)
	forecastLine = regexp.MustCompile(`^forecast (\S+) (\S+)s \+ (\d+) = \S+s: (.*)$`)
	forecastCell = regexp.MustCompile(`(\S+)=(\S+)((?: \[\S+ \S+\])*)`)
	metricLine   = regexp.MustCompile(`^metric (\S+) (\S+)s drift (\S+) \+ (\d+): n=(\S+) mse=(\S+) skill=(\S+)`)
)

// TestScriptsByOracle: the engine writes its scripts itself (-rewrite), so they are computed again
// here. Left out are those about what is refused and about shared or diverging weights.
func TestScriptsByOracle(t *testing.T) {
	number := func(s string) float64 {
		if s = strings.Trim(s, "[,]"); s == "-" {
			return math.NaN()
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	// The scripts have five digits.
	same := func(got string, want float64) bool {
		v := number(got)
		return math.IsNaN(v) && math.IsNaN(want) || math.Abs(v-want) <= 5.1e-5*math.Abs(want)+1e-9
	}
	for name, least := range map[string]int{"ramp.txt": 54, "gap.txt": 41, "missing.txt": 20, "order.txt": 8, "variables.txt": 11, "baseline.txt": 30} {
		f, err := os.Open(filepath.Join("testdata/engine", name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		o, checked := &oracle{}, 0
		check := func(line, what, got string, want float64) {
			if checked++; !same(got, want) {
				t.Errorf("%s: %s\n%s %s, by hand %g", name, line, what, got, want)
			}
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			line := lines.Text()
			if strings.HasPrefix(line, "load") {
				*o = oracle{longest: math.Inf(1), series: make(map[string][]*track)}
				for _, arg := range strings.Fields(line)[1:] {
					if v, ok := strings.CutPrefix(arg, "interval="); ok {
						o.interval = number(v)
					}
					if v, ok := strings.CutPrefix(arg, "max-gap="); ok {
						o.longest = number(v)
					}
				}
			}
			if m := observedLine.FindStringSubmatch(line); m != nil {
				for j, cell := range observedCell.FindAllStringSubmatch(m[3], -1) {
					if j == len(o.series[m[1]]) {
						o.series[m[1]] = append(o.series[m[1]], &track{name: cell[1]})
					}
					y := number(cell[2])
					if forecast := o.observe(o.series[m[1]][j], number(m[2]), y); cell[3] != "" {
						check(line, "error", cell[3], y-forecast)
					}
				}
			}
			if m := forecastLine.FindStringSubmatch(line); m != nil {
				h := number(m[3])
				for j, cell := range forecastCell.FindAllStringSubmatch(m[4], -1) {
					v := o.series[m[1]][j]
					for i, at := range v.time {
						if at != number(m[2]) {
							continue
						}
						want := v.last[i] + h*v.mean[i]
						check(line, "forecast", cell[2], want)
						for l, bound := range strings.Fields(cell[3]) {
							half := float64(l/2+1) * h * v.ae[i]
							if i < 2 {
								half = math.NaN() // one difference does not show how they vary
							}
							check(line, "bound", bound, want+half*float64(2*(l%2)-1))
						}
					}
				}
			}
			if m := metricLine.FindStringSubmatch(line); m != nil {
				for _, v := range o.series[m[1]] {
					if m[3] != v.name && (m[3] != "_all" || len(o.series[m[1]]) > 1) {
						continue
					}
					n, mse, skill := v.score(number(m[4]), number(m[2]))
					check(line, "n", m[5], n)
					check(line, "mse", m[6], mse)
					if m[7] != "-" {
						check(line, "skill", m[7], skill)
					}
				}
			}
		}
		if checked < least {
			t.Errorf("%s: %d figures were checked, want %d or more", name, checked, least)
		}
	}
}
