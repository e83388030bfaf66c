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
	billTime  = 5 * time.Second // smallest time of a profile; the profiler takes 100 samples per second
	billLeast = .01             // smallest share of a printed part
	billDepth = 3               // levels of parts: package, stage, part of the stage
)

// billed lists the packages whose methods are the parts of the bill. The time of other packages, such as kernels,
// belongs to the calling part.
var billed = []string{"varmodel/auto", "varmodel/series", "varmodel/interval", "eval/anomaly", "eval", "stream/assemble", "stream/engine", "stream/run"}

// printBill prints the time per sample of each part, from profiles of a fleet whose series send rows in turn.
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

// bill maps the name of a part to its time in ns per sample, including inner parts. The whole has the name "".
type bill map[string]float64

// bill profiles runs of f until billTime has passed.
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

// order is a comparison of parts: a whole comes before its parts, and parts are sorted by descending time.
func (b bill) order(x, y string) int {
	p, q := strings.Split(x, "/"), strings.Split(y, "/")
	for n := range min(len(p), len(q)) {
		if p[n] != q[n] {
			return cmp.Or(cmp.Compare(b[strings.Join(q[:n+1], "/")], b[strings.Join(p[:n+1], "/")]), cmp.Compare(p[n], q[n]))
		}
	}
	return len(p) - len(q)
}

// partsOf returns the parts of a sample of a profile, outermost first: the package, then the types whose methods call
// each other.
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

// methodOf splits the name of a method of a billed package. ok is false for other functions.
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
