package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Bound is the range of a variable.
type Bound struct {
	Variable  string // "*" = every other one
	Low, High float64
}

// ParseBound reads "VARIABLE [>= LOW] [<= HIGH]".
func ParseBound(text string) (Bound, error) {
	words := strings.Fields(strings.NewReplacer(">=", " >= ", "<=", " <= ").Replace(text))
	b := Bound{Low: math.Inf(-1), High: math.Inf(1)}
	bad := fmt.Errorf("must be VARIABLE with >= LOW, <= HIGH or both, such as \"cpu >= 0 <= 100\"; got %q", text)
	if len(words) != 3 && len(words) != 5 {
		return b, bad
	}
	b.Variable = words[0]
	for i := 1; i < len(words); i += 2 {
		v, err := strconv.ParseFloat(words[i+1], 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return b, bad
		}
		switch {
		case words[i] == ">=" && math.IsInf(b.Low, -1):
			b.Low = v
		case words[i] == "<=" && math.IsInf(b.High, 1):
			b.High = v
		default:
			return b, bad
		}
	}
	if !(b.Low < b.High) {
		return b, fmt.Errorf("%q: LOW must be below HIGH", text)
	}
	return b, nil
}

// Limits returns the bounds of Bounds and NonNegative.
func (m *Model) Limits() (list []Bound, err error) {
	for i, text := range m.Bounds {
		b, err := ParseBound(text)
		if err != nil {
			return nil, fmt.Errorf("element %d %w", i, err)
		}
		list = append(list, b)
	}
	for _, name := range m.NonNegative {
		list = append(list, Bound{Variable: name, Low: 0, High: math.Inf(1)})
	}
	for i, b := range list {
		if slices.ContainsFunc(list[:i], func(o Bound) bool { return o.Variable == b.Variable }) {
			return nil, fmt.Errorf("%q has several bounds, those of model.non_negative included; keep one", b.Variable)
		}
	}
	return list, nil
}
