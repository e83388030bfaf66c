package checkpoint_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

var update = flag.Bool("update", false, "write testdata/checkpoint*.bin as this build does")

func sample() checkpoint.Checkpoint {
	return checkpoint.Checkpoint{
		Settings: []checkpoint.Setting{{Key: "model.order", Value: "3"}, {Key: "model.type", Value: "auto"}},
		Next:     1 << 40, Last: stream.Mark{Offset: 1<<40 - 1, Hash: 0x9f31c2aa},
		Outputs: checkpoint.Positions{{Output: "file /data/a.csv", Length: 1234}, {Output: "file /data/b.csv"}}, State: checkpoint.StateOf([]byte("state\x00of the engine")),
	}
}

func encoded(t testing.TB, c checkpoint.Checkpoint) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func parse(b []byte) ([]checkpoint.Checkpoint, int, error) {
	list, n, err := checkpoint.Parse(bytes.NewReader(b), int64(len(b)))
	return list, int(n), err
}

func TestCheckpointRoundTrip(t *testing.T) {
	for _, want := range []checkpoint.Checkpoint{{Outputs: checkpoint.Positions{}}, sample(), {Outputs: checkpoint.Positions{}, State: checkpoint.StateOf(make([]byte, 1<<20))}} {
		list, _, err := parse(encoded(t, want))
		if err != nil {
			t.Fatal(err)
		}
		if !streamtest.EqualCheckpoints(t, list[0], want) {
			t.Errorf("got %+v, want %+v", list[0], want)
		}
	}
}

// TestFault35_BitFlips: every truncation, every flipped bit and every appended
// byte is found, and taken for damage rather than for another version.
func TestFault35_BitFlips(t *testing.T) {
	good := encoded(t, sample())
	refused := func(what string, at int, b []byte) {
		t.Helper()
		if _, _, err := parse(b); !errors.Is(err, checkpoint.ErrCorrupt) {
			t.Errorf("%s %d: got %v", what, at, err)
		}
	}
	for n := range good {
		refused("cut at", n, good[:n])
	}
	for bit := range 8 * len(good) {
		b := bytes.Clone(good)
		b[bit/8] ^= 1 << (bit % 8)
		refused("flipped bit", bit, b)
	}
	refused("appended", 1, append(bytes.Clone(good), 0))
}

