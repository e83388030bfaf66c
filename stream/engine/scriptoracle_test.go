package engine_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/orffvar/forecaster/stream/streamtest"
)

// oracle computes again, from the records of a script of testdata/engine, what the script says of
// samples, gaps, forecasts, bounds, errors and scores. It knows the definitions only, and nothing
// of the engine: with d the differences of consecutive values and AE the absolute values of d less
// the mean of those before,
//
//	sample = the latest value of each variable of the records that fall into the interval
//	gap = intervals without a sample
//	forecast = last + h mean(d)       bounds = forecast -+ (l+1) h mean(AE)
//	error = y - forecast of 1 step    mse = mean(error²)    skill = 1 - mse / mean((y-last)²)
type oracle struct {
	interval  float64 // s; 0: consecutive samples are a step apart
	longest   float64 // steps without a sample after which nothing is known of the last value
	gathered  bool    // several records may make a sample
	filled    bool    // a variable without a value has that before, for at most longest steps
	shared    bool    // series of as many variables have the mean differences in common
	variables []string
	bounds    bool
	baseline  float64 // skill against a baseline, which is the model once more; NaN without one

	records map[place]map[string]value // not yet observed
	series  map[string][]*track        // by name and variables
	ends    map[string]float64         // time of the last sample
	weights map[string]*weights
}

type place struct {
	series string
	time   float64
}

type value struct{ v, time float64 }

// weights are the sum and the number of the differences of a variable.
type weights struct{ sum, n float64 }

func (w weights) mean() float64 { return w.sum / max(w.n, 1) }

// track is the history of a variable.
type track struct {
	name       string
	step, time []float64
	y, last    []float64 // last: the value known after the sample
	mean, ae   []float64 // of the differences so far
	weights    *weights
	sumAE, n   float64

	given value // last value in a record; its time is in steps
}

// record adds a record that is not refused.
func (o *oracle) record(t *testing.T, line string) {
	fields := strings.Fields(line)
	for strings.HasPrefix(fields[0], "@") || strings.HasPrefix(fields[0], "now=") {
		fields = fields[1:]
	}
	time := number(t, fields[1])
	at := place{fields[0], time}
	if o.gathered {
		at.time = math.Round(time/o.interval) * o.interval
	}
	row := o.records[at]
	if row == nil {
		row = make(map[string]value)
		o.records[at] = row
	}
	for k, f := range fields[2:] {
		name, v, named := strings.Cut(f, "=")
		if !named {
			v, name = f, fmt.Sprintf("y%d", k+1)
			if o.variables != nil {
				name = o.variables[k]
			}
		}
		if old, ok := row[name]; v != "-" && !(ok && old.time > time) {
			row[name] = value{number(t, v), time}
		}
	}
}

// sample returns the values of a sample, and removes its records.
func (o *oracle) sample(s []*track, at place) []float64 {
	row := o.records[at]
	delete(o.records, at)
	y := make([]float64, len(s))
	for j, t := range s {
		step := math.Round(at.time / o.interval)
		v, ok := row[t.name]
		switch {
		case ok:
			t.given = value{v.v, step}
		case !o.filled || step-t.given.time > o.longest:
			v.v = math.NaN()
		default:
			v.v = t.given.v
		}
		y[j] = v.v
	}
	return y
}

// learn adds a sample to a series. It returns the number of samples missing before it, and the
// forecasts of one step that were made for it, all NaN if one of them was not known.
func (o *oracle) learn(s []*track, at float64, y []float64) (gap float64, forecasts []float64) {
	for j, t := range s {
		var forecast float64
		gap, forecast = o.learnOne(t, at, y[j])
		forecasts = append(forecasts, forecast)
	}
	if gap > 0 || slices.ContainsFunc(forecasts, math.IsNaN) {
		for j := range forecasts {
			forecasts[j] = math.NaN()
		}
	}
	for _, t := range s {
		i := len(t.y) - 1
		if slices.Contains(y, streamtest.Poison) { // a new model
			t.last[i] = math.NaN()
			*t.weights, t.sumAE, t.n = weights{}, 0, 0
		}
	}
	return gap, forecasts
}

