// Command faultsim replays one seed of the simulation, or searches many seeds for a failure.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/orffvar/forecaster/internal/tools/faultsim"
)

func main() {
	seed := flag.Uint64("seed", 1, "first seed")
	seeds := flag.Uint64("seeds", 1, "number of seeds")
	bug := flag.String("bug", "", fmt.Sprintf("mistake to plant: one of %v", faultsim.Bugs))
	only := flag.String("only", "", fmt.Sprintf("kind of failure, and no other: one of %v", faultsim.Faults))
	trace := flag.Bool("trace", false, "print every effect")
	crashAt := flag.Int("crash", 0, "crash at this effect, and let nothing else fail")
	after := flag.Bool("after", false, "crash after the effect, not before")
	flag.Parse()

	o := faultsim.Options{Bug: faultsim.Bug(*bug), Only: faultsim.Fault(*only), CrashAt: *crashAt, CrashAfter: *after}
	if *trace {
		o.Trace = os.Stdout
	}
	var failures uint64
	for o.Seed = *seed; o.Seed < *seed+*seeds; o.Seed++ {
		r := faultsim.Run(o)
		if r.Err != nil {
			failures++
			fmt.Printf("seed %d: %v\n", o.Seed, r.Err)
		}
		if *seeds == 1 {
			fmt.Printf("%+v\n", r)
		}
	}
	fmt.Printf("%d of %d seeds failed\n", failures, *seeds)
	if failures > 0 {
		os.Exit(1)
	}
}
