package report

import (
	"encoding/binary"
	"hash/crc32"
)

// SVGMark is a comment near the beginning of every SVG file of this program.
const SVGMark = "<!-- generator: forecaster -->"

const (
	htmlMark = `<meta name="generator" content="forecaster">`
	pngMark  = "tEXtSoftware\x00forecaster" // type and data of a chunk with a text
)

// Marks are the marks of the pages and pictures of this program; it overwrites only files with one of them.
var Marks = []string{htmlMark, SVGMark, pngMark}

// withMark returns a PNG file with the chunk of pngMark behind its header: 8 bytes of signature, and a chunk of 13 bytes of
// data between 12 bytes of length, type and checksum.
func withMark(png []byte) []byte {
	const header = 8 + 12 + 13
	all := append([]byte{}, png[:header]...)
	all = binary.BigEndian.AppendUint32(all, uint32(len(pngMark)-len("tEXt")))
	all = append(all, pngMark...)
	all = binary.BigEndian.AppendUint32(all, crc32.ChecksumIEEE([]byte(pngMark)))
	return append(all, png[header:]...)
}
