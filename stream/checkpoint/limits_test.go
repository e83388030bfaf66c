package checkpoint_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// TestChangedSettings: settings that differ are listed with both values, and the error says whose they are.
func TestChangedSettings(t *testing.T) {
	type list = []checkpoint.Setting
	for _, c := range []struct {
		saved, now list
		want       string
	}{
		{nil, nil, ""},
		{list{{"a", "1"}, {"b", "2"}}, list{{"a", "1"}, {"b", "2"}}, ""},
		{list{{"a", "1"}, {"b", "2"}}, list{{"a", "3"}, {"b", "2"}}, "a: the checkpoint has 1, the configuration 3"},
		{list{{"a", "1"}}, list{{"b", "2"}}, "a: the checkpoint has 1, the configuration none; b: the checkpoint has none, the configuration 2"},
		{list{{"b", "1"}}, list{{"a", "2"}, {"b", "1"}, {"c", "3"}}, "a: the checkpoint has none, the configuration 2; c: the checkpoint has none, the configuration 3"},
		{list{{"build.state", "1"}, {"topic.partitions", "3"}}, list{{"build.state", "2"}, {"topic.partitions", "4"}}, "build.state: the checkpoint has 1, this build 2; topic.partitions: the checkpoint has 3, the topic 4"},
		{list{{"a", ""}}, nil, ""},
	} {
		changed := checkpoint.Compare(c.saved, c.now)
		if got := (&checkpoint.SettingsError{Changed: changed}).Error(); got != c.want || (len(changed) == 0) != (c.want == "") {
			t.Errorf("%v to %v: %s, want %s", c.saved, c.now, got, c.want)
		}
	}
}

// TestLimitsOfACheckpoint: a checkpoint whose fields are as long as is allowed is read back, and a longer field is an
// error before anything is written.
func TestLimitsOfACheckpoint(t *testing.T) {
	text := strings.Repeat("x", 1<<16)
	settings, outputs := make([]checkpoint.Setting, 1<<10), make(checkpoint.Positions, 1<<10)
	for i := range settings {
		settings[i].Key, outputs[i].Output = text[:i+1], text[:i+1]
	}
	const last = 1<<10 - 1
	settings[last] = checkpoint.Setting{Key: text, Value: text}
	outputs[last].Output = text
	whole := checkpoint.Checkpoint{Settings: settings, Outputs: outputs, Next: 7, State: checkpoint.StateOf([]byte("state"))}
	var b bytes.Buffer
	if err := whole.Encode(&b); err != nil {
		t.Fatal(err)
	}
	list, n, err := checkpoint.Parse(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || n != int64(b.Len()) || len(list) != 1 || len(list[0].Settings) != 1<<10 || len(list[0].Outputs) != 1<<10 || list[0].Settings[last].Value != text || list[0].Outputs[last].Output != text {
		t.Errorf("%d checkpoints in %d bytes: %v", len(list), n, err)
	}
	for name, change := range map[string]func(c *checkpoint.Checkpoint){
		"settings": func(c *checkpoint.Checkpoint) { c.Settings = append(settings, checkpoint.Setting{Key: "z"}) },
		"outputs":  func(c *checkpoint.Checkpoint) { c.Outputs = append(outputs, checkpoint.Position{Output: "z"}) },
		"key":      func(c *checkpoint.Checkpoint) { c.Settings = []checkpoint.Setting{{Key: text + "x"}} },
		"value":    func(c *checkpoint.Checkpoint) { c.Settings = []checkpoint.Setting{{Value: text + "x"}} },
		"output":   func(c *checkpoint.Checkpoint) { c.Outputs = checkpoint.Positions{{Output: text + "x"}} },
	} {
		c := whole
		change(&c)
		var b bytes.Buffer
		if err := c.Encode(&b); err == nil || err.Error() != "stream: a field of the checkpoint is too long" || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes are written", name, err, b.Len())
		}
	}
	announced := checkpoint.Checkpoint{State: checkpoint.StateOf([]byte("state"))}
	announced.State.Size++
	if err := announced.Encode(new(bytes.Buffer)); err == nil || err.Error() != "stream: a state of 5 bytes where 6 were announced" {
		t.Error(err)
	}
	known := checkpoint.Positions{{Output: "a", Length: 3, Unsettled: "xy"}, {Output: "b", Unsettled: "z"}}
	if n, ok := known.Of("a"); n != 3 || !ok || known.UnsettledOf("a") != "xy" || known.UnsettledOf("c") != "" {
		t.Errorf("%d, %v", n, ok)
	}
	if n, ok := known.Of("c"); n != 0 || ok {
		t.Errorf("an output that is not known: %d, %v", n, ok)
	}
	if n := (&checkpoint.Checkpoint{Outputs: known, State: checkpoint.StateOf([]byte("state"))}).Size(); n != 8 {
		t.Errorf("the size is %d", n)
	}
	if b, err := (checkpoint.State{}).Bytes(); err != nil || len(b) != 0 {
		t.Errorf("an empty state has %d bytes, %v", len(b), err)
	}
}

// TestVersionsOfACheckpoint: a checkpoint of another version is no damaged one, and the error tells which build has
// written it.
func TestVersionsOfACheckpoint(t *testing.T) {
	var b bytes.Buffer
	if err := (&checkpoint.Checkpoint{Next: 7}).Encode(&b); err != nil {
		t.Fatal(err)
	}
	for version, want := range map[uint16]string{
		2: "checkpoint 1 from byte 0 on: stream: checkpoint of another version: an older build has written it in format 2, this build reads 3", 3: "",
		5: "checkpoint 1 from byte 0 on: stream: checkpoint of another version: a newer build has written it in format 5, this build reads 3",
	} {
		text := bytes.Clone(b.Bytes()[:b.Len()-4])
		binary.LittleEndian.PutUint16(text[8:], version)
		text = binary.LittleEndian.AppendUint32(text, crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
		list, n, err := checkpoint.Parse(bytes.NewReader(text), int64(len(text)))
		if want == "" && (err != nil || len(list) != 1 || n != int64(len(text))) || want != "" && (err == nil || err.Error() != want || !errors.Is(err, checkpoint.ErrVersion) || len(list)+int(n) > 0) {
			t.Errorf("version %d: %d checkpoints in %d bytes, %v", version, len(list), n, err)
		}
	}
	if got := (&checkpoint.ReplacedError{Was: stream.Mark{Offset: 7}}).Error(); got != "stream: the message at offset 7 is not the one that was read before: the log was deleted and created again" {
		t.Error(got)
	}
}