// TestFault36_CheckpointVersions: a checkpoint of this version stays as it is, and one
// of another version is refused by its version, not as damaged.
func TestFault36_CheckpointVersions(t *testing.T) {
	changes := sample()
	changes.Settings, changes.Since = nil, 1<<39
	for name, want := range map[string]checkpoint.Checkpoint{"checkpoint": sample(), "checkpoint-changes": changes} {
		file := "testdata/" + name + ".bin"
		if *update {
			if err := os.WriteFile(file, encoded(t, want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var before []byte // what the changes are to
		if want.Since != 0 {
			whole := sample()
			whole.Next = want.Since
			before = encoded(t, whole)
		}
		list, _, err := parse(append(before, b...))
		if err != nil {
			t.Fatal(err)
		}
		if got := list[len(list)-1]; !streamtest.EqualCheckpoints(t, got, want) {
			t.Errorf("%s became %+v", name, got)
		}
		if !bytes.Equal(encoded(t, want), b) {
			t.Error("the format changed, but not its version: see the comment at checkpointVersion")
		}
	}
	for name, age := range map[string]string{"newer": "a newer build", "older": "an older build"} {
		other, err := os.ReadFile("testdata/checkpoint-" + name + ".bin")
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := parse(other); !errors.Is(err, checkpoint.ErrVersion) || !strings.Contains(err.Error(), age) {
			t.Errorf("%s version gave %v", name, err)
		}
		if list, _, err := parse(append(encoded(t, sample()), other...)); !errors.Is(err, checkpoint.ErrVersion) || len(list) != 1 {
			t.Errorf("%s version behind one of ours gave %d, %v", name, len(list), err)
		}
	}
}

// chain returns a whole checkpoint with two changes, encoded, and where each ends.
func chain(t testing.TB) (b []byte, ends []int) {
	t.Helper()
	for i := range int64(3) {
		c := sample()
		c.Next, c.Since = 5+i, (4+i)*min(i, 1)
		b = append(b, encoded(t, c)...)
		ends = append(ends, len(b))
	}
	return b, ends
}

// TestFault35_CutOrFlippedAnywhere: of a file cut or changed anywhere, all checkpoints before
// that place are found, and none behind it.
func TestFault35_CutOrFlippedAnywhere(t *testing.T) {
	good, ends := chain(t)
	before := func(at int) (n int) {
		for n < len(ends) && ends[n] <= at {
			n++
		}
		return n
	}
	check := func(what string, at int, b []byte) {
		t.Helper()
		want := before(at)
		list, n, err := parse(b)
		if len(list) != want || n != append([]int{0}, ends...)[want] {
			t.Fatalf("%s %d: %d checkpoints in %d bytes, %v; want %d", what, at, len(list), n, err, want)
		}
		if whole := want > 0 && n == len(b); whole != (err == nil) || !whole && !errors.Is(err, checkpoint.ErrCorrupt) {
			t.Fatalf("%s %d: %v", what, at, err)
		}
	}
	check("whole", len(good), good)
	for at := range good {
		check("cut at", at, good[:at])
		for bit := range 8 {
			b := bytes.Clone(good)
			b[at] ^= 1 << bit
			check("flipped", at, b)
		}
	}
	check("without the middle", ends[0], append(bytes.Clone(good[:ends[0]]), good[ends[1]:]...))
	if list, _, err := parse(good[ends[0]:]); len(list) != 0 || !errors.Is(err, checkpoint.ErrCorrupt) {
		t.Errorf("changes without what they change gave %d, %v", len(list), err)
	}
}

func FuzzCheckpoint(f *testing.F) {
	good, ends := chain(f)
	f.Add(good)
	f.Add(good[:ends[0]])
	f.Add(good[ends[0]:])
	f.Add(encoded(f, checkpoint.Checkpoint{}))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, n, err := parse(b)
		var again []byte
		for _, c := range list {
			again = append(again, encoded(t, c)...)
		}
		if !bytes.Equal(again, b[:min(n, len(b))]) {
			t.Errorf("%x decodes, and encodes to %x", b, again)
		}
		if n > len(b) || (n == 0) != (len(list) == 0) || (err == nil) != (n == len(b) && n > 0) {
			t.Errorf("%d checkpoints in %d of %d bytes, %v", len(list), n, len(b), err)
		}
	})
}

// TestEncodedInPieces: a state is encoded in pieces that are much smaller than it, and read back
// in pieces; damage of its middle is found before anything is restored from it.
func TestEncodedInPieces(t *testing.T) {
	c := streamtest.DriftConfig()
	c.MaxSeries = 5000
	e := streamtest.NewEngine(t, c)
	var b engine.Results
	for i := range 2 * c.MaxSeries {
		r := stream.Record{Message: &stream.Message{Offset: int64(i)}, Series: fmt.Sprint("s", i%c.MaxSeries), Time: int64(i+1) * 1e9, Values: []float64{float64(i), 1}}
		if err := streamtest.Apply(e, &b, &r); err != nil {
			t.Fatal(err)
		}
		b.Reset()
	}
	state := e.Encoded(true)
	var w sizes
	if err := (&checkpoint.Checkpoint{State: state}).Encode(&w); err != nil {
		t.Fatal(err)
	}
	if most := slices.Max(w.writes); most > 1<<20 || state.Size < 4<<20 {
		t.Errorf("a state of %d bytes is written in parts of up to %d", state.Size, most)
	}
	list, _, err := parse(w.all)
	if err != nil {
		t.Fatal(err)
	}
	restored := streamtest.NewEngine(t, c)
	if err := restored.Restore(list[0].State); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(streamtest.Snapshot(restored), streamtest.Snapshot(e)) {
		t.Error("the restored state is another one")
	}
	w.all[len(w.all)/2] ^= 1
	if list, _, err := parse(w.all); len(list) > 0 || !errors.Is(err, checkpoint.ErrCorrupt) {
		t.Errorf("%d checkpoints, %v", len(list), err)
	}
}

// sizes keeps the bytes written, and their number each time.
type sizes struct {
	all    []byte
	writes []int
}

func (w *sizes) Write(p []byte) (int, error) {
	w.all, w.writes = append(w.all, p...), append(w.writes, len(p))
	return len(p), nil
}
