package snapshot_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"testing/iotest"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// everything has one field for each method of a Codec.
type everything struct {
	u     uint64
	i     int64
	n     int
	index int
	yes   bool
	f     float64
	v     []float64
	half  []float32
	short uint16
	bytes []uint8
	s     string
}

func (e *everything) State(c *snapshot.Codec) {
	c.Section("everything")
	c.Uint64(&e.u)
	c.Int64(&e.i)
	c.Int(&e.n)
	c.Index(&e.index, 7)
	c.Bool(&e.yes)
	c.Float64(&e.f)
	c.Float64s(e.v)
	c.Float32s(e.half)
	c.Uint16(&e.short)
	c.Uint8s(e.bytes)
	c.String(&e.s, 16)
}

func encode(s snapshot.Stateful) []byte {
	c := snapshot.NewEncoder(nil)
	s.State(c)
	return c.Bytes()
}

func sample() *everything {
	return &everything{
		u: math.MaxUint64, i: math.MinInt64, n: -3, index: 6, yes: true,
		f:     math.Float64frombits(0x7ff8000000000123), // a NaN with a payload
		v:     []float64{math.Inf(-1), math.Copysign(0, -1), 5e-324},
		half:  []float32{float32(math.Inf(1)), float32(math.Copysign(0, -1)), 1e-45, math.MaxFloat32},
		short: math.MaxUint16, bytes: []uint8{0, 255, 7},
		s: "série",
	}
}

// A restored value has the same bits. The test compares encodings, since NaN differs from
// itself.
func TestRoundTripKeepsEveryBit(t *testing.T) {
	want := encode(sample())
	got := &everything{v: make([]float64, 3), half: make([]float32, 4), bytes: make([]uint8, 3)}
	d := snapshot.NewDecoder(want)
	got.State(d)
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	if again := encode(got); string(again) != string(want) {
		t.Errorf("encoded again:\n%x\nwant\n%x", again, want)
	}
}

func TestTruncationIsAnErrorAtEveryByte(t *testing.T) {
	whole := encode(sample())
	for n := range whole {
		d := snapshot.NewDecoder(whole[:n])
		(&everything{v: make([]float64, 3), half: make([]float32, 4), bytes: make([]uint8, 3)}).State(d)
		if err := d.Finish(); !errors.Is(err, snapshot.ErrCorrupt) {
			t.Fatalf("first %d of %d bytes: error %v", n, len(whole), err)
		}
	}
}

func TestDecoderRefuses(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		into snapshot.Stateful
	}{
		{"another section", encode(state(func(c *snapshot.Codec) { c.Section("a") })), state(func(c *snapshot.Codec) { c.Section("b") })},
		{"a vector of another length", encode(state(func(c *snapshot.Codec) { c.Float64s(make([]float64, 2)) })), state(func(c *snapshot.Codec) { c.Float64s(make([]float64, 3)) })},
		{"a truth value of 2", []byte{2}, state(func(c *snapshot.Codec) { c.Bool(new(bool)) })},
		{"an index past the limit", encode(state(func(c *snapshot.Codec) { n := 7; c.Int(&n) })), state(func(c *snapshot.Codec) { c.Index(new(int), 7) })},
		{"a negative length", encode(state(func(c *snapshot.Codec) { n := -1; c.Int(&n) })), state(func(c *snapshot.Codec) { c.Len(new(int), 7) })},
		{"a string longer than its limit", encode(state(func(c *snapshot.Codec) { s := "four"; c.String(&s, 4) })), state(func(c *snapshot.Codec) { c.String(new(string), 3) })},
		{"bytes left over", []byte{1, 0}, state(func(c *snapshot.Codec) { c.Bool(new(bool)) })},
	}
	for _, test := range tests {
		d := snapshot.NewDecoder(test.data)
		test.into.State(d)
		if err := d.Finish(); !errors.Is(err, snapshot.ErrCorrupt) {
			t.Errorf("%s: error %v", test.name, err)
		}
	}
}

// A refused length becomes 0, so that nothing is allocated for it.
func TestLimitsOfALength(t *testing.T) {
	const limit = 7
	for saved, want := range map[int]int{-1: 0, 0: 0, limit: limit, limit + 1: 0} {
		d := snapshot.NewDecoder(encode(state(func(c *snapshot.Codec) { c.Int(&saved) })))
		n := 3
		d.Len(&n, limit)
		if refused := saved < 0 || saved > limit; n != want || (d.Err() != nil) != refused {
			t.Errorf("length %d is read as %d, error %v", saved, n, d.Err())
		}
	}
	missing := 3
	if snapshot.NewDecoder(nil).Len(&missing, limit); missing != 0 {
		t.Errorf("a missing length is read as %d", missing)
	}
}

