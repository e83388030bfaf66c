package config

import (
	"reflect"
	"slices"
)

// Live are the keys that a running job takes over from a changed configuration; every other
// key needs a restart.
var Live = []string{
	"evaluate.interval",
	"output.influxdb.token",
	"output.influxdb.token_file",
	"output.influxdb.batch_size",
	"output.influxdb.timeout",
	"state.interval",
	"state.records",
	"server.token",
	"log.level",
}

// Reload returns the configuration for a job that runs with old: old with the keys in Live
// taken from next. changed are the keys in Live that differ, restart all other keys that
// differ.
func Reload(old, next *Config) (merged *Config, changed, restart []string) {
	c := clone(reflect.ValueOf(*old)).Interface().(Config)
	merged = &c
	differences(reflect.ValueOf(merged).Elem(), reflect.ValueOf(next).Elem(), "", func(path string, from, to reflect.Value) {
		if slices.Contains(Live, path) && from.IsValid() && to.IsValid() {
			from.Set(to)
			changed = append(changed, path)
			return
		}
		restart = append(restart, path)
	})
	return merged, changed, restart
}

// clone copies a struct and the blocks in it.
func clone(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	for i := range v.NumField() {
		f := c.Field(i)
		switch {
		case !isBlock(f.Type()):
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

// differences calls f for each setting that a and b have not alike. A block that only
// one of them has is one difference, with no values.
func differences(a, b reflect.Value, prefix string, f func(path string, from, to reflect.Value)) {
	for _, field := range fields(a.Type()) {
		path := prefix + key(field)
		x, y := a.FieldByIndex(field.Index), b.FieldByIndex(field.Index)
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
