package assemble_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
)

// numbers are int64 in a state.
func numbers(v ...int64) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

// TestDamagedStates: a state with a part that no Assembler writes is refused, and the error names it.
func TestDamagedStates(t *testing.T) {
	const s = int64(time.Second)
	of := func(series string, at int64, names string, values ...float64) stream.Record {
		return stream.Record{Message: &stream.Message{}, Series: series, Time: at, Names: strings.Split(names, " "), Values: values}
	}
	grid := assemble.Config{Interval: time.Second, Assembly: &assemble.Assembly{Wait: time.Minute}}
	inputs := assemble.Config{Exogenous: []string{"u"}}
	var many, monthly []stream.Record
	for i := range int64(32) {
		many = append(many, of("aaa", 7*s*i, "x", 1))
		monthly = append(monthly, of("aaa", time.Date(2026, time.Month(1+5*i), 1, 0, 0, 0, 0, time.UTC).UnixNano(), "x", 1))
	}
	rows := []stream.Record{of("aaa", 111*s, "x1 x2", 1, 2), of("aaa", 115*s, "x1", 1)}
	pair := []stream.Record{of("aaa", 1, "x", 1), of("bbb", 1, "x", 1)}
	inputsPair := []stream.Record{of("aaa", 1001, "u", 1), of("aaa", 1002, "u", 1), of("bbb", 1003, "u", 1)}
	type c = assemble.Config
	for _, d := range []struct {
		config   assemble.Config
		records  []stream.Record
		old, new []byte // the last of these bytes in the state are changed
		want     string // "" = nothing is wrong
	}{
		{c{}, pair, []byte("assembler"), []byte("scorer   "), `section "scorer   " where "assembler" was expected`},
		{grid, pair, []byte("grids"), []byte("lines"), `section "lines" where "grids" was expected`},
		{inputs, pair, []byte("exogenous"), []byte("gridlines"), `section "gridlines" where "exogenous" was expected`},
		{c{}, pair, []byte("bbb"), []byte("ccc"), ""},
		{c{}, pair, []byte("bbb"), []byte("aaa"), `series "aaa" twice, or in another place`},
		{c{}, pair, numbers(2, 0), numbers(2, 1), `series "aaa" twice, or in another place`},
		{c{}, many, append(append(numbers(1), "x"...), numbers(32)...), append(append(numbers(1), "x"...), numbers(-1)...), `series "aaa" without variables, or with -1 samples`},
		{c{}, many, numbers(31, 0), numbers(32, 0), "index 32 outside [0, 32)"},
		{c{}, many, numbers(31, 0), numbers(31, 30), ""},
		{c{}, many, numbers(31, 0), numbers(31, 31), "index 31 outside [0, 31)"},
		{c{}, monthly, numbers(5, 1), numbers(120, 1), ""},
		{c{}, monthly, numbers(5, 1), numbers(121, 1), "a difference of 121 months"},
		{c{}, monthly, numbers(5, 1), numbers(0, 1), ""},
		{c{}, monthly, numbers(5, 1), numbers(-1, 1), "a difference of -1 months"},
		{grid, pair, []byte("bbb"), []byte("ccc"), ""},
		{grid, pair, []byte("bbb"), []byte("aaa"), `the rows of series "aaa" twice, or in another place`},
		{grid, pair, numbers(2, 0), numbers(2, 1), `the rows of series "aaa" twice, or in another place`},
		{grid, rows, []byte("x2"), []byte("x3"), ""},
		{grid, rows, []byte("x2"), []byte("x1"), "two columns of one name"},
		{grid, rows, numbers(115), numbers(112), ""},
		{grid, rows, numbers(115), numbers(111), "rows that do not ascend"},
		{inputs, inputsPair, []byte("bbb"), []byte("ccc"), ""},
		{inputs, inputsPair, []byte("bbb"), []byte("aaa"), `the exogenous inputs of series "aaa" twice`},
		{inputs, inputsPair, numbers(2, 0), numbers(2, 1), "exogenous inputs in a place behind the last"},
		{inputs, inputsPair, numbers(1002), numbers(1003), ""},
		{inputs, inputsPair, numbers(1002), numbers(1001), "exogenous inputs that do not ascend"},
	} {
		state := stateOf(t, d.config, d.records, true)
		at := bytes.LastIndex(state, d.old)
		if at < 0 {
			t.Errorf("%s: the state has no %q", d.want, d.old)
			continue
		}
		copy(state[at:], d.new)
		err := read(t, d.config, state)
		if d.want == "" && err != nil || d.want != "" && (err == nil || !strings.Contains(err.Error(), d.want)) {
			t.Errorf("%q for %q: %v, want %q", d.new, d.old, err, d.want)
		}
	}
	whole := stateOf(t, grid, append(rows, of("aaa", 300*s, "x1", 1)), true)
	for n := range whole { // no part of a state is one
		if read(t, grid, whole[:n]) == nil {
			t.Errorf("%d of %d bytes make a state", n, len(whole))
		}
	}
}