func (o *oracle) learnOne(t *track, at, y float64) (gap, forecast float64) {
	i := len(t.y) - 1
	step, last, mean := 0., math.NaN(), 0.
	if o.interval > 0 {
		step = math.Round(at / o.interval)
	}
	if i >= 0 {
		last, mean = t.last[i], t.mean[i]
		if o.interval == 0 {
			step = t.step[i] + 1
		} else if gap = step - t.step[i] - 1; gap > o.longest {
			last = math.NaN()
		}
	}
	forecast = last + mean
	if d := y - last; !math.IsNaN(d) {
		t.sumAE += math.Abs(d - t.weights.mean())
		t.n++
		t.weights.sum += d
		t.weights.n++
	}
	if !math.IsNaN(y) {
		last = y
	}
	t.step, t.time, t.y, t.last = append(t.step, step), append(t.time, at), append(t.y, y), append(t.last, last)
	t.mean, t.ae = append(t.mean, t.weights.mean()), append(t.ae, t.sumAE/max(t.n, 1))
	return gap, forecast
}

// score is what the forecasts of h steps were worth until a time, for several variables in units of
// the variance of the targets.
func score(tracks []*track, h, until float64) (n, mse, skill, coverage float64) {
	var errors, naives float64
	for _, t := range tracks {
		var se, still, inside, bounded float64
		var y []float64
		for i, origin := range t.step {
			for k := i + 1; k < len(t.step); k++ {
				if t.step[k] != origin+h || t.time[k] > until || math.IsNaN(t.y[k]) || math.IsNaN(t.last[i]) {
					continue
				}
				e := t.y[k] - (t.last[i] + h*t.mean[i])
				y, se, still = append(y, t.y[k]), se+e*e, still+(t.y[k]-t.last[i])*(t.y[k]-t.last[i])
				if i >= 2 {
					bounded++
					if math.Abs(e) <= h*t.ae[i] {
						inside++
					}
				}
			}
		}
		n = float64(len(y))
		unit := 1.
		if len(tracks) > 1 {
			unit = stat.PopVariance(y, nil)
		}
		all := float64(len(tracks))
		mse, coverage = mse+se/n/all, coverage+inside/bounded/all
		errors, naives = errors+se/n/unit, naives+still/n/unit
	}
	return n, mse, 1 - errors/naives, coverage
}

// begin starts over with the settings of an engine.
func (o *oracle) begin(t *testing.T, settings string) {
	*o = oracle{
		longest: math.Inf(1), baseline: math.NaN(), records: make(map[place]map[string]value), series: make(map[string][]*track),
		ends: make(map[string]float64), weights: make(map[string]*weights),
	}
	for _, arg := range strings.Fields(settings) {
		key, v, _ := strings.Cut(arg, "=")
		switch key {
		case "interval":
			if o.interval = number(t, v); math.IsInf(o.longest, 1) {
				o.longest = 0
			}
		case "max-gap":
			o.longest = number(t, v)
		case "wait":
			o.gathered = true
		case "fill":
			o.filled = v == "last"
		case "levels":
			o.bounds = true
		case "baseline":
			o.baseline = 0
		case "scope":
			o.shared = v == "shared"
		case "variables":
			o.variables = strings.Split(strings.Trim(v, "()"), ",")
		}
	}
}

