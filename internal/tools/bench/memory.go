package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/auto"
)

// plainORFFVAR returns the smallest ORFFVAR: one lag, 100 frequencies, normalised gradient.
func plainORFFVAR(dim int) eval.Model {
	return must(auto.NewORFFVAR(auto.ORFFVARConfig{Dim: dim, Order: 1, Horizon: 1, Frequencies: 100, Optimiser: auto.NLMS}))
}

func must(m eval.Model, err error) eval.Model {
	if err != nil {
		panic(err)
	}
	return m
}

// heapOf returns the memory of n series. Each series has a model of its own, with enough samples for a bandwidth.
func heapOf(n int, model func() eval.Model) float64 {
	const dim = 5
	rng := rand.New(rand.NewPCG(4, 4))
	before := inUse()
	all := make([]eval.Forecaster, n)
	for i := range all {
		all[i] = model().NewSeries()
	}
	y := make([]float64, dim)
	for _, f := range all {
		for range 210 {
			for j := range y {
				y[j] = rng.NormFloat64()
			}
			if err := f.Observe(y); err != nil {
				panic(err)
			}
		}
	}
	used := inUse() - before
	runtime.KeepAlive(all)
	return used
}

func inUse() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// memoryTable prints the memory of a series with five variables.
func memoryTable(*roofline) {
	table("Memory of a series of 5 variables with a model of its own", "model", "KB:", "100,000 series, GB:")
	for _, m := range []struct {
		name  string
		count int
		model func() eval.Model
	}{
		{"persistence", 1000, func() eval.Model {
			return must(varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: 5, Horizon: 1}))
		}},
		{"VAR(3) by RLS", 1000, func() eval.Model { return must(varmodel.NewVAR(varmodel.VARConfig{Dim: 5, Order: 3, Horizon: 1})) }},
		{"ORFFVAR, gradient, order 1, 100 frequencies", 1000, func() eval.Model { return plainORFFVAR(5) }},
		{"ORFFVAR, three components, 50 frequencies", 200, func() eval.Model {
			return must(auto.NewORFFVAR(auto.ORFFVARConfig{Dim: 5, Order: 3, Horizon: 1}))
		}},
		{"auto", 10, func() eval.Model { return must(auto.New(auto.Config{Dim: 5, Horizon: 1})) }},
	} {
		bytes := heapOf(m.count, m.model) / float64(m.count)
		row(m.name, fmt.Sprintf("%.1f", bytes/1000), fmt.Sprintf("%.1f", bytes*1e5/1e9))
	}
}
