package engine

import (
	"slices"
	"strings"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
)

// maxElders is the largest number of older series that a new series can inherit from.
const maxElders = 64

// kin lists the places of all series by their variables, ascending. It is a function of the series of the engine, so it is
// no part of the state.
type kin map[string][]int

// kinOf returns the key of the variables of a series.
func kinOf(s *stream.Series) string { return strings.Join(s.Variables, "\x00") }

// relatives returns the places of all series with the variables of info.
func (e *Engine) relatives(info *stream.Series) []int {
	if e.kin == nil {
		e.kin = make(kin)
		for place, s := range e.series {
			e.kin.add(s.info, place)
		}
	}
	return e.kin[kinOf(info)]
}

func (k kin) add(info *stream.Series, place int) {
	key := kinOf(info)
	i, _ := slices.BinarySearch(k[key], place)
	k[key] = slices.Insert(k[key], i, place)
}

func (k kin) remove(info *stream.Series, place int) {
	key := kinOf(info)
	k[key] = slices.DeleteFunc(k[key], func(p int) bool { return p == place })
}

// inherit lets a new series begin with what the first series of the same variables have learnt from all earlier samples. It
// returns a text about it for the event of the series.
func (e *Engine) inherit(dst *Results, s *series, time int64) (text string, err error) {
	elders := e.relatives(s.info)
	if s.forecaster.heir == nil || len(elders) == 0 || e.c.Scope != PerSeries {
		return "", nil
	}
	if err := e.Settle(dst); err != nil {
		return "", err
	}
	older := make([]eval.Forecaster, 0, maxElders)
	for _, place := range elders[:min(len(elders), maxElders)] {
		older = append(older, e.series[place].forecaster.Forecaster)
	}
	if s.forecaster.heir.Inherit(older, time) {
		text = ", begins with the seasons of older series"
	}
	return text, nil
}
