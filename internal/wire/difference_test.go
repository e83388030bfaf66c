package wire

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// values maps the path of each field, element and pointer target of a value to its text.
type values map[string]string

// read are the fields of types whose other fields are not read.
var read = map[reflect.Type]string{
	reflect.TypeFor[time.Location](): "name", reflect.TypeFor[tls.Config](): "ServerName InsecureSkipVerify MinVersion",
}

func (all values) add(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Invalid:
	case reflect.Pointer, reflect.Interface:
		all.add(path, v.Elem())
	case reflect.Struct:
		some, ok := read[v.Type()]
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; !ok || slices.Contains(strings.Fields(some), name) {
				all.add(path+"."+name, v.Field(i))
			}
		}
	case reflect.Slice:
		switch v.Type().Elem().Kind() {
		case reflect.Uint8:
			all[path] = fmt.Sprintf("%q", v.Bytes())
		case reflect.Struct, reflect.Interface, reflect.Pointer:
			for i := range v.Len() {
				all.add(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
		default:
			all[path] = fmt.Sprint(v)
		}
	default:
		all[path] = fmt.Sprint(v)
	}
}

// valuesOf returns the values of things by their types.
func valuesOf(list []any) values {
	all, seen := make(values), make(map[string]int)
	for _, v := range list {
		name := fmt.Sprintf("%T", v)
		if seen[name]++; seen[name] > 1 {
			name += fmt.Sprint(" ", seen[name])
		}
		all.add(name, reflect.ValueOf(v))
	}
	return all
}

// differences lists the values that differ between two lists of things that are built.
func differences(was, now []any) (lines []string) {
	a, b := valuesOf(was), valuesOf(now)
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, path := range slices.Sorted(maps.Keys(both)) {
		x, before := a[path]
		y, after := b[path]
		if x == y && before == after {
			continue
		}
		if len(x+y) > 250 { // simulated, with digits that depend on the processor
			x, y = "some", "others"
		}
		lines = append(lines, fmt.Sprintf("\t%s: %s → %s\n", path, cmp.Or(x, "none"), cmp.Or(y, "none")))
	}
	return lines
}
