package filesink

import (
	"context"
	"encoding/json"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/refuse"
)

// DeadLetters writes dead letters as lines of JSON:
//
//	{"origin":"in.csv:7","topic":"in.csv","partition":-1,"offset":6,"reason":"malformed","detail":"...","key":"in","value":"..."}
//
// with the time of the message when it is known. Keys and values that are not
// UTF-8 stand as key_base64 and value_base64. After a crash a letter may be there
// twice: nothing in the file is ever removed. It implements stream.DeadLetters.
type DeadLetters struct {
	output *output
	buf    []byte
}

// OpenDeadLetters opens the file at path to append to it, and creates the file if need be;
// "-" is standard output.
func OpenDeadLetters(path string) (*DeadLetters, error) {
	o, err := create(path)
	if err != nil {
		return nil, err
	}
	if err := o.Resume(checkpoint.Positions{}); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return &DeadLetters{output: o}, nil
}

// Close implements stream.DeadLetters.
func (d *DeadLetters) Close() error { return d.output.Close() }

type letter struct {
	Origin      string        `json:"origin"`
	Topic       string        `json:"topic"`
	Partition   int32         `json:"partition"`
	Offset      int64         `json:"offset"`
	Time        string        `json:"time,omitempty"`
	Reason      refuse.Reason `json:"reason"`
	Detail      string        `json:"detail"`
	Key         string        `json:"key,omitempty"`
	KeyBase64   []byte        `json:"key_base64,omitempty"`
	Value       string        `json:"value,omitempty"`
	ValueBase64 []byte        `json:"value_base64,omitempty"`
}

// WriteDeadLetters implements stream.DeadLetters.
func (d *DeadLetters) WriteDeadLetters(_ context.Context, letters []stream.DeadLetter) error {
	d.buf = d.buf[:0]
	for i := range letters {
		l := &letters[i]
		j := letter{
			Origin: l.Message.Origin(), Topic: l.Message.Topic, Partition: l.Message.Partition, Offset: l.Message.Offset,
			Reason: l.Reason, Detail: l.Detail,
		}
		if l.Message.Time != 0 {
			j.Time = time.Unix(0, l.Message.Time).UTC().Format(time.RFC3339Nano)
		}
		j.Key, j.KeyBase64 = textOrBytes(l.Message.Key)
		j.Value, j.ValueBase64 = textOrBytes(l.Message.Value)
		line, err := json.Marshal(j)
		if err != nil {
			return err
		}
		d.buf = append(append(d.buf, line...), '\n')
	}
	return d.output.write(d.buf, true)
}

func textOrBytes(b []byte) (string, []byte) {
	if utf8.Valid(b) {
		return string(b), nil
	}
	return "", b
}
