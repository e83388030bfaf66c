package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// parts returns values of two series in rows of ten seconds, one variable a
// record. The first series lacks some, the second one none; no two values of a
// variable have one time.
func parts(rows int, seed uint64) []stream.Record {
	rng := rand.New(rand.NewPCG(seed, 2))
	var out []stream.Record
	for i := range rows {
		for s := range 2 {
			for v := range 3 {
				if s == 0 && i > 2 && (rng.IntN(4) == 0 || i%20 > 17) {
					continue
				}
				out = append(out, stream.Record{
					Message: &stream.Message{Topic: "in"}, Series: fmt.Sprint("s", s),
					Time:  int64(i)*10e9 + rng.Int64N(9e9) - 4.5e9,
					Names: []string{fmt.Sprint("v", v)}, Values: []float64{rng.NormFloat64()},
				})
			}
		}
	}
	// What closes the rows before it.
	for s := range 2 {
		out = append(out, stream.Record{
			Message: &stream.Message{Topic: "in"}, Series: fmt.Sprint("s", s),
			Time: int64(rows+100) * 10e9, Names: []string{"v0"}, Values: []float64{0},
		})
	}
	slices.SortStableFunc(out, func(a, b stream.Record) int { return int(a.Time - b.Time) })
	return out
}

func assemblyConfig(a assemble.Assembly) engine.Config {
	c := streamtest.DriftConfig()
	c.Interval, c.Assembly = 10*time.Second, &a
	return c
}

// rowsOf returns what an engine makes of records, by series.
func rowsOf(t *testing.T, c engine.Config, rs []stream.Record) map[string]string {
	t.Helper()
	e := streamtest.NewEngine(t, c)
	var b engine.Results
	for i := range rs {
		m := *rs[i].Message
		m.Offset = int64(i)
		r := rs[i]
		r.Message = &m
		if err := streamtest.Apply(e, &b, &r); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range b.DeadLetters {
		t.Errorf("%s: %s", l.Reason, l.Detail)
	}
	out := make(map[string]string)
	for line := range strings.Lines(render(&b)) {
		series := strings.Fields(line)[1]
		out[series] += line
	}
	return out
}

// TestOrderWithinWaitDoesNotMatter: any order in which no value comes more than
// Wait behind gives the same rows, forecasts and scores, in each rule.
func TestOrderWithinWaitDoesNotMatter(t *testing.T) {
	for _, fill := range []assemble.Fill{assemble.FillNone, assemble.FillLast} {
		for _, hold := range []bool{false, true} {
			const wait = 25 * time.Second
			c := assemblyConfig(assemble.Assembly{Wait: wait, WaitForLate: hold, Fill: fill})
			inOrder := parts(120, 1)
			want := rowsOf(t, c, inOrder)
			if n := strings.Count(want["s1"], "observed"); n < 119 {
				t.Fatalf("%d rows of s1", n)
			}
			for seed := range uint64(5) {
				rng := rand.New(rand.NewPCG(seed, 3))
				// Sorted by the time plus at most Wait, nothing is overtaken by more.
				type delayed struct {
					r  stream.Record
					at int64
				}
				list := make([]delayed, len(inOrder))
				for i, r := range inOrder {
					list[i] = delayed{r, r.Time + rng.Int64N(int64(wait))}
				}
				slices.SortStableFunc(list, func(a, b delayed) int { return int(a.at - b.at) })
				shuffled := make([]stream.Record, len(list))
				for i := range list {
					shuffled[i] = list[i].r
				}
				got := rowsOf(t, c, shuffled)
				for series := range want {
					if got[series] != want[series] {
						t.Errorf("fill %s, hold %v, seed %d: the rows of %s differ", fill, hold, seed, series)
					}
				}
			}
			// Nor does it matter what other series do.
			alone := slices.DeleteFunc(slices.Clone(inOrder), func(r stream.Record) bool { return r.Series == "s1" })
			if got := rowsOf(t, c, alone); got["s0"] != want["s0"] {
				t.Errorf("fill %s, hold %v: the rows of s0 depend on s1", fill, hold)
			}
		}
	}
}

// TestRestartBetweenParts: an engine restored between two parts of a row continues like an engine without a
// restart, with the same state to the byte.
func TestRestartBetweenParts(t *testing.T) {
	for _, a := range []assemble.Assembly{{}, {Wait: 20 * time.Second, Fill: assemble.FillLast}, {Wait: 35 * time.Second, WaitForLate: true}} {
		c := assemblyConfig(a)
		rs := parts(40, 2)
		for i := range rs {
			rs[i].Message.Offset = int64(i)
		}
		apply := func(e *engine.Engine, rs []stream.Record) string {
			var b engine.Results
			for i := range rs {
				if err := streamtest.Apply(e, &b, &rs[i]); err != nil {
					t.Fatal(err)
				}
			}
			return render(&b)
		}
		for cut := range rs {
			if cut%7 != 0 {
				continue
			}
			whole, first, second := streamtest.NewEngine(t, c), streamtest.NewEngine(t, c), streamtest.NewEngine(t, c)
			apply(whole, rs[:cut])
			want := apply(whole, rs[cut:])
			apply(first, rs[:cut])
			if err := streamtest.Restore(second, streamtest.Snapshot(first)); err != nil {
				t.Fatal(err)
			}
			// What a restart delivers again changes nothing.
			if got := apply(second, rs[max(0, cut-5):]); got != want {
				t.Fatalf("restarted at %d: the output differs", cut)
			}
			if !bytes.Equal(streamtest.Snapshot(second), streamtest.Snapshot(whole)) {
				t.Fatalf("restarted at %d: the state differs", cut)
			}
		}
	}
}

// TestDamagedAssembly: no change of a byte makes Restore panic.
func TestDamagedAssembly(t *testing.T) {
	c := assemblyConfig(assemble.Assembly{Wait: 35 * time.Second, Fill: assemble.FillLast})
	c.Baselines = nil
	e := streamtest.NewEngine(t, c)
	var b engine.Results
	rs := parts(4, 3)
	for i := range rs[:len(rs)-2] {
		rs[i].Message.Offset = int64(i)
		if err := streamtest.Apply(e, &b, &rs[i]); err != nil {
			t.Fatal(err)
		}
	}
	state := streamtest.Snapshot(e)
	for i := range state {
		damaged := bytes.Clone(state)
		damaged[i] ^= 0x81
		_ = streamtest.Restore(streamtest.NewEngine(t, c), damaged)
		_ = streamtest.Restore(streamtest.NewEngine(t, c), state[:i])
	}
}

// TestAssemblyDoesNotAllocate: once the variables are known, parts allocate no more than the rows that they close.
func TestAssemblyDoesNotAllocate(t *testing.T) {
	c := assemblyConfig(assemble.Assembly{Wait: 20 * time.Second, WaitForLate: true})
	c.MetricsEvery, c.Baselines = 0, nil
	e := streamtest.NewEngine(t, c)
	var b engine.Results
	m := &stream.Message{Topic: "in"}
	r := stream.Record{Message: m, Series: "s", Values: []float64{1}}
	names := [][]string{{"a"}, {"b"}}
	step := func() {
		for _, r.Names = range names {
			if err := errors.Join(e.Learn(&b, &r), e.Score(&b)); err != nil {
				t.Fatal(err)
			}
			m.Offset++
		}
		r.Time += 10e9
		b.Reset()
	}
	for range 100 {
		step()
	}
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("%v allocations per row", n)
	}
}

