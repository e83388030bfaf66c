package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// Checkpoint is all that a restart needs.
type Checkpoint struct {
	Fingerprint string // of the config and the build that wrote it
	Next        int64  // offset to resume from
	Sink        []byte // position of the sink, see Positioner
	DeadLetters []byte // position of the dead letters, likewise
	State       []byte // of the engine
}

// The format is described in docs/checkpoint-format.md. Who changes it
//
//   - raises checkpointVersion,
//   - keeps what decodes the version before, and drops what decodes older ones,
//   - commits a checkpoint of the new version to testdata; all of them must load,
//     or be refused with ErrVersion, for ever.
const (
	checkpointMagic   = "FCSTCKPT"
	checkpointVersion = 1

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

// AppendBinary appends the checkpoint in the format of docs/checkpoint-format.md.
// It fails when the fingerprint or a position is too long.
func (c *Checkpoint) AppendBinary(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, checkpointMagic...)
	dst = binary.LittleEndian.AppendUint16(dst, checkpointVersion)
	dst = binary.LittleEndian.AppendUint64(dst, 0)
	body := len(dst)
	e := snapshot.NewEncoder(dst)
	c.state(e)
	dst = e.Bytes()
	if len(c.Fingerprint) > maxFingerprint || len(c.Sink) > maxPosition || len(c.DeadLetters) > maxPosition {
		return nil, errors.New("stream: a field of the checkpoint is too long")
	}
	binary.LittleEndian.PutUint64(dst[body-8:], uint64(len(dst)-body))
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli)), nil
}

// UnmarshalBinary decodes what AppendBinary wrote. It finds every truncation
// and every single flipped bit. The fields share no memory with b. After an error
// c is as before.
func (c *Checkpoint) UnmarshalBinary(b []byte) error {
	if len(b) < checkpointHeader+checkpointTrailer {
		return fmt.Errorf("%w: %d bytes are less than its header", ErrCorrupt, len(b))
	}
	if string(b[:len(checkpointMagic)]) != checkpointMagic {
		return fmt.Errorf("%w: it does not begin with %s", ErrCorrupt, checkpointMagic)
	}
	sum := len(b) - checkpointTrailer
	if crc32.Checksum(b[:sum], castagnoli) != binary.LittleEndian.Uint32(b[sum:]) {
		return fmt.Errorf("%w: the checksum does not match", ErrCorrupt)
	}
	if v := binary.LittleEndian.Uint16(b[len(checkpointMagic):]); v != checkpointVersion {
		return fmt.Errorf("%w: it has version %d, this build reads %d", ErrVersion, v, checkpointVersion)
	}
	body := b[checkpointHeader:sum]
	if n := binary.LittleEndian.Uint64(b[checkpointHeader-8:]); n != uint64(len(body)) {
		return fmt.Errorf("%w: a body of %d bytes where %d were announced", ErrCorrupt, len(body), n)
	}
	var fresh Checkpoint
	d := snapshot.NewDecoder(body)
	fresh.state(d)
	if err := d.Finish(); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	*c = fresh
	return nil
}

func (c *Checkpoint) state(d *snapshot.Codec) {
	d.String(&c.Fingerprint, maxFingerprint)
	d.Int64(&c.Next)
	d.Blob(&c.Sink, maxPosition)
	d.Blob(&c.DeadLetters, maxPosition)
	d.Blob(&c.State, maxState)
}
