package config

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Value is the value of a key, as text for a file.
type Value struct{ Key, Text string }

// Values returns the values of all keys of a block of c, in their order. The block must have no secrets.
func (c *Config) Values(block string) []Value {
	v := reflect.ValueOf(*c)
	m, ok := find(v.Type(), block)
	if !ok {
		panic("config: no block " + block)
	}
	return values(nil, m.of(v), block+".")
}

func values(list []Value, v reflect.Value, prefix string) []Value {
	for _, m := range members(v.Type()) {
		path, x := prefix+m.key, m.of(v)
		if isBlock(x.Type()) {
			list = values(list, x, path+".")
		} else {
			list = append(list, Value{path, text(x)})
		}
	}
	return list
}

// text returns a value as text for a file.
func text(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = text(v.Index(i))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.Float64:
		if s, ok := v.Interface().(fmt.Stringer); ok {
			return s.String()
		}
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	return fmt.Sprint(v.Interface())
}