// FuzzAssembly: whatever the order, each value is in the row nearest to its time,
// once, or was refused as late; rows ascend; and a restart in the middle changes
// nothing.
func FuzzAssembly(f *testing.F) {
	f.Add(uint64(1), uint8(0), false, false)
	f.Add(uint64(2), uint8(25), true, false)
	f.Add(uint64(3), uint8(60), false, true)
	f.Fuzz(func(t *testing.T, seed uint64, wait uint8, hold, fill bool) {
		rng := rand.New(rand.NewPCG(seed, 4))
		a := assemble.Assembly{Wait: time.Duration(wait) * time.Second, WaitForLate: hold}
		if fill {
			a.Fill = assemble.FillLast
		}
		c := assemblyConfig(a)
		c.Variables, c.MaxGap, c.Baselines = []string{"v0", "v1", "v2"}, 5, nil
		const n = 200
		times := make([]int64, n) // of the value i+1
		rs := make([]stream.Record, 0, n+1)
		taken := map[[2]int64]bool{}
		for i := range times {
			var v int64
			for {
				v = rng.Int64N(3)
				times[i] = int64(i)*8e9 + rng.Int64N(80e9) - 40e9
				if k := [2]int64{v, (times[i] + 1000e9 + 5e9) / 10e9}; !taken[k] {
					taken[k] = true // one value of a variable in a row
					break
				}
			}
			rs = append(rs, stream.Record{
				Message: &stream.Message{Topic: "in", Offset: int64(i)}, Series: "s", Time: times[i],
				Names: []string{fmt.Sprint("v", v)}, Values: []float64{float64(i + 1)},
			})
		}
		rs = append(rs, stream.Record{
			Message: &stream.Message{Topic: "in", Offset: n}, Series: "s", Time: 10000e9, Names: []string{"v0"}, Values: []float64{0},
		})
		e := streamtest.NewEngine(t, c)
		var b engine.Results
		cut := rng.IntN(n)
		for i := range rs {
			if i == cut {
				state := streamtest.Snapshot(e)
				e = streamtest.NewEngine(t, c)
				if err := streamtest.Restore(e, state); err != nil {
					t.Fatal(err)
				}
			}
			if err := streamtest.Apply(e, &b, &rs[i]); err != nil {
				t.Fatal(err)
			}
		}
		seen := make(map[int]int64) // value -> row
		last := int64(math.MinInt64)
		for _, o := range b.Observations {
			if o.Time <= last || o.Time%10e9 != 0 {
				t.Fatalf("row %d after %d", o.Time, last)
			}
			last = o.Time
			for _, y := range o.Y {
				if math.IsNaN(y) {
					continue
				}
				i := int(y) - 1
				if at, ok := seen[i]; ok {
					if !fill || o.Time-at > 5*10e9 {
						t.Fatalf("the value of %d is in the rows %d and %d", times[i], at, o.Time)
					}
					continue // carried on
				}
				if d := times[i] - o.Time; d < -5e9 || d >= 5e9 {
					t.Fatalf("the value of %d is in the row %d", times[i], o.Time)
				}
				seen[i] = o.Time
			}
		}
		for _, l := range b.DeadLetters {
			if l.Reason != refuse.Late {
				t.Fatalf("%s: %s", l.Reason, l.Detail)
			}
			if at, ok := seen[int(l.Message.Offset)]; ok {
				t.Fatalf("value %d was refused and is in the row %d", l.Message.Offset+1, at)
			}
			seen[int(l.Message.Offset)] = 0
		}
		if len(seen) != n {
			t.Fatalf("%d of %d values are somewhere", len(seen), n)
		}
	})
}

