package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

const (
	billTime  = 5 * time.Second // of a profile, at least: the profiler looks a hundred times a second
	billLeast = .01             // share of the parts that are printed
	billDepth = 3               // package, stage, part of the stage
)

// billed are the packages whose methods are the parts of the bill. The time of other packages, kernels among them,
// belongs to the part that calls them.
var billed = []string{"varmodel/auto", "varmodel/series", "varmodel/interval", "eval/anomaly", "eval", "stream/assemble", "stream/engine", "stream/run"}

// printBill prints where the time of a sample goes, from profiles of series that send rows in turn.
func printBill() {
	for _, f := range []fleet{{1, 10_000, 7}, {100, 300, 7}} {
		for _, tier := range []string{"tiny", "light", "full"} {
			for _, horizon := range []int{1, 12, 48} {
				b := f.bill(tier, horizon)
				table(fmt.Sprintf("%s rows, tier %s, %d steps: %s ns per sample", f, tier, horizon, ns(b[""])), "part", "share:", "ns per sample:")
				for _, part := range slices.SortedFunc(maps.Keys(b), b.order) {
					if share := b[part] / b[""]; part != "" && share >= billLeast {
						names := strings.Split(part, "/")
						row(strings.Repeat("  ", len(names)-1)+names[len(names)-1], fmt.Sprintf("%.1f %%", 100*share), ns(b[part]))
					}
				}
			}
		}
	}
}

// bill is the time in ns per sample of each part, and of the parts within it. The whole has the name "".
type bill map[string]float64

// bill runs f until billTime has passed.
func (f fleet) bill(tier string, horizon int) bill {
	var buffer bytes.Buffer
	check(pprof.StartCPUProfile(&buffer))
	begin, samples := time.Now(), 0
	for time.Since(begin) < billTime {
		f.run(tier, horizon, func(int) {})
		samples += f.series * f.rows
	}
	pprof.StopCPUProfile()
	p, err := profile.Parse(&buffer)
	check(err)
	b := make(bill)
	for _, s := range p.Sample {
		nanoseconds := float64(s.Value[len(s.Value)-1]) / float64(samples)
		parts := partsOf(s)
		for n := range len(parts) + 1 {
			b[strings.Join(parts[:n], "/")] += nanoseconds
		}
	}
	return b
}

// order puts the parts of a whole behind it, the dearest first.
func (b bill) order(x, y string) int {
	p, q := strings.Split(x, "/"), strings.Split(y, "/")
	for n := range min(len(p), len(q)) {
		if p[n] != q[n] {
			return cmp.Or(cmp.Compare(b[strings.Join(q[:n+1], "/")], b[strings.Join(p[:n+1], "/")]), cmp.Compare(p[n], q[n]))
		}
	}
	return len(p) - len(q)
}

// partsOf returns the parts in which a sample of a profile was taken, from the outermost to the innermost one: the
// package, and the types whose methods called each other.
func partsOf(s *profile.Sample) []string {
	var parts []string
	for _, location := range slices.Backward(s.Location) {
		for _, line := range slices.Backward(location.Line) {
			pkg, receiver, ok := methodOf(line.Function.Name)
			if !ok {
				continue
			}
			pkg = strings.ReplaceAll(pkg, "/", ".")
			if len(parts) == 0 || parts[0] != pkg {
				parts = []string{pkg}
			}
			if len(parts) < billDepth && !slices.Contains(parts, receiver) {
				parts = append(parts, receiver)
			}
		}
	}
	if parts == nil {
		return []string{"rest: garbage collection and the tool itself"}
	}
	return parts
}

// methodOf splits the name of a method of a billed package.
func methodOf(function string) (pkg, receiver string, ok bool) {
	name, ok := strings.CutPrefix(function, "github.com/orffvar/forecaster/")
	if !ok {
		return "", "", false
	}
	slash := strings.LastIndex(name, "/") + 1
	dot := strings.Index(name[slash:], ".") + slash
	pkg, name = name[:dot], name[dot+1:]
	receiver, _, ok = strings.Cut(name, ".")
	receiver = strings.Trim(receiver, "(*)")
	return pkg, receiver, ok && slices.Contains(billed, pkg) && receiver != "autoSeries"
}
