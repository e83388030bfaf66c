package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
)

// Checkpoint holds the data for a restart: the whole state, or only the changes since the previous checkpoint.
type Checkpoint struct {
	Settings []Setting   // settings on which State depends; nil in a checkpoint of changes
	Next     int64       // offset to resume from
	Since    int64       // Next of the checkpoint to which the changes in State apply; 0 = State is whole
	Last     stream.Mark // mark of the last message applied
	Outputs  Positions   // positions of the outputs
	State    State       // state of the engine, or its changes
}

// Positions are the positions of outputs, ascending by name. Nil: there is no checkpoint. A checkpoint without
// outputs has an empty list.
type Positions []Position

// Position is the length of an output in bytes. The name of an output is its kind and path.
type Position struct {
	Output string `json:"output"`
	Length int64  `json:"length"`

	// Unsettled holds the points that a database has accepted but may not have stored yet, as encoded by its Sink.
	Unsettled string `json:"-"`
}

// unsettled returns the size of all Unsettled fields in bytes.
func (p Positions) unsettled() (n int64) {
	for i := range p {
		n += int64(len(p[i].Unsettled))
	}
	return n
}

// Size returns the approximate size of the encoded checkpoint in bytes.
func (c *Checkpoint) Size() int64 { return c.State.Size + c.Outputs.unsettled() }

// Of returns the length of an output in bytes; ok is false if it is unknown.
func (p Positions) Of(output string) (int64, bool) {
	i := slices.IndexFunc(p, func(q Position) bool { return q.Output == output })
	if i < 0 {
		return 0, false
	}
	return p[i].Length, true
}

// UnsettledOf returns Position.Unsettled of an output, "" if it is unknown.
func (p Positions) UnsettledOf(output string) string {
	i := slices.IndexFunc(p, func(q Position) bool { return q.Output == output })
	if i < 0 {
		return ""
	}
	return p[i].Unsettled
}

// docs/checkpoint-format.md describes the format. A change of the format also changes checkpointVersion, this page
// and testdata, which is rewritten by
//
//	go test ./stream/checkpoint -run Fault36 -update
const (
	checkpointMagic     = "FCSTCKPT"
	checkpointVersion   = 3
	checkpointUnsettled = 4 // checkpointVersion with Position.Unsettled; written only if a position has some

	checkpointHeader  = 8 + 2 + 8 // magic, version, length of the body
	checkpointTrailer = 4         // CRC-32C of all preceding bytes

	maxSettings  = 1 << 10
	maxOutputs   = 1 << 10
	maxText      = 1 << 16
	maxUnsettled = 1 << 28
)

// ErrNoCheckpoint is returned by a Store without a checkpoint.
var ErrNoCheckpoint = errors.New("stream: no checkpoint")

// ErrCorrupt is wrapped by errors of Parse for a damaged checkpoint. An older checkpoint may still be intact.
var ErrCorrupt = errors.New("stream: damaged checkpoint")

// ErrVersion is wrapped by errors of Parse for a checkpoint whose version this build cannot read.
var ErrVersion = errors.New("stream: checkpoint of another version")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Encode writes the checkpoint in the format of docs/checkpoint-format.md. It reads State while it writes. It fails
// if a setting or the name of an output is too long.
func (c *Checkpoint) Encode(w io.Writer) error {
	long := len(c.Settings) > maxSettings || len(c.Outputs) > maxOutputs
	for _, s := range c.Settings {
		long = long || len(s.Key) > maxText || len(s.Value) > maxText
	}
	for _, p := range c.Outputs {
		long = long || len(p.Output) > maxText
	}
	if long {
		return errors.New("stream: a field of the checkpoint is too long")
	}
	head := append([]byte(nil), checkpointMagic...)
	version := uint16(checkpointVersion)
	if c.Outputs.unsettled() > 0 {
		version = checkpointUnsettled
	}
	head = binary.LittleEndian.AppendUint16(head, version)
	head = binary.LittleEndian.AppendUint64(head, 0)
	e := snapshot.NewEncoder(head)
	c.state(e, version)
	head = e.Bytes()
	binary.LittleEndian.PutUint64(head[checkpointHeader-8:], uint64(len(head)-checkpointHeader)+uint64(c.State.Size))
	sum := crc32.New(castagnoli)
	all := io.MultiWriter(w, sum)
	if _, err := all.Write(head); err != nil {
		return err
	}
	if err := c.copyState(all); err != nil {
		return err
	}
	_, err := w.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return err
}

