package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Sources are the layers of a configuration, in rising order of precedence:
// the defaults, the files, the environment, the settings.
type Sources struct {
	Files   []string  // paths of YAML files, merged in this order
	Environ []string  // as of os.Environ
	Set     []Setting // of --set and of flags
}

// Setting gives one value: model.order=4.
type Setting struct {
	Path  string
	Value string
	From  string // how the user gave it, for messages: "--order"
}

// Load merges the layers and validates the result by the relations of this package and by
// checks. The error is of type Errors and lists every violation. A Config is returned
// beside an error, too: parts of it may be of use.
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
	b.files = src.Files
	for _, name := range src.Files {
		content, err := os.ReadFile(name)
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

// YAML writes the whole configuration, defaults included and secrets redacted.
func (c *Config) YAML() ([]byte, error) {
	return yaml.MarshalWithOptions(tree(reflect.ValueOf(*c)), yaml.IndentSequence(true))
}

// tree returns the keys of a block with their values, keys of declared kinds among them.
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

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}
