package varmodel

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/orffvar/forecaster/eval"
)

// dataDir is where the series of the protocols lie: the environment variable
// FORECASTER_DATA, or ../shared/data beside the repository.
func dataDir(t testing.TB) string {
	dir := os.Getenv("FORECASTER_DATA")
	if dir == "" {
		dir = "../../shared/data"
	}
	if _, err := os.Stat(filepath.Join(dir, "ETTh2.csv")); err != nil {
		t.Skipf("no data in %s; set FORECASTER_DATA to the folder that has ETTh2.csv", dir)
	}
	return dir
}

// readSeries reads a CSV file without its first column; empty cells are NaN.
func readSeries(t testing.TB, name string) [][]float64 {
	f, err := os.Open(filepath.Join(dataDir(t), name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var x [][]float64
	for _, r := range records[1:] {
		row := make([]float64, len(r)-1)
		for j, s := range r[1:] {
			row[j] = math.NaN()
			if s != "" {
				if row[j], err = strconv.ParseFloat(s, 64); err != nil {
					t.Fatal(err)
				}
			}
		}
		x = append(x, row)
	}
	return x
}

// fillForward replaces a missing value by the one before it, or by 0.
func fillForward(x [][]float64) {
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

// protocolB is a series with the rows that scale errors and the rows that are
// scored.
type protocolB struct {
	name       string
	x          [][]float64
	train      int
	begin, end int
	sd         []float64 // 0: constant, not scored
}

func newProtocolB(name string, x [][]float64) *protocolB {
	p := &protocolB{name: name, x: x}
	n := len(x)
	p.train, p.begin, p.end = n/5, n-int(.75*float64(n)), n
	if name == "ETTh2" {
		p.x = x[:14400]
		p.train, p.begin, p.end = 2880, 3600, 14400
	}
	for j := range x[0] {
		s := columnSD(x[:p.train], j)
		if s < 1e-9 {
			s = columnSD(x[p.begin:p.end], j)
		}
		if s < 1e-9 {
			s = 0
		}
		p.sd = append(p.sd, s)
	}
	return p
}

func columnSD(x [][]float64, j int) float64 {
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

// run feeds the series to the model and returns, for each horizon in hs, the
// mean squared error in units of sd, averaged over coordinates and scored rows.
func (p *protocolB) run(t testing.TB, m eval.Model, horizon int, hs ...int) []float64 {
	t.Helper()
	if len(hs) == 0 {
		hs = []int{1}
	}
	d := len(p.sd)
	f := m.NewSeries()
	sum := make([][]float64, len(hs))
	num := make([][]float64, len(hs))
	for i := range hs {
		sum[i], num[i] = make([]float64, d), make([]float64, d)
	}
	dst := make([]float64, horizon*d)
	for i, row := range p.x {
		if err := f.Observe(row); err != nil {
			t.Fatal(err)
		}
		ok := f.ForecastTo(dst)
		for k, h := range hs {
			target := i + h
			if target < p.begin || target >= p.end {
				continue
			}
			if !ok {
				t.Fatalf("%s: no forecast at row %d", p.name, i)
			}
			for j, s := range p.sd {
				y := p.x[target][j]
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

// nine are the series of the reference table.
var nine = []string{
	"ETTh2", "exchange_rate", "santafe_b1", "gesture_a1", "gesture_b1",
	"macrodata", "skab_valve1", "air_quality_uci", "asd_omi_1_test",
}

func loadB(t testing.TB, name string) *protocolB {
	x := readSeries(t, name+".csv")
	fillForward(x)
	return newProtocolB(name, x)
}
