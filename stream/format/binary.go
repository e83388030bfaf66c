package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// signatures are the first bytes of data that is not text. The Kafka client undoes the compression of a topic. A
// compressed value here was compressed by the application.
var signatures = []struct {
	begins, is string
	settings   []setting // settings that read such data
}{
	{"\x1f\x8b", "gzip; let the producer of Kafka compress (compression.type=gzip) in the place of the application", nil},
	{"\x28\xb5\x2f\xfd", "zstd; let the producer of Kafka compress (compression.type=zstd) in the place of the application", nil},
	{"\x04\x22\x4d\x18", "lz4; let the producer of Kafka compress (compression.type=lz4) in the place of the application", nil},
	{"\xff\x06\x00\x00sNaPpY", "snappy; let the producer of Kafka compress (compression.type=snappy) in the place of the application", nil},
	{"Obj\x01", "a whole file of Avro; its records need messages of their own", []setting{{formatField, "avro"}}},
	{"\xc3\x01", "Avro with the fingerprint of its schema", []setting{{formatField, "avro"}, {"avro.Config.Schema", "FILE"}}},
	{"PAR1", "a whole file of Parquet, for the input of files", nil},
	{"\xac\xed\x00\x05", "an object of Java, which only Java reads", nil},
	{"\xff\xfe", "UTF-16; write UTF-8", nil},
	{"\xfe\xff", "UTF-16; write UTF-8", nil},
}

// formatField is the field that selects the format of messages.
const formatField = "stream.Decoder"

// setting is a field of a configuration with a value.
type setting struct{ field, value string }

// settingsText returns settings after a colon.
func (n Names) settingsText(settings []setting) string {
	text := ""
	for i, s := range settings {
		if text += " "; i == 0 {
			text = ": "
		}
		text += n.Set(s.field, s.value)
	}
	return text
}

// FramedSchema splits a message in Confluent's wire format: a zero byte, the schema number in four bytes
// (big-endian), and the value. Serializers of a schema registry write it.
func FramedSchema(message []byte) (id int, value []byte, ok bool) {
	if len(message) < 5 || message[0] != 0 {
		return 0, nil, false
	}
	return int(binary.BigEndian.Uint32(message[1:])), message[5:], true
}

// Unreadable returns the kind of a message that is not text, with the setting that helps; "": it may be text.
func (n Names) Unreadable(message []byte) string {
	if isText(message) {
		return ""
	}
	if id, value, ok := FramedSchema(message); ok {
		return fmt.Sprintf("Confluent wire format, schema %d, %d bytes%s if it is Avro, as the registry says", id, len(value),
			n.settingsText([]setting{{formatField, "avro"}, {"avro.Config.Schemas", "URL"}}))
	}
	for _, s := range signatures {
		if bytes.HasPrefix(message, []byte(s.begins)) {
			return "binary: " + s.is + n.settingsText(s.settings)
		}
	}
	if looksLikeProtobuf(message) {
		return "binary, Protobuf? " + n.Set(formatField, "otlp_proto") + " reads metrics of OpenTelemetry, nothing reads others"
	}
	return fmt.Sprintf("binary, it begins with the bytes % x", message[:min(len(message), 8)])
}

// isText reports whether a message begins like text, in UTF-8 or another encoding.
func isText(message []byte) bool {
	const first = 16
	for _, c := range message[:min(len(message), first)] {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return len(message) == 0 || message[0] < utf8.RuneSelf || utf8.Valid(message)
}

// looksLikeProtobuf reports whether the message is a sequence of Protobuf fields with small field numbers. One in
// several hundred short random messages is one by chance.
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
