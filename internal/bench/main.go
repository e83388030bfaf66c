package main

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd"
)

// A section is one table of the report.
type section struct {
	name  string
	print func(r *roofline)
}

var sections = []section{
	{"sgd", gradientTable},
	{"rls", recursiveTable},
	{"learners", learnerTable},
	{"stages", stageTable},
	{"growth", growthTable},
}

func main() {
	runs := flag.Int("runs", 9, "runs of which the median is printed")
	least := flag.Duration("least", 2*time.Millisecond, "shortest run")
	only := flag.String("only", "", "one table: sgd, rls, learners, stages or growth")
	flag.Parse()
	fmt.Printf("%s, %s, %s %s/%s, kernels %s\n", time.Now().Format(time.DateOnly), processor(), runtime.Version(), runtime.GOOS, runtime.GOARCH, vec.Active())

	r := newRoofline(*runs, *least)
	fmt.Printf("\nRoofline: %.0f GFLOP/s", r.flops)
	for _, kib := range []int{16, 128, 1024, 8192} {
		m := r.memory(kib << 10)
		fmt.Printf("; %d KiB: read %.0f GB/s, read and write %.0f GB/s", kib, m.read, m.readWrite)
	}
	fmt.Println()
	for _, s := range sections {
		if *only == "" || *only == s.name {
			s.print(r)
		}
	}
}

// table prints a title and the head of a table. Columns whose name ends in a
// colon are aligned to the right.
func table(title string, columns ...string) {
	fmt.Printf("\n%s\n\n", title)
	rule := make([]string, len(columns))
	for i, c := range columns {
		rule[i] = "---"
		if name, right := strings.CutSuffix(c, ":"); right {
			columns[i], rule[i] = name, "---:"
		}
	}
	row(columns...)
	row(rule...)
}

func gradientTable(r *roofline) {
	table("Predict and update, stochastic gradient; (outputs, frequencies, inputs)",
		"shape", "variant", "ns a sample:", "bound:", "of bound:", "allocs:", "times gonum:")
	for _, s := range []shape{{5, 100, 5}, {18, 100, 18}, {31, 100, 31}, {3, 300, 3}, {31, 100, 93}, {100, 1000, 100}} {
		p := newProblem(s)
		works := []work{oneByOne[float64](p, "one by one"), p.blocks(), oneByOne[float32](p, "float32"), p.gonum()}
		t := measure(r.runs, r.least, works...)
		bounds := []float64{s.bound(r), s.boundBlocks(r), s.boundSingle(r), math.NaN()}
		for i, w := range works {
			print(s.String(), w, t[i], bounds[i], t[len(t)-1].ratio(t[i]))
		}
	}
}

func recursiveTable(r *roofline) {
	table("Recursive least squares, one output",
		"features", "variant", "ns a sample:", "bound:", "of bound:", "allocs:", "times gonum:")
	for _, n := range []int{50, 100, 208, 400, 1008} {
		ours, theirs := recursive(n), recursiveGonum(n)
		t := measure(r.runs, r.least, ours, theirs)
		print(fmt.Sprint(n), ours, t[0], boundRecursive(r, n), t[1].ratio(t[0]))
		print(fmt.Sprint(n), theirs, t[1], math.NaN(), 1)
	}
}

func learnerTable(r *roofline) {
	table("Learners, a series of 7 coordinates", "learner", "ns a sample:", "allocs:")
	plain(r, learners())
}

func stageTable(r *roofline) {
	table(fmt.Sprintf("Stages, a series of %d coordinates", coordinates), "stage", "ns a sample:", "allocs:")
	plain(r, stages())
}

func plain(r *roofline, works []work) {
	for _, w := range works {
		t := measure(r.runs, r.least, w)[0]
		row(w.name, ns(t.median()), fmt.Sprint(t.allocs))
	}
}

func growthTable(r *roofline) {
	table("Growth: exponent of the time, fitted", "in", "range", "exponent:", "expected:")
	growth(r.runs, r.least)
}

// row prints a line of a table.
func row(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }

func ns(v float64) string {
	if v < 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

func print(name string, w work, t timing, bound, ratio float64) {
	b, percent := "", ""
	if !math.IsNaN(bound) {
		b, percent = ns(bound), fmt.Sprintf("%.0f %%", 100*bound/t.median())
	}
	row(name, w.name, ns(t.median()), b, percent, fmt.Sprint(t.allocs), fmt.Sprintf("%.1f", ratio))
}

// learners are those of the default model, auto, with their shapes at seven
// coordinates, and the ones that may replace them.
func learners() []work {
	rls := func(name string, features, outputs int, forgetting float64) work {
		l, err := sgd.NewRLS(sgd.RLSConfig{Features: features, Outputs: outputs, Ridge: 100, Forgetting: forgetting, MaxLeverage: 1})
		if err != nil {
			panic(err)
		}
		return learning(name, l, features, outputs)
	}
	newton, err := sgd.NewBlockNewton(sgd.BlockNewtonConfig{Features: 129, Outputs: 7, Block: 50, Batch: 4, Ridge: 100, Forgetting: 0.9995})
	if err != nil {
		panic(err)
	}
	gradient, err := sgd.NewNLMS(sgd.NLMSConfig{Features: 129, Outputs: 7, Step: 0.05})
	if err != nil {
		panic(err)
	}
	return []work{
		rls("auto, ar96: RLS, 97 features, one coordinate", 97, 1, 0.9998),
		rls("auto, ar6: RLS, 7 features, one coordinate", 7, 1, 0.998),
		rls("auto, var1: RLS, 8 features, 7 outputs", 8, 7, 1),
		rls("auto, orff1: RLS, 208 features, 7 outputs", 208, 7, 1),
		rls("auto, orff4: RLS, 236 features, 7 outputs, forgetting fast", 236, 7, 0.998),
		rls("auto, orff3: RLS, 229 features, 7 outputs, forgetting slowly", 229, 7, 0.9998),
		learning("block-Newton, 129 features, 7 outputs, blocks of 50", newton, 129, 7),
		learning("normalised gradient, 129 features, 7 outputs", gradient, 129, 7),
	}
}

// growth fits the exponents with which time grows in the sizes.
func growth(runs int, least time.Duration) {
	fit := func(in string, sizes []int, expected string, make func(n int) work) {
		works := []work{}
		for _, n := range sizes {
			works = append(works, make(n))
		}
		t := measure(runs, least, works...)
		var x, y []float64
		for i, n := range sizes {
			x = append(x, math.Log(float64(n)))
			y = append(y, math.Log(t[i].median()))
		}
		row(in, fmt.Sprintf("%d to %d", sizes[0], sizes[len(sizes)-1]), fmt.Sprintf("%.2f", slope(x, y)), expected)
	}
	fit("frequencies D, gradient, d = 5", []int{100, 200, 400, 800, 1600}, "1", func(n int) work {
		return oneByOne[float64](newProblem(shape{5, n, 5}), "")
	})
	fit("dimension d = m, gradient, D = 100", []int{10, 20, 40, 80, 160}, "1", func(n int) work {
		return oneByOne[float64](newProblem(shape{n, 100, n}), "")
	})
	fit("features 2D, RLS", []int{64, 128, 256, 512, 1024}, "2", recursive)
}

// slope is that of the least squares line.
func slope(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, sxx, sxy float64
	for i := range x {
		sx += x[i]
		sy += y[i]
		sxx += x[i] * x[i]
		sxy += x[i] * y[i]
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// processor names the processor, where the system tells.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
