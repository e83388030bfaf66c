package snapshot_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// TestLayout: the bytes of each kind of field are those of the format, and are read back from them, at once and in
// pieces of one byte.
func TestLayout(t *testing.T) {
	unsigned, short, number, integer, index, truth, no, text := uint64(0x0102030405060708), uint16(0x0a0b), 1.5, int64(-2), 3, true, false, "äb"
	count, eights, floats, singles := 7, []uint8{1, 2}, []float64{0, 2}, []float32{1}
	for _, c := range []struct {
		name  string
		state func(c *snapshot.Codec)
		clear func()
		same  func() bool
		want  string
	}{
		{"uint64", func(c *snapshot.Codec) { c.Uint64(&unsigned) }, func() { unsigned = 0 }, func() bool { return unsigned == 0x0102030405060708 }, "0807060504030201"},
		{"int64", func(c *snapshot.Codec) { c.Int64(&integer) }, func() { integer = 0 }, func() bool { return integer == -2 }, "feffffffffffffff"},
		{"int", func(c *snapshot.Codec) { c.Int(&count) }, func() { count = 0 }, func() bool { return count == 7 }, "0700000000000000"},
		{"index", func(c *snapshot.Codec) { c.Index(&index, 4) }, func() { index = 0 }, func() bool { return index == 3 }, "0300000000000000"},
		{"length", func(c *snapshot.Codec) { c.Len(&count, 7) }, func() { count = 0 }, func() bool { return count == 7 }, "0700000000000000"},
		{"uint16", func(c *snapshot.Codec) { c.Uint16(&short) }, func() { short = 0 }, func() bool { return short == 0x0a0b }, "0b0a"},
		{"bytes", func(c *snapshot.Codec) { c.Uint8s(eights) }, func() { clear(eights) }, func() bool { return slices.Equal(eights, []uint8{1, 2}) }, "0102"},
		{"true", func(c *snapshot.Codec) { c.Bool(&truth) }, func() { truth = false }, func() bool { return truth }, "01"},
		{"false", func(c *snapshot.Codec) { c.Bool(&no) }, func() { no = true }, func() bool { return !no }, "00"},
		{"float64", func(c *snapshot.Codec) { c.Float64(&number) }, func() { number = 0 }, func() bool { return number == 1.5 }, "000000000000f83f"},
		{"float64s", func(c *snapshot.Codec) { c.Float64s(floats) }, func() { clear(floats) }, func() bool { return slices.Equal(floats, []float64{0, 2}) }, "02000000" + "0000000000000000" + "0000000000000040"},
		{"float32s", func(c *snapshot.Codec) { c.Float32s(singles) }, func() { clear(singles) }, func() bool { return slices.Equal(singles, []float32{1}) }, "0100000000000000" + "0000803f"},
		{"text", func(c *snapshot.Codec) { c.String(&text, 3) }, func() { text = "" }, func() bool { return text == "äb" }, "0300000000000000" + "c3a462"},
		{"section", func(c *snapshot.Codec) { c.Section("ab") }, func() {}, func() bool { return true }, "0200000000000000" + "6162"},
		{"an option outside of a block", func(c *snapshot.Codec) { c.Optional("o", func() { c.Bool(&truth) }) }, func() { truth = false }, func() bool { return truth }, "01"},
		{"block", func(c *snapshot.Codec) {
			c.Block(func() {
				c.Optional("o", func() { c.Bool(&truth) })
				c.Uint16(&short)
			})
		}, func() { truth, short = false, 0 }, func() bool { return truth && short == 0x0a0b }, // length, length of the fields, fields, name and length of the option, length of its fields, field
			"2400000000000000" + "0200000000000000" + "0b0a" + "0100000000000000" + "6f" + "0900000000000000" + "0100000000000000" + "01"},
	} {
		e := snapshot.NewEncoder([]byte{0xff})
		if c.state(e); e.Decoding() || e.Finish() != nil || hex.EncodeToString(e.Bytes()) != "ff"+c.want {
			t.Errorf("%s: %x, want ff%s", c.name, e.Bytes(), c.want)
		}
		b := e.Bytes()[1:]
		for _, d := range []*snapshot.Codec{snapshot.NewDecoder(b), snapshot.NewReader(bytes.NewReader(b), int64(len(b)))} {
			c.clear()
			if d.Left() != int64(len(b)) || !d.Decoding() {
				t.Errorf("%s: %d bytes are left at first", c.name, d.Left())
			}
			if c.state(d); d.Finish() != nil || !c.same() || d.Left() != 0 {
				t.Errorf("%s is read as something else: %v, %d bytes are left", c.name, d.Err(), d.Left())
			}
		}
		for n := range b {
			if d := snapshot.NewDecoder(b[:n]); true {
				if c.state(d); d.Finish() == nil {
					t.Errorf("%d of %d bytes of %s are read", n, len(b), c.name)
				}
			}
		}
		longer := snapshot.NewDecoder(append(b, 0))
		if c.state(longer); longer.Finish() == nil || !strings.HasSuffix(longer.Err().Error(), ": 1 bytes left over") {
			t.Errorf("%s with a byte more: %v", c.name, longer.Err())
		}
	}
	for _, state := range []func(c *snapshot.Codec, n int){
		func(c *snapshot.Codec, n int) { c.Float64s(make([]float64, n)) }, func(c *snapshot.Codec, n int) { c.Float32s(make([]float32, n)) },
	} {
		e := snapshot.NewEncoder(nil)
		state(e, 2)
		d := snapshot.NewDecoder(append(e.Bytes(), make([]byte, 8)...))
		if state(d, 3); d.Err() == nil || !strings.HasSuffix(d.Err().Error(), ": vector of length 2 where 3 was expected") {
			t.Error(d.Err())
		}
	}
	if math.MaxInt64 != snapshot.NewReader(nil, math.MaxInt64).Left() {
		t.Error("the size of a large state")
	}
}

