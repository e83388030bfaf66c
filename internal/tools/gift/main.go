// Command gift evaluates the default model on a file by the protocol of GIFT-Eval (Aksu and others 2024), so that its
// figures are comparable with published figures. The test rows are the last tenth of the rows, in at most 20 windows of
// H rows without overlap. A forecast of a window uses only the rows before the window.
//
//	go run ./internal/tools/gift -season 96 -horizons 48,480,720 FILE.csv
//	go run ./internal/tools/gift -season 24 -mean 4 -horizons 48,480,720 FILE.csv
//
// FILE has the time in the first column and one variable in each other column. -mean N replaces each N rows by their
// mean.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/dataset"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/interval"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gift: ")
	season := flag.Int("season", 0, "rows in the season of the naive forecast")
	mean := flag.Int("mean", 1, "rows whose mean is one row")
	horizons := flag.String("horizons", "48,480,720", "rows in a window, separated by commas")
	tier := flag.String("tier", "full", "tier of the default model")
	flag.Parse()
	if flag.NArg() != 1 || *season < 1 || *mean < 1 {
		log.Fatal("usage: gift -season M [-mean K] [-horizons H,...] [-tier full|light|tiny] FILE.csv")
	}
	s, err := read(flag.Arg(0), *mean)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("| file | rows | H | windows | MASE | seasonal naive | ratio | CRPS |\n|---|---|---|---|---|---|---|---|")
	for h := range strings.SplitSeq(*horizons, ",") {
		horizon, err := strconv.Atoi(h)
		if err != nil || horizon < 1 || 11*horizon > 10*len(s.Rows) {
			log.Fatalf("-horizons: %q is no number of rows below the length of the file", h)
		}
		r, err := evaluate(s, *season, horizon, auto.Tier(*tier))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("| %s | %d | %d | %d | %.3f | %.3f | %.3f | %.4f |\n", filepath.Base(flag.Arg(0)), len(s.Rows), horizon, r.windows, r.mase, r.naive, r.mase/r.naive, r.crps)
	}
}

// read returns the only series of a file. If mean > 1, each group of mean rows is replaced by its mean.
func read(path string, mean int) (*scoring.Series, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	d, err := dataset.Read(filepath.Base(path), file)
	if err != nil {
		return nil, err
	}
	all := d.Series[0]
	s := &scoring.Series{Name: all.Name}
	for i := 0; i+mean <= len(all.Rows); i += mean {
		row := make([]float64, d.Dim())
		for _, y := range all.Rows[i : i+mean] {
			for j, v := range y {
				row[j] += v / float64(mean)
			}
		}
		s.Rows, s.Times = append(s.Rows, row), append(s.Times, all.Times[i])
	}
	return s, nil
}

// level is the level of the intervals from which the quantiles are computed.
const level = .8

// result holds means over windows and variables.
type result struct {
	windows     int
	mase, naive float64 // mean absolute error / mean absolute error of the seasonal naive forecast in the past
	crps        float64 // 2 sum of the quantile losses / sum |y|, mean over the nine quantiles
}

func evaluate(s *scoring.Series, season, horizon int, tier auto.Tier) (result, error) {
	d, n := len(s.Rows[0]), len(s.Rows)
	var r result
	r.windows = min(max((n+9)/10/horizon, 1), 20)
	model, err := auto.New(auto.Config{Dim: d, Horizon: horizon, Tier: tier})
	if err != nil {
		return r, err
	}
	if model, err = interval.WithIntervals(model, interval.Config{Dim: d, Horizon: horizon, Levels: []float64{level}}); err != nil {
		return r, err
	}
	f := model.NewSeries()
	clock, _ := eval.As[eval.Clocked](f)
	bounder, _ := eval.As[eval.Bounder](f)
	forecast := make([]float64, horizon*d)
	lower, upper := make([]float64, horizon*d), make([]float64, horizon*d)
	horizons := make([]int, horizon)
	for h := range horizons {
		horizons[h] = h + 1
	}
	distribution, err := interval.NewDistribution(d, horizons, level)
	if err != nil {
		return r, err
	}
	quantiles := make([]float64, interval.Quantiles*horizon*d)
	begin := n - r.windows*horizon
	var loss, size float64
	known := false
	for i, y := range s.Rows {
		if i >= begin && (i-begin)%horizon == 0 {
			if !known {
				return r, fmt.Errorf("%s: no forecast after %d rows", s.Name, i)
			}
			truth := s.Rows[i : i+horizon]
			r.score(s.Rows[:i], truth, forecast, season)
			distribution.QuantilesTo(quantiles)
			l, z := quantileLoss(truth, quantiles)
			loss, size = loss+l, size+z
		}
		clock.SetTime(s.Times[i])
		if err := f.Observe(y); err != nil {
			return r, err
		}
		distribution.Observe(y)
		if known = f.ForecastTo(forecast) && bounder.BoundsTo(lower, upper); known {
			distribution.Issue(forecast, lower, upper)
		} else {
			distribution.ResetLags()
		}
	}
	r.crps = loss / size
	r.mase /= float64(r.windows * d)
	r.naive /= float64(r.windows * d)
	return r, nil
}

// score adds the scaled errors of a forecast of a window, and of the seasonal naive forecast. past holds the rows
// before the window.
func (r *result) score(past, truth [][]float64, forecast []float64, season int) {
	for j := range truth[0] {
		var scale, e, naive float64
		for i := season; i < len(past); i++ {
			scale += math.Abs(past[i][j]-past[i-season][j]) / float64(len(past)-season)
		}
		for h, y := range truth {
			e += math.Abs(y[j]-forecast[h*len(y)+j]) / float64(len(truth))
			naive += math.Abs(y[j]-past[len(past)-season+h%season][j]) / float64(len(truth))
		}
		r.mase += e / scale
		r.naive += naive / scale
	}
}

// quantileLoss returns the sum over a window of twice the mean quantile loss, and the sum of the absolute values.
func quantileLoss(truth [][]float64, quantiles []float64) (loss, size float64) {
	for h, y := range truth {
		for j, v := range y {
			for o := range interval.Quantiles {
				e, tau := v-quantiles[(o*len(truth)+h)*len(y)+j], interval.Order(o)
				loss += max(tau*e, (tau-1)*e) * 2 / interval.Quantiles
			}
			size += math.Abs(v)
		}
	}
	return loss, size
}