// BenchmarkAssembly: one variable a record against all in one, both with a model
// that costs little.
func BenchmarkAssembly(b *testing.B) {
	for _, dim := range []int{5, 100} {
		for _, parts := range []bool{false, true} {
			b.Run(fmt.Sprintf("dim=%d/parts=%v", dim, parts), func(b *testing.B) {
				c := streamtest.DriftConfig()
				c.Interval, c.Baselines, c.MetricsEvery = 10*time.Second, nil, 0
				c.Emit, c.Horizon, c.Levels = nil, 1, nil
				c.NewModel = func(int) (eval.Model, error) { return streamtest.Constant{}, nil }
				if parts {
					c.Assembly = &assemble.Assembly{}
				}
				e := streamtest.NewEngine(b, c)
				var names []string
				for j := range dim {
					names = append(names, fmt.Sprint("v", j))
				}
				values := make([]float64, dim)
				var batch engine.Results
				r := stream.Record{Message: &stream.Message{}, Series: "s"}
				b.ReportAllocs()
				for b.Loop() {
					r.Time += 10e9
					if parts {
						for j := range dim {
							r.Names, r.Values = names[j:j+1], values[j:j+1]
							if err := errors.Join(e.Learn(&batch, &r), e.Score(&batch)); err != nil {
								b.Fatal(err)
							}
							r.Message.Offset++
						}
					} else {
						r.Names, r.Values = names, values
						if err := errors.Join(e.Learn(&batch, &r), e.Score(&batch)); err != nil {
							b.Fatal(err)
						}
						r.Message.Offset++
					}
					batch.Reset()
				}
			})
		}
	}
}

// TestMeanOfARow: the values of a variable within an interval are averaged, across
// a restart as well.
func TestMeanOfARow(t *testing.T) {
	c := assemblyConfig(assemble.Assembly{Wait: 10 * time.Second, WaitForLate: true, Aggregate: assemble.AggregateMean})
	c.MetricsEvery, c.Baselines = 0, nil
	for _, restart := range []bool{false, true} {
		e, err := engine.New(c)
		if err != nil {
			t.Fatal(err)
		}
		var b engine.Results
		for i, at := range []int64{0, 1, 2, 3, 4, 8, 12, 40, 60} { // seconds; rows of ten
			if restart && i == 4 {
				state := streamtest.Snapshot(e)
				if e, err = engine.New(c); err == nil {
					err = streamtest.Restore(e, state)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			r := stream.Record{Message: &stream.Message{Offset: int64(i)}, Series: "s", Time: at * 1e9, Names: []string{"x"}, Values: []float64{float64(at)}}
			if err := streamtest.Apply(e, &b, &r); err != nil {
				t.Fatal(err)
			}
		}
		if len(b.Observations) < 2 || b.Observations[0].Y[0] != 2 || b.Observations[1].Y[0] != 10 {
			t.Errorf("restart %v: %+v", restart, b.Observations)
		}
	}
	c.Assembly.WaitForLate = false
	if _, err := engine.New(c); err == nil {
		t.Error("a mean without WaitForLate")
	}
}
