package stream_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"reflect"
	"testing"

	"github.com/orffvar/forecaster/stream"
)

var update = flag.Bool("update", false, "write testdata/checkpoint-v*.bin of the version that is written now")

func sample() stream.Checkpoint {
	return stream.Checkpoint{
		Fingerprint: "model abc, build def", Next: 1 << 40,
		Sink: []byte("1234"), DeadLetters: []byte("5"), State: []byte("state\x00of the engine"),
	}
}

func encoded(t testing.TB, c stream.Checkpoint) []byte {
	t.Helper()
	b, err := c.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCheckpointRoundTrip(t *testing.T) {
	for _, want := range []stream.Checkpoint{{}, sample(), {State: make([]byte, 1<<20)}} {
		var got stream.Checkpoint
		if err := got.UnmarshalBinary(encoded(t, want)); err != nil {
			t.Fatal(err)
		}
		if len(want.State) == 0 {
			want.State = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// TestFault35_BitFlips: every truncation, every flipped bit and every appended
// byte is found, and taken for damage rather than for another version.
func TestFault35_BitFlips(t *testing.T) {
	good := encoded(t, sample())
	refused := func(what string, at int, b []byte) {
		t.Helper()
		got := sample()
		err := got.UnmarshalBinary(b)
		if !errors.Is(err, stream.ErrCorrupt) {
			t.Errorf("%s %d: got %v", what, at, err)
		}
		if !reflect.DeepEqual(got, sample()) {
			t.Errorf("%s %d: a failed UnmarshalBinary changed its receiver", what, at)
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

// TestFault36_CheckpointVersions: what earlier builds wrote loads, or is refused by its
// version.
func TestFault36_CheckpointVersions(t *testing.T) {
	const v1 = "testdata/checkpoint-v1.bin"
	if *update {
		if err := os.WriteFile(v1, encoded(t, sample()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(v1)
	if err != nil {
		t.Fatal(err)
	}
	var got stream.Checkpoint
	if err := got.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, sample()) {
		t.Errorf("version 1 became %+v", got)
	}
	if !bytes.Equal(encoded(t, sample()), b) {
		t.Error("the format changed, but not its version: see the comment at checkpointVersion")
	}

	newer, err := os.ReadFile("testdata/checkpoint-newer.bin")
	if err != nil {
		t.Fatal(err)
	}
	if err := got.UnmarshalBinary(newer); !errors.Is(err, stream.ErrVersion) {
		t.Errorf("a newer version gave %v", err)
	}
}

func FuzzCheckpoint(f *testing.F) {
	good := encoded(f, sample())
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(encoded(f, stream.Checkpoint{}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c stream.Checkpoint
		if c.UnmarshalBinary(b) != nil {
			return
		}
		if again := encoded(t, c); !bytes.Equal(again, b) {
			t.Errorf("%x decodes, and encodes to %x", b, again)
		}
	})
}
