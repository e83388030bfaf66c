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
	Variable  string // "*": every variable without its own bound
	Low, High float64
}

// ParseBound reads "VARIABLE [>= LOW] [<= HIGH]". The name may have blanks, as those of line protocol and of columns
// with a unit have: it ends before the first sign.
func ParseBound(text string) (Bound, error) {
	b := Bound{Low: math.Inf(-1), High: math.Inf(1)}
	bad := fmt.Errorf("must be VARIABLE with >= LOW, <= HIGH or both, such as \"cpu >= 0 <= 100\"; got %q", text)
	sign := strings.Index(strings.ReplaceAll(text, ">=", "<="), "<=")
	if sign < 0 {
		return b, bad
	}
	words := strings.Fields(strings.NewReplacer(">=", " >= ", "<=", " <= ").Replace(text[sign:]))
	b.Variable = strings.TrimSpace(text[:sign])
	if b.Variable == "" || len(words) != 2 && len(words) != 4 {
		return b, bad
	}
	if strings.ContainsAny(b.Variable, "\"'") {
		return b, fmt.Errorf("has a quote in the name %s; put quotes around the whole, such as \"* <= 90\"", b.Variable)
	}
	for i := 0; i < len(words); i += 2 {
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

// Ranges returns the bounds of Bounds and NonNegative.
func (m *Model) Ranges() ([]Bound, error) {
	list, err := parseBounds(m.Bounds)
	if err != nil {
		return nil, err
	}
	for _, name := range m.NonNegative {
		list = append(list, Bound{Variable: name, Low: 0, High: math.Inf(1)})
	}
	if name, twice := repeated(list); twice {
		return nil, fmt.Errorf("%q has several bounds, those of model.non_negative included; keep one", name)
	}
	return list, nil
}

// Thresholds returns the bounds of Limits.
func (m *Model) Thresholds() ([]Bound, error) {
	list, err := parseBounds(m.Limits)
	if err != nil {
		return nil, err
	}
	if name, twice := repeated(list); twice {
		return nil, fmt.Errorf("%q has several limits; keep one, such as \"cpu >= 5 <= 90\"", name)
	}
	return list, nil
}

func parseBounds(texts []string) (list []Bound, err error) {
	for i, text := range texts {
		b, err := ParseBound(text)
		if err != nil {
			return nil, fmt.Errorf("element %d %w", i, err)
		}
		list = append(list, b)
	}
	return list, nil
}

// repeated returns the first variable with more than one bound.
func repeated(list []Bound) (name string, found bool) {
	for i, b := range list {
		if slices.ContainsFunc(list[:i], func(o Bound) bool { return o.Variable == b.Variable }) {
			return b.Variable, true
		}
	}
	return "", false
}

// BoundOf returns the bound of a variable in a list: its own bound, or the bound of "*", or a bound without ends.
func BoundOf(list []Bound, variable string) Bound {
	found := Bound{Variable: variable, Low: math.Inf(-1), High: math.Inf(1)}
	for _, b := range list {
		if b.Variable == variable {
			return b
		}
		if b.Variable == "*" {
			found = b
		}
	}
	return found
}
