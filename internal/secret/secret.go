// Package secret has a string that does not print itself.
package secret

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

// Redacted is what a Text shows of a value.
const Redacted = "[redacted]"

// Text is a password or a token. Every way of printing it shows Redacted;
// only Reveal returns the value. The zero Text is empty and prints as "".
type Text struct {
	// A pointer, because fmt calls no method of a Text in an unexported field
	// and would print the characters; of a pointer it prints the address.
	value *string
}

// New returns a Text with the given value.
func New(value string) Text {
	if value == "" {
		return Text{}
	}
	return Text{value: &value}
}

// Reveal returns the value.
func (t Text) Reveal() string {
	if t.value == nil {
		return ""
	}
	return *t.value
}

// IsZero reports whether there is no value.
func (t Text) IsZero() bool { return t.value == nil }

// String returns Redacted, or "" when there is no value.
func (t Text) String() string {
	if t.IsZero() {
		return ""
	}
	return Redacted
}

// GoString is what %#v prints.
func (t Text) GoString() string { return `secret.Text("` + t.String() + `")` }

// Format prints the redacted string for every verb, those included for which
// fmt would not ask String.
func (t Text) Format(f fmt.State, verb rune) {
	if verb == 'v' && f.Flag('#') {
		_, _ = io.WriteString(f, t.GoString())
		return
	}
	_, _ = io.WriteString(f, t.String())
}

// MarshalText serves encoders that ask for text.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// MarshalJSON writes the redacted string.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// MarshalYAML writes the redacted string.
func (t Text) MarshalYAML() ([]byte, error) { return json.Marshal(t.String()) }

// LogValue is what log/slog prints.
func (t Text) LogValue() slog.Value { return slog.StringValue(t.String()) }
