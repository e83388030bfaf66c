package stream

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// Mark identifies a message of a log by its offset and its content. A log that was deleted and created again
// therefore has other marks. The zero value identifies no message.
type Mark struct {
	Offset int64
	Hash   uint64 // hash of time, key and value; 0 = none
}

// None reports whether m identifies no message.
func (m Mark) None() bool { return m.Hash == 0 }

func (m Mark) String() string {
	if m.None() {
		return "none"
	}
	return fmt.Sprintf("%d:%016x", m.Offset, m.Hash)
}

// Mark returns the mark of m. It is the zero Mark if the source could not deliver m whole.
func (m *Message) Mark() Mark {
	if m.Refused != nil {
		return Mark{}
	}
	h := fnv.New64a()
	var t [8]byte
	binary.LittleEndian.PutUint64(t[:], uint64(m.Time))
	h.Write(t[:])
	h.Write(m.Key)
	h.Write([]byte{0xff})
	h.Write(m.Value)
	return Mark{Offset: m.Offset, Hash: max(1, h.Sum64())}
}
