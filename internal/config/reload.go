package config

import (
	"reflect"
	"slices"
)

// Live returns the keys with the tag reload:"live": a running job applies changes of them. All other keys need a restart.
func Live() (keys []string) {
	leaves(reflect.TypeFor[Config](), "", func(path string, m member) {
		if m.live {
			keys = append(keys, path)
		}
	})
	return keys
}

// Reload returns the configuration for a job that runs with old: old, with the keys of Live from next. changed has the
// keys of Live that differ, and restart the other keys that differ.
func Reload(old, next *Config) (merged *Config, changed, restart []string) {
	merged = old.Clone()
	live := Live()
	differences(reflect.ValueOf(merged).Elem(), reflect.ValueOf(next).Elem(), "", func(path string, from, to reflect.Value) {
		if slices.Contains(live, path) && from.IsValid() && to.IsValid() {
			from.Set(to)
			changed = append(changed, path)
			return
		}
		restart = append(restart, path)
	})
	return merged, changed, restart
}

// Clone returns a copy that shares no block.
func (c *Config) Clone() *Config {
	other := clone(reflect.ValueOf(*c)).Interface().(Config)
	return &other
}

// clone copies a struct and the blocks in it.
func clone(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	if k := c.FieldByName("Kinds"); k.IsValid() {
		k.Set(reflect.ValueOf(k.Interface().(Kinds).clone()))
	}
	for _, m := range members(v.Type()) {
		f := m.of(c)
		switch {
		case !isBlock(m.typ):
		case f.Kind() == reflect.Struct:
			f.Set(clone(f))
		case !f.IsNil():
			p := reflect.New(f.Type().Elem())
			p.Elem().Set(clone(f.Elem()))
			f.Set(p)
		}
	}
	return c
}

// differences calls f for each setting that differs between a and b. A block that exists only in one of them is one
// difference, without values.
func differences(a, b reflect.Value, prefix string, f func(path string, from, to reflect.Value)) {
	for _, m := range members(a.Type()) {
		path, x, y := prefix+m.key, m.of(a), m.of(b)
		if !isBlock(x.Type()) {
			if !reflect.DeepEqual(x.Interface(), y.Interface()) {
				f(path, x, y)
			}
			continue
		}
		if x.Kind() == reflect.Pointer {
			if x.IsNil() || y.IsNil() {
				if x.IsNil() != y.IsNil() {
					f(path, reflect.Value{}, reflect.Value{})
				}
				continue
			}
			x, y = x.Elem(), y.Elem()
		}
		differences(x, y, path+".", f)
	}
}
