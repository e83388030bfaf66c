package wire

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/avro"
)

// Every field that a package below stream names in a text is one, and has a key.
func TestFieldsHaveKeys(t *testing.T) {
	fields := make(map[string]bool)
	for _, c := range []any{format.CSVConfig{}, format.JSONConfig{}, file.SourceConfig{}, assemble.Config{}, avro.Config{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(c)) {
			fields[strings.NewReplacer("format.", "", "file.", "").Replace(reflect.TypeOf(c).String())+"."+f.Name] = true
		}
	}
	named := regexp.MustCompile(`"((?:CSV|JSON|Source|assemble\.|avro\.)Config\.\w+)"`)
	paths, err := filepath.Glob("../../stream/*/*.go")
	below, _ := filepath.Glob("../../stream/*/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := make(map[string]bool)
	for _, path := range append(paths, below...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(text, -1) {
			used[string(m[1])] = true
		}
	}
	for f := range used {
		if !fields[f] || keys[f] == "" {
			t.Errorf("%s is named in a text: a field %v, its key %q", f, fields[f], keys[f])
		}
	}
	for f := range keys {
		if !used[f] && f != "stream.Decoder" { // the interface, not a field
			t.Errorf("no text names %s", f)
		}
	}
}
