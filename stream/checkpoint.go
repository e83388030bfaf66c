package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// Checkpoint has all that a restart needs, or the changes since the checkpoint before: idle
// series are not written again.
type Checkpoint struct {
	Settings []Setting // that State depends on; nil in a checkpoint of changes
	Next     int64     // offset to resume from
	Since    int64     // Next of the checkpoint that State has the changes to; 0 = State is whole
	Last     Mark      // of the last message that was applied
	Outputs  Positions // of the outputs
	State    []byte    // of the engine, or what has changed of it
}

// Positions are the lengths of outputs, ascending by name. Nil means that there is no
// checkpoint; a checkpoint without outputs has an empty list.
type Positions []Position

// Position is the length in bytes of an output, which is known by its kind and path.
type Position struct {
	Output string `json:"output"`
	Length int64  `json:"length"`
}

// Of returns the position of an output, and whether it is known.
func (p Positions) Of(output string) (int64, bool) {
	i := slices.IndexFunc(p, func(q Position) bool { return q.Output == output })
	if i < 0 {
		return 0, false
	}
	return p[i].Length, true
}

// The format is described in docs/checkpoint-format.md. Who changes it raises
// checkpointVersion, changes the page, and writes testdata again by
//
//	go test ./stream -run Fault36 -update
const (
	checkpointMagic   = "FCSTCKPT"
	checkpointVersion = 3

	checkpointHeader  = len(checkpointMagic) + 2 + 8 // magic, version, length of the body
	checkpointTrailer = 4                            // CRC-32C of all before it

	maxSettings = 1 << 10
	maxOutputs  = 1 << 10
	maxText     = 1 << 16
	maxState    = math.MaxInt
)

// ErrNoCheckpoint is returned by a Store that has none.
var ErrNoCheckpoint = errors.New("stream: no checkpoint")

// ErrCorrupt is wrapped by the errors of UnmarshalBinary that mean damage: an
// older checkpoint may still be good.
var ErrCorrupt = errors.New("stream: damaged checkpoint")

// ErrVersion is wrapped by the error of UnmarshalBinary for a checkpoint of a
// version that this build does not read.
var ErrVersion = errors.New("stream: checkpoint of another version")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Encode returns the checkpoint in the format of docs/checkpoint-format.md, in parts
// that follow one another. One of them is State itself: a copy would need as much
// memory again. It fails when a setting or the name of an output is too long.
func (c *Checkpoint) Encode() (parts [][]byte, err error) {
	long := len(c.Settings) > maxSettings || len(c.Outputs) > maxOutputs
	for _, s := range c.Settings {
		long = long || len(s.Key) > maxText || len(s.Value) > maxText
	}
	for _, p := range c.Outputs {
		long = long || len(p.Output) > maxText
	}
	if long {
		return nil, errors.New("stream: a field of the checkpoint is too long")
	}
	head := append([]byte(nil), checkpointMagic...)
	head = binary.LittleEndian.AppendUint16(head, checkpointVersion)
	head = binary.LittleEndian.AppendUint64(head, 0)
	e := snapshot.NewEncoder(head)
	fields := *c
	fields.State = nil // it comes last: only its length is missing
	fields.state(e)
	head = e.Bytes()
	binary.LittleEndian.PutUint64(head[len(head)-8:], uint64(len(c.State)))
	binary.LittleEndian.PutUint64(head[checkpointHeader-8:], uint64(len(head)-checkpointHeader+len(c.State)))
	sum := crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, c.State)
	return [][]byte{head, c.State, binary.LittleEndian.AppendUint32(nil, sum)}, nil
}

// UnmarshalBinary decodes what Encode returned. It finds every truncation
// and every single flipped bit. The fields share no memory with b. After an error
// c is as before.
func (c *Checkpoint) UnmarshalBinary(b []byte) error {
	fresh, n, err := decodeCheckpoint(b)
	if err == nil && n != len(b) {
		err = fmt.Errorf("%w: %d bytes left over", ErrCorrupt, len(b)-n)
	}
	if err != nil {
		return err
	}
	*c = fresh
	return nil
}