// tracksOf returns the histories of the variables of a series.
func (o *oracle) tracksOf(name string, cells [][]string) []*track {
	id := name
	for _, c := range cells {
		id += " " + c[1]
	}
	for j := len(o.series[id]); j < len(cells); j++ {
		model := fmt.Sprintf("%s: %d", id, j)
		if o.shared {
			model = fmt.Sprintf("%d of %d", j, len(cells))
		}
		if o.weights[model] == nil {
			o.weights[model] = &weights{}
		}
		o.series[id] = append(o.series[id], &track{
			name: cells[j][1], weights: o.weights[model], given: value{time: math.Inf(-1)},
		})
	}
	return o.series[id]
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	if s = strings.Trim(s, "[,]"); s == "-" || s == "" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var (
	gapLine      = regexp.MustCompile(`^event (\S+) (\S+)s: gap: (\d+) samples? missing`)
	observedLine = regexp.MustCompile(`^observed (\S+) (\S+)s: (.*)$`)
	observedCell = regexp.MustCompile(`(\S+)=(\S+)(?: \(error (\S+)\))?`)
	forecastLine = regexp.MustCompile(`^forecast (\S+) (\S+)s \+ (\d+) = \S+s: (.*)$`)
	forecastCell = regexp.MustCompile(`(\S+)=(\S+)((?: \[\S+ \S+\])*)`)
	metricLine   = regexp.MustCompile(`^metric (\S+) (\S+)s (\S+) (\S+) \+ (\d+): n=(\S+) mse=(\S+) skill=(\S+) var=(\S+) coverage=(\S+)`)
)

// TestScriptsByOracle: the engine writes its scripts itself (-rewrite), so they are computed again
// here. Refusals stand in the records of the scripts, which nobody rewrites.
func TestScriptsByOracle(t *testing.T) {
	for name, figures := range map[string]int{
		"ramp.txt": 77, "gap.txt": 75, "missing.txt": 47, "order.txt": 22, "variables.txt": 26, "baseline.txt": 68,
		"assembly.txt": 187, "limits.txt": 10, "rescue.txt": 77, "schema.txt": 55, "shared.txt": 38,
	} {
		text, err := os.ReadFile(filepath.Join("testdata/engine", name))
		if err != nil {
			t.Fatal(err)
		}
		o, checked := &oracle{}, 0
		check := func(line, what, got string, want float64) {
			checked++ // the scripts have five digits
			if v := number(t, got); !(math.IsNaN(v) && math.IsNaN(want) || math.Abs(v-want) <= 5.1e-5*math.Abs(want)+1e-9) {
				t.Errorf("%s: %s\n%s %s, by hand %g", name, line, what, got, want)
			}
		}
		lost := func() {
			for at := range o.records {
				if end, ok := o.ends[at.series]; ok && at.time <= end {
					t.Errorf("%s: the sample of %s at %g s is not observed", name, at.series, at.time)
				}
			}
		}
		gaps := make(map[place]string)
		input := false
		for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
			line := lines.Text()
			switch {
			case line == "step":
				input = true
			case line == "----":
				input = false
			case input && !strings.Contains(line, "#"):
				o.record(t, line)
			}
			if settings, ok := strings.CutPrefix(line, "load"); ok {
				lost()
				o.begin(t, settings)
				clear(gaps)
			}
			if m := gapLine.FindStringSubmatch(line); m != nil {
				gaps[place{m[1], number(t, m[2])}] = m[3]
			}
			if m := observedLine.FindStringSubmatch(line); m != nil {
				cells := observedCell.FindAllStringSubmatch(m[3], -1)
				at, s := place{m[1], number(t, m[2])}, o.tracksOf(m[1], cells)
				y := o.sample(s, at)
				gap, forecasts := o.learn(s, at.time, y)
				check(line, "gap", "0"+gaps[at], gap)
				for j, cell := range cells {
					check(line, "value", cell[2], y[j])
					check(line, "error", cell[3], y[j]-forecasts[j])
				}
				o.ends[at.series] = at.time
			}
			if m := forecastLine.FindStringSubmatch(line); m != nil {
				h, cells := number(t, m[3]), forecastCell.FindAllStringSubmatch(m[4], -1)
				for j, v := range o.tracksOf(m[1], cells) {
					i := slices.Index(v.time, number(t, m[2]))
					if i < 0 {
						t.Fatalf("%s: %s\nno sample", name, line)
					}
					want := v.last[i] + h*v.mean[i]
					check(line, "forecast", cells[j][2], want)
					for l, bound := range strings.Fields(cells[j][3]) {
						half := float64(l/2+1) * h * v.ae[i]
						if i < 2 {
							half = math.NaN() // one difference does not show how they vary
						}
						check(line, "bound", bound, want+half*float64(2*(l%2)-1))
					}
				}
			}
			if m := metricLine.FindStringSubmatch(line); m != nil {
				for id, s := range o.series {
					if !strings.HasPrefix(id, m[1]+" ") {
						continue
					}
					s = slices.DeleteFunc(slices.Clone(s), func(v *track) bool { return m[4] != v.name && m[4] != "_all" })
					n, mse, skill, coverage := score(s, number(t, m[5]), number(t, m[2]))
					if m[4] == "_all" && n < 2 {
						skill = math.NaN() // one value has no variance
					}
					if m[3] != "drift" || !o.bounds {
						coverage = math.NaN()
					}
					check(line, "n", m[6], n)
					check(line, "mse", m[7], mse)
					check(line, "skill", m[8], skill)
					check(line, "skill against the baseline", m[9], o.baseline)
					check(line, "coverage", m[10], coverage)
				}
			}
		}
		lost()
		if checked != figures {
			t.Errorf("%s: %d figures were checked, want %d", name, checked, figures)
		}
	}
}
