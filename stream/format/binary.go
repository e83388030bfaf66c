package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// signatures begin data that is not text. gzip, zstd and others of a topic's own compression are undone by the
// client of Kafka; here a producer has compressed a value itself.
var signatures = []struct{ begins, is string }{
	{"\x1f\x8b", "gzip; let the producer of Kafka compress (compression.type=gzip) in the place of the application"},
	{"\x28\xb5\x2f\xfd", "zstd; let the producer of Kafka compress (compression.type=zstd) in the place of the application"},
	{"\x04\x22\x4d\x18", "lz4; let the producer of Kafka compress (compression.type=lz4) in the place of the application"},
	{"\xff\x06\x00\x00sNaPpY", "snappy; let the producer of Kafka compress (compression.type=snappy) in the place of the application"},
	{"Obj\x01", "a whole file of Avro; its records need messages of their own: --set input.data_format=avro reads these"},
	{"\xc3\x01", "Avro with the fingerprint of its schema: --set input.data_format=avro --set input.avro.schema_file=FILE"},
	{"PAR1", "a whole file of Parquet: input.file reads it"},
	{"\xac\xed\x00\x05", "an object of Java, which only Java reads"},
	{"\xff\xfe", "UTF-16; write UTF-8"},
	{"\xfe\xff", "UTF-16; write UTF-8"},
}

// FramedSchema returns the number of the schema in the five bytes that serializers of a schema registry write before
// a value (Confluent's wire format: 0, and four bytes, the highest first), and the value behind them.
func FramedSchema(message []byte) (id int, value []byte, ok bool) {
	if len(message) < 5 || message[0] != 0 {
		return 0, nil, false
	}
	return int(binary.BigEndian.Uint32(message[1:])), message[5:], true
}

// Unreadable names what a message is that is not text, with the setting that helps; "" = it may be text.
func Unreadable(message []byte) string {
	if isText(message) {
		return ""
	}
	if id, value, ok := FramedSchema(message); ok {
		return fmt.Sprintf("Confluent wire format, schema %d, %d bytes: --set input.data_format=avro --set input.avro.registry=URL if it is Avro, as the registry says", id, len(value))
	}
	for _, s := range signatures {
		if bytes.HasPrefix(message, []byte(s.begins)) {
			return "binary: " + s.is
		}
	}
	if looksLikeProtobuf(message) {
		return "binary, Protobuf? --set input.data_format=otlp_proto reads metrics of OpenTelemetry, nothing reads others"
	}
	return fmt.Sprintf("binary, it begins with the bytes % x", message[:min(len(message), 8)])
}

// isText reports whether a message begins as text does, if not as UTF-8.
func isText(message []byte) bool {
	const first = 16
	for _, c := range message[:min(len(message), first)] {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return len(message) == 0 || message[0] < utf8.RuneSelf || utf8.Valid(message)
}

// looksLikeProtobuf reports whether all bytes are fields of Protobuf, with small numbers. One in several hundred random
// messages of some bytes are.
func looksLikeProtobuf(message []byte) bool {
	for len(message) > 0 {
		number, _, n := protowire.ConsumeField(message)
		if n < 0 || number > 1000 {
			return false
		}
		message = message[n:]
	}
	return true
}