// ParseCheckpoints decodes checkpoints that stand one behind the other: a whole
// one, then changes. It returns all that come before the first one that is damaged,
// cut off or out of order, how many bytes they take, and what is wrong with that
// one; nil means that nothing follows.
func ParseCheckpoints(b []byte) (list []Checkpoint, n int, err error) {
	for n < len(b) || len(list) == 0 {
		c, size, err := decodeCheckpoint(b[n:])
		if err != nil {
			return list, n, fmt.Errorf("checkpoint %d from byte %d on: %w", len(list)+1, n, err)
		}
		var before int64
		if len(list) > 0 {
			before = list[len(list)-1].Next
		}
		if c.Since != before {
			return list, n, fmt.Errorf("%w: checkpoint %d has the changes since offset %d where %d was expected", ErrCorrupt, len(list)+1, c.Since, before)
		}
		list, n = append(list, c), n+size
	}
	return list, n, nil
}

// decodeCheckpoint decodes the checkpoint that b begins with and returns its size.
func decodeCheckpoint(b []byte) (c Checkpoint, size int, err error) {
	if len(b) < checkpointHeader+checkpointTrailer {
		return c, 0, fmt.Errorf("%w: %d bytes are less than its header", ErrCorrupt, len(b))
	}
	if string(b[:len(checkpointMagic)]) != checkpointMagic {
		return c, 0, fmt.Errorf("%w: it does not begin with %s", ErrCorrupt, checkpointMagic)
	}
	rest := len(b) - checkpointHeader - checkpointTrailer
	if n := binary.LittleEndian.Uint64(b[checkpointHeader-8:]); n <= uint64(rest) {
		rest = int(n)
	} else {
		return c, 0, fmt.Errorf("%w: a body of %d bytes where %d were announced", ErrCorrupt, rest, n)
	}
	sum := checkpointHeader + rest
	if crc32.Checksum(b[:sum], castagnoli) != binary.LittleEndian.Uint32(b[sum:]) {
		return c, 0, fmt.Errorf("%w: the checksum does not match", ErrCorrupt)
	}
	version := binary.LittleEndian.Uint16(b[len(checkpointMagic):])
	if version != checkpointVersion {
		age := "a newer"
		if version < checkpointVersion {
			age = "an older"
		}
		return c, 0, fmt.Errorf("%w: %s build has written it in format %d, this build reads %d", ErrVersion, age, version, checkpointVersion)
	}
	d := snapshot.NewDecoder(b[checkpointHeader:sum])
	c.state(d)
	if err := d.Finish(); err != nil {
		return Checkpoint{}, 0, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return c, sum + checkpointTrailer, nil
}

func (c *Checkpoint) state(d *snapshot.Codec) {
	n := len(c.Settings)
	d.Len(&n, maxSettings)
	for i := 0; i < n && d.Err() == nil; i++ {
		var s Setting
		if !d.Decoding() {
			s = c.Settings[i]
		}
		d.String(&s.Key, maxText)
		d.String(&s.Value, maxText)
		if d.Decoding() {
			c.Settings = append(c.Settings, s)
		}
	}
	d.Int64(&c.Next)
	d.Int64(&c.Since)
	d.Int64(&c.Last.Offset)
	d.Uint64(&c.Last.Hash)
	c.Outputs.state(d)
	d.Blob(&c.State, maxState)
}

func (p *Positions) state(d *snapshot.Codec) {
	n := len(*p)
	d.Len(&n, maxOutputs)
	if d.Decoding() {
		*p = make(Positions, n)
	}
	for i := 0; i < n && d.Err() == nil; i++ {
		q := &(*p)[i]
		d.String(&q.Output, maxText)
		d.Int64(&q.Length)
		if d.Decoding() && (q.Length < 0 || i > 0 && q.Output <= (*p)[i-1].Output) {
			d.Fail("output %q out of order, or with %d bytes", q.Output, q.Length)
		}
	}
}