// mark is an element of a list that may have changed.
type mark struct {
	value   int
	changed bool
}

func (m *mark) Changed() bool { return m.changed }

// TestSome: the changed elements of a list, or all, replace those at their places.
func TestSome(t *testing.T) {
	for _, c := range []struct {
		changed string // 1: changed, by element
		all     bool
		want    string // values of the list that is read into, which has 0 at three places
	}{
		{"000", false, "0 0 0"}, {"010", false, "0 2 0"}, {"101", false, "1 0 3"}, {"0001", false, "0 0 0 4"}, {"000", true, "1 2 3"}, {"0111", true, "1 2 3 4"},
	} {
		var list, read []*mark
		for i, b := range c.changed {
			list = append(list, &mark{i + 1, b == '1'})
		}
		for range 3 {
			read = append(read, new(mark))
		}
		e := snapshot.NewEncoder(nil)
		snapshot.Some(e, list, c.all, 4, func(c *snapshot.Codec, i int) { c.Int(&list[i].value) })
		if n := strings.Count(c.changed, "1"); !c.all && len(e.Bytes()) != 8+16*n {
			t.Errorf("%s: %d bytes", c.changed, len(e.Bytes()))
		}
		d := snapshot.NewDecoder(e.Bytes())
		snapshot.Some(d, read, c.all, 4, func(c *snapshot.Codec, i int) {
			if i == len(read) {
				read = append(read, new(mark))
			}
			c.Int(&read[i].value)
		})
		var values []string
		for _, m := range read {
			values = append(values, string(rune('0'+m.value)))
		}
		if got := strings.Join(values, " "); got != c.want || d.Finish() != nil {
			t.Errorf("%s, all %v: %s, %v, want %s", c.changed, c.all, got, d.Err(), c.want)
		}
	}
	for name, numbers := range map[string][]int{"length 5 outside [0, 4]": {5}, "index 4 outside [0, 4)": {1, 4}, "places that do not ascend": {2, 1, 0, 1, 0}, "want 8 bytes, have 0": {1, 0}} {
		e := snapshot.NewEncoder(nil)
		for _, n := range numbers {
			e.Int(&n)
		}
		d := snapshot.NewDecoder(e.Bytes())
		var value int
		if snapshot.Some(d, []*mark{}, true, 4, func(c *snapshot.Codec, _ int) { c.Int(&value) }); d.Err() == nil || !strings.HasSuffix(d.Err().Error(), name) {
			t.Errorf("%v: %v, want %s", numbers, d.Err(), name)
		}
	}
}