// TestChangesOfAnotherState: changes fit the state that they were made after, and no other.
func TestChangesOfAnotherState(t *testing.T) {
	one := func(series string, names ...string) []stream.Record {
		return []stream.Record{{Message: &stream.Message{}, Series: series, Time: 1, Names: names, Values: make([]float64, len(names))}}
	}
	for _, c := range []assemble.Config{{}, {Interval: time.Second, Assembly: &assemble.Assembly{}}, {Exogenous: []string{"u"}}} {
		whole := stateOf(t, c, one("a", "x"), true)
		for _, changes := range []struct {
			records []stream.Record
			fits    bool
		}{{one("a", "x"), true}, {one("b", "x"), false}, {one("a", "y"), true}} {
			state := stateOf(t, c, changes.records, false)
			if len(c.Exogenous) > 0 {
				whole, state = stateOf(t, c, one("a", "u"), true), stateOf(t, c, one(changes.records[0].Series, "u"), false)
				changes.fits = true // inputs may be of a series in any place
			}
			if err := read(t, c, whole, state); (err == nil) != changes.fits {
				t.Errorf("%+v: changes of %s after those of a: %v", c, changes.records[0].Series, err)
			}
		}
	}
}

func stateOf(t *testing.T, config assemble.Config, records []stream.Record, all bool) []byte {
	a, err := assemble.New(config)
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		if err := a.Add(new(details), &records[i]); err != nil {
			t.Fatal(err)
		}
	}
	c := snapshot.NewEncoder(nil)
	a.State(c, all)
	return c.Bytes()
}

func read(t *testing.T, config assemble.Config, states ...[]byte) error {
	a, err := assemble.New(config)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range states {
		c := snapshot.NewDecoder(b)
		a.State(c, i == 0)
		if err := c.Finish(); err != nil {
			return err
		}
	}
	return nil
}

// TestResets: a counter that begins again is counted, in whole samples and in rows, also after a restart.
func TestResets(t *testing.T) {
	for _, c := range []assemble.Config{
		{Rates: []string{"n", "m"}},
		{Rates: []string{"n", "m"}, Interval: time.Second, Assembly: &assemble.Assembly{}},
		{Interval: time.Second, Assembly: &assemble.Assembly{Rates: true}},
	} {
		a, err := assemble.New(c)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range []float64{5, 9, 2, 4, math.NaN(), 3, 3, 9, 9, 9} { // begins again at 2 and 3
			for k, series := range []string{"a", "b"} {
				r := stream.Record{
					Message: &stream.Message{}, Series: series, Time: int64(i+1) * int64(time.Second), Names: []string{"n", "m"},
					Values: []float64{n, float64(-i * k)}, Since: []int64{1, 1}, // since an unknown time; m of b begins again each time
				}
				if err := a.Add(new(details), &r); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := a.Resets(); got != 2+2+9 {
			t.Errorf("%+v: %d, want 2 of each n and 9 of the m that falls", c, got)
		}
		if a.NumSeries() != 2 {
			t.Errorf("%d series", a.NumSeries())
		}
		state := snapshot.NewEncoder(nil)
		a.State(state, true)
		again, _ := assemble.New(c)
		again.State(snapshot.NewDecoder(state.Bytes()), true)
		if again.Resets() != a.Resets() {
			t.Errorf("%+v: after a restart %d, want %d", c, again.Resets(), a.Resets())
		}
	}
}
