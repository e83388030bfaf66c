package isa

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/cpu"
)

// Active is the instruction set in use. It is set before main starts; only tests
// change it.
var Active = forced()

// Best returns the largest set that processor and system support.
func Best() Set {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2:
		return Portable
	case !x.HasAVX512F || !x.HasAVX512DQ || !x.HasAVX512VL || !x.HasAVX512BW:
		return AVX2
	}
	return AVX512
}

// forced returns the set that the environment names. A set that is unknown or not supported
// stops the program with one line: whoever forces a set does not want another one.
func forced() Set {
	s, err := choose(os.Getenv("FORECASTER_VEC"))
	if err != nil {
		fmt.Fprintf(os.Stderr, "forecaster: %v\n", err)
		os.Exit(2) // bad usage, as in docs/operations.md
	}
	return s
}

// choose returns the set of the given name, or the best one if the name is empty.
func choose(name string) (Set, error) {
	if name == "" {
		return Best(), nil
	}
	s := Set(slices.Index(names[:], name))
	if s < 0 {
		return 0, fmt.Errorf("FORECASTER_VEC=%s: no such instruction set; want portable, avx2 or avx512", name)
	}
	if s > Best() {
		return 0, fmt.Errorf("FORECASTER_VEC=%s: this processor supports %s at most", name, Best())
	}
	return s, nil
}