// The first error stays; the calls after it neither replace it nor change a
// value.
func TestErrorsAreSticky(t *testing.T) {
	d := snapshot.NewDecoder([]byte{2, 1, 1, 1, 1, 1, 1, 1, 1})
	var yes bool
	d.Bool(&yes)
	first := d.Err()
	v := 42.0
	d.Float64(&v)
	if !errors.Is(d.Err(), first) || v != 42 || first == nil {
		t.Errorf("after the error %v: error %v, value %v", first, d.Err(), v)
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add(encode(sample()))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		e := &everything{v: make([]float64, 3), half: make([]float32, 4), bytes: make([]uint8, 3)}
		d := snapshot.NewDecoder(data)
		e.State(d)
		if d.Finish() == nil && string(encode(e)) != string(data) {
			t.Errorf("%x was accepted but is written as %x", data, encode(e))
		}
	})
}

type state func(c *snapshot.Codec)

func (s state) State(c *snapshot.Codec) { s(c) }

// mean is a state of two fields.
type mean struct {
	n   int
	sum []float64
}

func (m *mean) State(c *snapshot.Codec) {
	c.Section("mean")
	c.Int(&m.n)
	c.Float64s(m.sum)
}

func Example() {
	saved := &mean{n: 2, sum: []float64{3, 5}}
	encoder := snapshot.NewEncoder(nil)
	saved.State(encoder)

	restored := &mean{sum: make([]float64, 2)} // lengths come from the constructor
	decoder := snapshot.NewDecoder(encoder.Bytes())
	restored.State(decoder)
	fmt.Println(restored.n, restored.sum, decoder.Finish())
	// Output: 2 [3 5] <nil>
}

// Length is what an encoder writes, with vectors, blocks and options.
func TestLengthIsThatOfTheEncoding(t *testing.T) {
	e := sample()
	e.v = make([]float64, 1000)
	nested := state(func(c *snapshot.Codec) {
		e.State(c)
		c.Optional("a", func() { e.State(c); c.Optional("b", func() { e.State(c) }) })
		c.Block(func() { e.State(c) })
	})
	for _, v := range []snapshot.Stateful{e, nested} {
		c := snapshot.NewEncoder(nil)
		c.Block(func() { v.State(c) })
		if got, want := snapshot.Length(v), len(c.Bytes()); got != want || want < 8000 {
			t.Errorf("length %d, the encoding has %d bytes", got, want)
		}
	}
}

// A state in pieces is that of an encoder, and reads back from a reader that gives little at a
// time; every truncation is an error.
func TestPieces(t *testing.T) {
	list := make([]*everything, 400)
	for i := range list {
		list[i] = sample()
		list[i].v = make([]float64, 100+i)
		list[i].n = i
	}
	all := state(func(c *snapshot.Codec) {
		for _, e := range list {
			e.State(c)
			c.Block(func() {
				e.State(c)
				c.Optional("more", func() { e.State(c) })
			})
			c.Cut()
		}
	})
	want, got, pieces := encode(all), []byte(nil), 0
	for piece := range snapshot.Pieces(all) {
		got = append(got, piece...)
		pieces++
	}
	if !bytes.Equal(got, want) || pieces < 2 || snapshot.Size(all) != int64(len(want)) {
		t.Errorf("%d bytes in %d pieces, announced as %d; want %d", len(got), pieces, snapshot.Size(all), len(want))
	}
	for range snapshot.Pieces(all) {
		break // nobody needs the rest
	}
	for _, e := range list {
		clear(e.v)
		e.n = 0
	}
	d := snapshot.NewReader(iotest.HalfReader(bytes.NewReader(want)), int64(len(want)))
	all.State(d)
	if err := d.Finish(); err != nil || !bytes.Equal(encode(all), want) {
		t.Errorf("restored another state, %v", err)
	}
	for n := 0; n < len(want); n += len(want)/40 + 1 {
		d := snapshot.NewReader(bytes.NewReader(want[:n]), int64(n))
		all.State(d)
		if err := d.Finish(); !errors.Is(err, snapshot.ErrCorrupt) {
			t.Errorf("first %d of %d bytes: error %v", n, len(want), err)
		}
	}
	d = snapshot.NewReader(bytes.NewReader(want[:1000]), int64(len(want)))
	all.State(d)
	if err := d.Finish(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a reader that ends too soon: error %v", err)
	}
}
