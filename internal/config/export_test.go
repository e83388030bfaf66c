package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Meanings maps names of other programs to keys.
var Meanings = meanings

// DefaultSettings returns the default of every setting as text.
func DefaultSettings() map[string]string {
	settings := make(map[string]string)
	leaves(reflect.TypeFor[Config](), "", func(path string, _ member) {
		v := reflect.ValueOf(Default()).Elem()
		for _, name := range strings.Split(path, ".") {
			m, _ := find(v.Type(), name)
			v = open(m.of(v))
		}
		text := fmt.Sprint(v.Interface())
		if v.Kind() == reflect.Slice {
			parts := make([]string, v.Len())
			for i := range parts {
				parts[i] = fmt.Sprint(v.Index(i).Interface())
			}
			text = strings.Join(parts, ", ")
		}
		settings[path] = text
	})
	return settings
}
