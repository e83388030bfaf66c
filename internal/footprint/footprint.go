// Package footprint measures how many bytes of the heap a value holds on to, so that an engine
// can know what a series costs before it makes many of them. It also limits how far a large heap grows
// beyond the bytes in use.
package footprint

import (
	"reflect"
	"unsafe"
)

// Of returns the bytes of everything that the values reach through pointers, slices, maps,
// strings and interfaces, each counted once and rounded up to what the allocator hands out.
// Functions and channels count as a word: what they close over is shared as a rule.
func Of(values ...any) int64 {
	w := walker{seen: make(map[unsafe.Pointer]bool)}
	for _, v := range values {
		w.walk(reflect.ValueOf(v))
	}
	return w.bytes
}

type walker struct {
	seen  map[unsafe.Pointer]bool
	bytes int64
}

// enter counts a block of the heap and reports whether it is new.
func (w *walker) enter(p unsafe.Pointer, size uintptr) bool {
	if p == nil || size == 0 || w.seen[p] {
		return false
	}
	w.seen[p] = true
	w.bytes += classSize(size)
	return true
}

// walk follows the references in v. The bytes of v itself belong to the block that it is in.
func (w *walker) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && w.enter(v.UnsafePointer(), v.Type().Elem().Size()) {
			w.walk(v.Elem())
		}
	case reflect.Interface:
		if e := v.Elem(); e.IsValid() {
			if e.Kind() != reflect.Pointer {
				w.bytes += classSize(e.Type().Size())
			}
			w.walk(e)
		}
	case reflect.Slice:
		size := v.Type().Elem().Size() * uintptr(v.Cap())
		if v.Cap() > 0 && w.enter(v.UnsafePointer(), size) && refers(v.Type().Elem()) {
			for i := range v.Len() {
				w.walk(v.Index(i))
			}
		}
	case reflect.Array:
		if refers(v.Type().Elem()) {
			for i := range v.Len() {
				w.walk(v.Index(i))
			}
		}
	case reflect.String:
		w.enter(unsafe.Pointer(unsafe.StringData(v.String())), uintptr(v.Len()))
	case reflect.Struct:
		for i := range v.NumField() {
			w.walk(v.Field(i))
		}
	case reflect.Map:
		w.walkMap(v)
	}
}

// walkMap counts a map by its entries: groups of eight that are seven eighths full at most and
// half full at least.
func (w *walker) walkMap(v reflect.Value) {
	if v.IsNil() || !w.enter(v.UnsafePointer(), 48) {
		return
	}
	entry := v.Type().Key().Size() + v.Type().Elem().Size() + 1
	w.bytes += classSize(entry * uintptr(max(8, 2*v.Len())))
	for i := v.MapRange(); i.Next(); {
		w.walk(i.Key())
		w.walk(i.Value())
	}
}

// refers reports whether values of a type can hold references.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.String, reflect.Map:
		return true
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if refers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// classSize rounds a size up as the allocator does: an eighth is lost at most, whole pages above
// 32 KiB.
func classSize(size uintptr) int64 {
	n := int64(size)
	switch {
	case n <= 16:
		return (n + 7) &^ 7
	case n <= 32<<10:
		step := int64(16)
		for step*16 < n {
			step *= 2
		}
		return (n + step - 1) / step * step
	}
	return (n + 8191) &^ 8191
}