func (c *Checkpoint) copyState(w io.Writer) error {
	r, err := c.State.Reader()
	if err != nil {
		return err
	}
	n, err := io.CopyBuffer(w, r, make([]byte, 256<<10))
	if err == nil && n != c.State.Size {
		err = fmt.Errorf("stream: a state of %d bytes where %d were announced", n, c.State.Size)
	}
	return errors.Join(err, r.Close())
}

// Parse decodes consecutive checkpoints from the first size bytes of r: a whole one, then changes. It stops at the
// first checkpoint that is damaged, cut off or out of order. It returns the checkpoints before it, their size n in
// bytes, and the error, nil at the end of the data. It detects every truncation and every single flipped bit. A
// State is read from r when it is opened.
func Parse(r io.ReaderAt, size int64) (list []Checkpoint, n int64, err error) {
	for n < size || len(list) == 0 {
		c, length, err := decodeCheckpoint(io.NewSectionReader(r, n, size-n))
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
		list, n = append(list, c), n+length
	}
	return list, n, nil
}

// decodeCheckpoint decodes the checkpoint at the start of r and returns its size in bytes.
func decodeCheckpoint(r *io.SectionReader) (c Checkpoint, size int64, err error) {
	if r.Size() < checkpointHeader+checkpointTrailer {
		return c, 0, fmt.Errorf("%w: %d bytes are less than its header", ErrCorrupt, r.Size())
	}
	var head [checkpointHeader]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return c, 0, fmt.Errorf("stream: %w", err)
	}
	if string(head[:len(checkpointMagic)]) != checkpointMagic {
		return c, 0, fmt.Errorf("%w: it does not begin with %s", ErrCorrupt, checkpointMagic)
	}
	rest := r.Size() - checkpointHeader - checkpointTrailer
	if n := binary.LittleEndian.Uint64(head[checkpointHeader-8:]); n <= uint64(rest) {
		rest = int64(n)
	} else {
		return c, 0, fmt.Errorf("%w: a body of %d bytes where %d were announced", ErrCorrupt, rest, n)
	}
	if err := checkSum(r, checkpointHeader+rest); err != nil {
		return c, 0, err
	}
	version := binary.LittleEndian.Uint16(head[len(checkpointMagic):])
	if version != checkpointVersion && version != checkpointUnsettled {
		age := "a newer"
		if version < checkpointVersion {
			age = "an older"
		}
		return c, 0, fmt.Errorf("%w: %s build has written it in format %d, this build reads %d", ErrVersion, age, version, checkpointVersion)
	}
	body := io.NewSectionReader(r, checkpointHeader, rest)
	d := snapshot.NewReader(body, rest)
	c.state(d, version)
	if d.Err() == nil && c.State.Size != d.Left() {
		d.Fail("a state of %d bytes where %d were announced", d.Left(), c.State.Size)
	}
	if err := d.Err(); err != nil {
		return Checkpoint{}, 0, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	from := rest - c.State.Size
	c.State.Open = func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(body, from, rest-from)), nil
	}
	return c, checkpointHeader + rest + checkpointTrailer, nil
}

// checkSum compares the checksum after the first size bytes of r with the checksum of these bytes.
func checkSum(r *io.SectionReader, size int64) error {
	sum := crc32.New(castagnoli)
	if _, err := io.CopyBuffer(sum, io.NewSectionReader(r, 0, size), make([]byte, 256<<10)); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	var want [checkpointTrailer]byte
	if _, err := r.ReadAt(want[:], size); err != nil && err != io.EOF {
		return fmt.Errorf("stream: %w", err)
	}
	if sum.Sum32() != binary.LittleEndian.Uint32(want[:]) {
		return fmt.Errorf("%w: the checksum does not match", ErrCorrupt)
	}
	return nil
}

// state transfers all fields except the bytes of State, which come last.
func (c *Checkpoint) state(d *snapshot.Codec, version uint16) {
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
	c.Outputs.state(d, version)
	d.Int64(&c.State.Size)
}

func (p *Positions) state(d *snapshot.Codec, version uint16) {
	n := len(*p)
	d.Len(&n, maxOutputs)
	if d.Decoding() {
		*p = make(Positions, n)
	}
	for i := 0; i < n && d.Err() == nil; i++ {
		q := &(*p)[i]
		d.String(&q.Output, maxText)
		d.Int64(&q.Length)
		if version == checkpointUnsettled {
			d.String(&q.Unsettled, maxUnsettled)
		}
		if d.Decoding() && (q.Length < 0 || i > 0 && q.Output <= (*p)[i-1].Output) {
			d.Fail("output %q out of order, or with %d bytes", q.Output, q.Length)
		}
	}
}
