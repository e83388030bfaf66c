package isa

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/cpu"
)

// Active is the instruction set in use. It is set before main starts; only tests
// change it.
var Active = choose(os.Getenv("FORECASTER_VEC"))

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

// choose returns the set of the given name, or the best one if the name is empty. A
// set that is unknown or not supported stops the program: whoever forces one wants
// that one.
func choose(name string) Set {
	if name == "" {
		return Best()
	}
	s := Set(slices.Index(names[:], name))
	if s < 0 {
		panic(fmt.Sprintf("isa: FORECASTER_VEC=%s: want portable, avx2 or avx512", name))
	}
	if s > Best() {
		panic(fmt.Sprintf("isa: FORECASTER_VEC=%s: this processor supports %s at most", name, Best()))
	}
	return s
}
