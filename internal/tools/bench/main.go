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

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/isa"
	"github.com/orffvar/forecaster/sgd/online"
)

// section is one table of the report.
type section struct {
	name  string
	print func(r *roofline)
}

var sections = []section{
	{"replay", replayTable}, // first: see mostMemory
	{"sgd", gradientTable},
	{"rls", recursiveTable},
	{"learners", learnerTable},
	{"stages", stageTable},
	{"fleets", fleetTable},
	{"steady", steadyTable},
	{"partitions", partitionTable},
	{"memory", memoryTable},
	{"growth", growthTable},
}

func main() {
	runs := flag.Int("runs", 15, "runs of which the median is printed")
	least := flag.Duration("least", 2*time.Millisecond, "shortest run")
	only := flag.String("only", "", "one table: replay, sgd, rls, learners, stages, fleets, steady, partitions, memory or growth")
	bill := flag.Bool("bill", false, "where the time of a sample goes, of one series and of a fleet, instead of the tables")
	base := flag.String("ratio", "", "print what whole runs take over those of this program, which another commit has built")
	program := flag.String("program", "bin/forecaster", "program that -ratio compares")
	flag.Parse()
	fmt.Printf("%s, %s, %s %s/%s, kernels %s\n", time.Now().Format(time.DateOnly), processor(), runtime.Version(), runtime.GOOS, runtime.GOARCH, isa.Active.String())
	switch {
	case *bill:
		printBill()
		return
	case *base != "":
		changes, err := os.ReadFile("CHANGELOG.md")
		check(err)
		if err := printRatios(*base, *program, string(changes)); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}

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

// table prints a title and the head of a table. Columns with a name ending in a colon are aligned to the right.
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
		"shape", "variant", "ns per sample:", "bound:", "of bound:", "allocs:", "times gonum:")
	for _, s := range []shape{{5, 100, 5}, {18, 100, 18}, {31, 100, 31}, {3, 300, 3}, {31, 100, 93}, {100, 1000, 100}} {
		p := newProblem(s)
		works := []work{p.ours("sgd.FourierNLMS"), p.gonum()}
		t := r.beside(works...)
		bounds := []float64{p.bound(r), math.NaN()}
		for i, w := range works {
			print(s.String(), w, t[i], bounds[i], t[len(t)-1].ratio(t[i]))
		}
	}
}

func recursiveTable(r *roofline) {
	table("Recursive least squares, one output",
		"features", "variant", "ns per sample:", "bound:", "of bound:", "allocs:", "times gonum:")
	for _, n := range []int{50, 100, 208, 400, 1008} {
		ours, theirs := recursive(n), recursiveGonum(n)
		t := r.beside(ours, theirs)
		print(fmt.Sprint(n), ours, t[0], boundRecursive(r, n), t[1].ratio(t[0]))
		print(fmt.Sprint(n), theirs, t[1], math.NaN(), 1)
	}
}

func learnerTable(r *roofline) {
	table("Learners, a series of 7 variables", "learner", "ns per sample:", "allocs:")
	plain(r, learners())
}

func stageTable(r *roofline) {
	table(fmt.Sprintf("Stages, a series of %d variables", variables), "stage", "ns per sample:", "allocs:")
	plain(r, stages())
}

func plain(r *roofline, works []work) {
	for _, w := range works {
		t := measure(r.runs, r.least, w)[0]
		row(w.name, ns(t.median()), fmt.Sprint(t.allocs))
	}
}

func growthTable(r *roofline) {
	table("Growth: exponents of time or memory, fitted", "in", "range", "exponent:", "expected:")
	growth(r.runs, r.least)
}

// row prints a line of a table.
func row(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }

func ns(v float64) string {
	return fmt.Sprintf("%.0f", v)
}

func print(name string, w work, t timing, bound, ratio float64) {
	b, percent := "", ""
	if !math.IsNaN(bound) {
		b, percent = ns(bound), fmt.Sprintf("%.0f %%", 100*bound/t.median())
	}
	row(name, w.name, ns(t.median()), b, percent, fmt.Sprint(t.allocs), fmt.Sprintf("%.1f", ratio))
}

// learners returns workloads with the shapes of the default model at seven variables. The last workload has the shape
// of plain ORFFVAR.
func learners() []work {
	rls := func(features, outputs int, forgetting float64) work {
		l, err := online.NewRLS(online.RLSConfig{Features: features, Outputs: outputs, Ridge: 100, Forgetting: forgetting, MaxLeverage: 1})
		if err != nil {
			panic(err)
		}
		return learning(fmt.Sprintf("RLS, %d features, %d outputs, forgetting %g", features, outputs, forgetting), l, features, outputs)
	}
	newton := func(features, outputs, every int) work {
		l, err := online.NewBlockNewton(online.BlockNewtonConfig{Features: features, Outputs: outputs, Block: 48, Every: every, Ridge: 100, Forgetting: 0.9995})
		if err != nil {
			panic(err)
		}
		return learning(fmt.Sprintf("block-Newton, %d features, %d outputs, a step in %d samples", features, outputs, every), l, features, outputs)
	}
	p := newProblem(shape{7, 50, 21})
	return []work{
		rls(8, 7, 1), rls(57, 7, .999), rls(97, 1, .9998), rls(208, 7, 1), rls(229, 7, .9998),
		newton(7, 1, 8), newton(104, 7, 16), newton(141, 7, 8),
		p.ours("gradient with its 50 frequencies, 7 outputs"),
	}
}

// growth fits the exponents of the growth of time with the sizes.
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
		return newProblem(shape{5, n, 5}).ours("")
	})
	fit("dimension d = m, gradient, D = 100", []int{10, 20, 40, 80, 160}, "1", func(n int) work {
		return newProblem(shape{n, 100, n}).ours("")
	})
	fit("features 2D, RLS", []int{64, 128, 256, 512, 1024}, "2", recursive)
	sizes := []int{100, 200, 400, 800, 1600}
	var x, y []float64
	for _, n := range sizes {
		x, y = append(x, math.Log(float64(n))), append(y, math.Log(heapOf(n, func() eval.Model { return plainORFFVAR(5) })))
	}
	row("series, memory of ORFFVAR by gradient", fmt.Sprintf("%d to %d", sizes[0], sizes[len(sizes)-1]), fmt.Sprintf("%.2f", slope(x, y)), "1")
}

// slope returns the slope of the least squares line of y on x.
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

// processor returns the name of the processor, if the system reports it.
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
