package file

import (
	"encoding/binary"
	"math"
)

// flatTable is a table of a FlatBuffer: https://flatbuffers.dev/internals. Its methods panic with an index out of
// range where the bytes are damaged.
type flatTable struct {
	b  []byte
	at int
}

// flatRoot returns the root table of a buffer.
func flatRoot(b []byte) flatTable { return flatTable{b, int(binary.LittleEndian.Uint32(b))} }

// field returns the offset of field i; 0: the field is absent and has its default.
func (t flatTable) field(i int) int {
	vtable := t.at - int(int32(binary.LittleEndian.Uint32(t.b[t.at:])))
	slot := 4 + 2*i
	if slot+2 > int(binary.LittleEndian.Uint16(t.b[vtable:])) {
		return 0
	}
	if offset := int(binary.LittleEndian.Uint16(t.b[vtable+slot:])); offset > 0 {
		return t.at + offset
	}
	return 0
}

// number returns the signed integer field i of 1, 2, 4 or 8 bytes, or the default.
func (t flatTable) number(i, bytes int, or int64) int64 {
	at := t.field(i)
	if at == 0 {
		return or
	}
	return littleInt(t.b[at : at+bytes])
}

// table returns the table that a field refers to.
func (t flatTable) table(i int) (flatTable, bool) {
	at := t.field(i)
	if at == 0 {
		return flatTable{}, false
	}
	return flatTable{t.b, at + int(binary.LittleEndian.Uint32(t.b[at:]))}, true
}

// vector returns the elements of field i, of the given size in bytes each, and their number.
func (t flatTable) vector(i, bytes int) (elements []byte, n int) {
	v, ok := t.table(i)
	if !ok {
		return nil, 0
	}
	n = int(binary.LittleEndian.Uint32(v.b[v.at:]))
	return v.b[v.at+4 : v.at+4+n*bytes], n
}

func (t flatTable) text(i int) string {
	b, _ := t.vector(i, 1)
	return string(b)
}

// tables returns the tables that the elements of a field refer to.
func (t flatTable) tables(i int) []flatTable {
	v, ok := t.table(i)
	if !ok {
		return nil
	}
	_, n := t.vector(i, 4)
	all := make([]flatTable, n)
	for j := range all {
		at := v.at + 4 + 4*j
		all[j] = flatTable{t.b, at + int(binary.LittleEndian.Uint32(t.b[at:]))}
	}
	return all
}

// littleInt returns the signed little-endian integer in 1, 2, 4 or 8 bytes.
func littleInt(b []byte) int64 {
	switch len(b) {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// littleUint returns the unsigned little-endian integer in 1, 2, 4 or 8 bytes.
func littleUint(b []byte) uint64 { return uint64(littleInt(b)) & (math.MaxUint64 >> (64 - 8*len(b))) }
