package modeltest

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/orffvar/forecaster/eval"
)

// DataDir returns the folder with the series of the protocols: the environment variable FORECASTER_DATA, or else
// ../../shared/data. It skips the test if the folder has no file ETTh2.csv.
func DataDir(t testing.TB) string {
	dir := os.Getenv("FORECASTER_DATA")
	if dir == "" {
		dir = "../../shared/data"
	}
	if _, err := os.Stat(filepath.Join(dir, "ETTh2.csv")); err != nil {
		t.Skipf("no data in %s; set FORECASTER_DATA to the folder that has ETTh2.csv", dir)
	}
	return dir
}

// ReadRows returns the rows of a CSV file of DataDir, without the header.
func ReadRows(t testing.TB, name string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(DataDir(t), name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records[1:]
}

// ReadSeries returns the rows of a CSV file of DataDir, without the header and the first column. Empty cells are NaN.
func ReadSeries(t testing.TB, name string) [][]float64 {
	var x [][]float64
	for _, r := range ReadRows(t, name) {
		row := make([]float64, len(r)-1)
		for j, s := range r[1:] {
			row[j] = math.NaN()
			if s != "" {
				v, err := strconv.ParseFloat(s, 64)
				if err != nil {
					t.Fatal(err)
				}
				row[j] = v
			}
		}
		x = append(x, row)
	}
	return x
}

// FillForward replaces each NaN by the value in the row before, in the first row by 0.
func FillForward(x [][]float64) {
	for i, row := range x {
		for j, v := range row {
			if math.IsNaN(v) {
				if row[j] = 0; i > 0 {
					row[j] = x[i-1][j]
				}
			}
		}
	}
}

// ProtocolB is a series with training rows, which scale the errors, and scored rows.
type ProtocolB struct {
	Name       string
	X          [][]float64
	Train      int
	Begin, End int
	Sd         []float64 // dim: standard deviation of the first Train rows; 0: constant coordinate, not scored
}

func NewProtocolB(name string, x [][]float64) *ProtocolB {
	p := &ProtocolB{Name: name, X: x}
	n := len(x)
	p.Train, p.Begin, p.End = n/5, n-int(.75*float64(n)), n
	if name == "ETTh2" {
		p.X = x[:14400]
		p.Train, p.Begin, p.End = 2880, 3600, 14400
	}
	for j := range x[0] {
		s := ColumnSD(x[:p.Train], j)
		if s < 1e-9 {
			s = ColumnSD(x[p.Begin:p.End], j)
		}
		if s < 1e-9 {
			s = 0
		}
		p.Sd = append(p.Sd, s)
	}
	return p
}

func ColumnSD(x [][]float64, j int) float64 {
	var n, m, s float64
	for _, row := range x {
		if v := row[j]; !math.IsNaN(v) {
			n++
			m += v
		}
	}
	m /= n
	for _, row := range x {
		if v := row[j]; !math.IsNaN(v) {
			s += (v - m) * (v - m)
		}
	}
	return math.Sqrt(s / n)
}

// Run runs a model over the series. It returns, for each horizon in hs, the mean squared error in units of Sd^2,
// averaged over scored rows and coordinates. No hs: horizon 1.
func (p *ProtocolB) Run(t testing.TB, m eval.Model, horizon int, hs ...int) []float64 {
	t.Helper()
	if len(hs) == 0 {
		hs = []int{1}
	}
	d := len(p.Sd)
	f := m.NewSeries()
	sum := make([][]float64, len(hs))
	num := make([][]float64, len(hs))
	for i := range hs {
		sum[i], num[i] = make([]float64, d), make([]float64, d)
	}
	dst := make([]float64, horizon*d)
	for i, row := range p.X {
		if err := f.Observe(row); err != nil {
			t.Fatal(err)
		}
		ok := f.ForecastTo(dst)
		for k, h := range hs {
			target := i + h
			if target < p.Begin || target >= p.End {
				continue
			}
			if !ok {
				t.Fatalf("%s: no forecast at row %d", p.Name, i)
			}
			for j, s := range p.Sd {
				y := p.X[target][j]
				if s == 0 || math.IsNaN(y) {
					continue
				}
				e := (dst[(h-1)*d+j] - y) / s
				sum[k][j] += e * e
				num[k][j]++
			}
		}
	}
	mse := make([]float64, len(hs))
	for k := range hs {
		var n float64
		for j := range sum[k] {
			if num[k][j] > 0 {
				mse[k] += sum[k][j] / num[k][j]
				n++
			}
		}
		mse[k] /= n
	}
	return mse
}

// Nine lists the names of the series in the reference table.
var Nine = []string{
	"ETTh2", "exchange_rate", "santafe_b1", "gesture_a1", "gesture_b1",
	"macrodata", "skab_valve1", "air_quality_uci", "asd_omi_1_test",
}

func LoadB(t testing.TB, name string) *ProtocolB {
	x := ReadSeries(t, name+".csv")
	FillForward(x)
	return NewProtocolB(name, x)
}

// Measuring skips a test of several minutes unless the environment variable FORECASTER_MEASURE is set.
func Measuring(t *testing.T) {
	t.Helper()
	if os.Getenv("FORECASTER_MEASURE") == "" {
		t.Skip("a measurement of minutes; set FORECASTER_MEASURE=1")
	}
}

func LoadNine(t *testing.T) []*ProtocolB {
	var sets []*ProtocolB
	for _, n := range Nine {
		sets = append(sets, LoadB(t, n))
	}
	return sets
}

// Relative returns the mean squared errors of m on each of the series: absolute on ETTh2, the others relative to naive;
// and the geometric mean of all errors relative to naive.
func Relative(t testing.TB, sets []*ProtocolB, naive, m func(dim int) (eval.Model, error)) (values []float64, mean float64) {
	t.Helper()
	for _, p := range sets {
		model, err := m(len(p.Sd))
		if err != nil {
			t.Fatal(err)
		}
		baseline, err := naive(len(p.Sd))
		if err != nil {
			t.Fatal(err)
		}
		v, base := p.Run(t, model, 1)[0], p.Run(t, baseline, 1)[0]
		mean += math.Log(v/base) / float64(len(sets))
		if p.Name != "ETTh2" {
			v /= base
		}
		values = append(values, v)
	}
	return values, math.Exp(mean)
}
