package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// Checkpoint is all that a restart needs, or what has changed of it since the
// checkpoint before: an idle series is not written again.
type Checkpoint struct {
	Fingerprint string // of the config and the build that wrote it
	Next        int64  // offset to resume from
	Since       int64  // Next of the checkpoint that State has the changes to; 0 = State is whole
	Sink        []byte // position of the sink, see Positioner
	DeadLetters []byte // position of the dead letters, likewise
	State       []byte // of the engine, or what has changed of it
}

// The format is described in docs/checkpoint-format.md. Who changes it
//
//   - raises checkpointVersion,
//   - keeps what decodes the version before, and drops what decodes older ones,
//   - commits a checkpoint of the new version to testdata; all of them must load,
//     or be refused with ErrVersion, for ever.
const (
	checkpointMagic   = "FCSTCKPT"
	checkpointVersion = 2

	checkpointHeader  = len(checkpointMagic) + 2 + 8 // magic, version, length of the body
	checkpointTrailer = 4                            // CRC-32C of all before it

	maxFingerprint = 1 << 10
	maxPosition    = 1 << 16
	maxState       = math.MaxInt
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
// memory again. It fails when the fingerprint or a position is too long.
func (c *Checkpoint) Encode() (parts [][]byte, err error) {
	if len(c.Fingerprint) > maxFingerprint || len(c.Sink) > maxPosition || len(c.DeadLetters) > maxPosition {
		return nil, errors.New("stream: a field of the checkpoint is too long")
	}
	head := append([]byte(nil), checkpointMagic...)
	head = binary.LittleEndian.AppendUint16(head, checkpointVersion)
	head = binary.LittleEndian.AppendUint64(head, 0)
	e := snapshot.NewEncoder(head)
	fields := *c
	fields.State = nil // it comes last: only its length is missing
	fields.state(e, checkpointVersion)
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
		before := Checkpoint{Fingerprint: c.Fingerprint}
		if len(list) > 0 {
			before = list[len(list)-1]
		}
		if c.Since != before.Next || c.Fingerprint != before.Fingerprint {
			return list, n, fmt.Errorf("%w: checkpoint %d has the changes since offset %d where %d was expected", ErrCorrupt, len(list)+1, c.Since, before.Next)
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
	if version < 1 || version > checkpointVersion {
		return c, 0, fmt.Errorf("%w: it has version %d, this build reads 1 and %d", ErrVersion, version, checkpointVersion)
	}
	d := snapshot.NewDecoder(b[checkpointHeader:sum])
	c.state(d, version)
	if err := d.Finish(); err != nil {
		return Checkpoint{}, 0, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return c, sum + checkpointTrailer, nil
}

func (c *Checkpoint) state(d *snapshot.Codec, version uint16) {
	d.String(&c.Fingerprint, maxFingerprint)
	d.Int64(&c.Next)
	if version > 1 {
		d.Int64(&c.Since)
	}
	d.Blob(&c.Sink, maxPosition)
	d.Blob(&c.DeadLetters, maxPosition)
	d.Blob(&c.State, maxState)
}
