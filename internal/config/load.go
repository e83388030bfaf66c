package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Sources are the layers of a configuration above the defaults. A later field has precedence over an earlier one.
type Sources struct {
	Defaults []Setting // settings with the lowest priority: the defaults of the flags of a command
	Files    []string  // paths of YAML files, merged in this order
	Environ  []string  // environment, as from os.Environ
	Set      []Setting // settings of --set and of flags
}

// Setting gives a value to one key: model.order=4.
type Setting struct {
	Path  string
	Value string
	From  string // origin for messages, such as "--order"
}

// Load merges the layers, and validates the result by the rules of this package and by checks. The error is of type
// Errors, and lists every violation. Load returns a Config even with an error: parts of it may be useful.
func Load(src Sources, checks ...Check) (*Config, error) {
	b := newBinder()
	lookup := func(name string) (string, bool) {
		for _, kv := range src.Environ {
			if k, v, _ := strings.Cut(kv, "="); k == name {
				return v, true
			}
		}
		return "", false
	}
	for _, s := range src.Defaults {
		b.set(s.Path, s.Value, s.From)
	}
	b.files = src.Files
	for _, name := range src.Files {
		content, err := readText(name)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: correct the path, or begin with  forecaster create > %s", err, name)
		}
		if err != nil {
			b.errs = append(b.errs, placed{name, &syntaxError{err.Error()}})
			continue
		}
		b.file(name, content, lookup)
	}
	b.environment(src.Environ)
	for _, s := range src.Set {
		b.set(s.Path, s.Value, s.From)
	}
	secrets(reflect.ValueOf(b.cfg).Elem(), "", b.secretFile)
	b.validate(checks)
	return b.cfg, b.Err()
}

// readText returns a file as UTF-8 without a byte order mark. PowerShell writes UTF-16 behind ">", and editors on Windows
// write the mark.
func readText(name string) ([]byte, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	text, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), content)
	return text, err
}

// YAML returns the whole configuration, with defaults and with redacted secrets.
func (c *Config) YAML() ([]byte, error) {
	return yaml.MarshalWithOptions(tree(reflect.ValueOf(*c)), yaml.IndentSequence(true))
}

// tree returns the keys and values of a block, and those of declared kinds in it.
func tree(block reflect.Value) (list yaml.MapSlice) {
	for _, m := range members(block.Type()) {
		v := m.of(block)
		item := yaml.MapItem{Key: m.key, Value: v.Interface()}
		switch {
		case v.Kind() == reflect.Pointer && v.IsNil():
			item.Value = nil
		case isBlock(m.typ):
			item.Value = tree(reflect.Indirect(v))
		}
		list = append(list, item)
	}
	return list
}
