package config

import (
	"reflect"
	"slices"
)

// Settings are the keys of one kind of input, format or output. internal/wire declares the kinds.
type Settings interface {
	// Check records errors in the settings of c at path, such as input.kafka.
	Check(v *Checker, path string, c *Config)
}

// A Kind is a block of settings below input or output.
type Kind struct {
	Name     string
	Settings func() Settings // a new pointer to a struct with the defaults
	Always   bool            // in force even if it is not given, such as the settings of a format
}

// declared has the kinds below Input and below Output.
var declared = make(map[reflect.Type][]Kind)

// Declare sets the kinds of inputs (which include their formats) and the kinds of outputs.
func Declare(inputs, outputs []Kind) {
	declared[reflect.TypeFor[Input]()], declared[reflect.TypeFor[Output]()] = inputs, outputs
}

// kindOf returns the kind whose settings have the type t.
func kindOf(t reflect.Type) (Kind, bool) {
	for _, kinds := range declared {
		for _, k := range kinds {
			if reflect.TypeOf(k.Settings()) == t {
				return k, true
			}
		}
	}
	return Kind{}, false
}

// Kinds holds the settings of the given kinds. A copy shares them until Set.
type Kinds struct {
	slots []any // one pointer per kind to its settings; they are nil if the kind is not given
}

func newKinds(t reflect.Type) (k Kinds) {
	for _, kind := range declared[t] {
		s := reflect.ValueOf(kind.Settings())
		slot := reflect.New(s.Type())
		if kind.Always {
			slot.Elem().Set(s)
		}
		k.slots = append(k.slots, slot.Interface())
	}
	return k
}

// slot returns the variable with the settings of type t.
func (k Kinds) slot(t reflect.Type) reflect.Value {
	for _, s := range k.slots {
		if v := reflect.ValueOf(s).Elem(); v.Type() == t {
			return v
		}
	}
	return reflect.New(t).Elem()
}

// clone returns a copy that shares no slot.
func (k Kinds) clone() Kinds {
	c := Kinds{slices.Clone(k.slots)}
	for i, s := range c.slots {
		v := reflect.ValueOf(s).Elem()
		slot := reflect.New(v.Type())
		slot.Elem().Set(v)
		c.slots[i] = slot.Interface()
	}
	return c
}

// Set replaces the settings of a kind.
func (k *Kinds) Set(s Settings) {
	*k = k.clone()
	v := reflect.ValueOf(s)
	for i, slot := range k.slots {
		if reflect.TypeOf(slot).Elem() == v.Type() {
			reflect.ValueOf(k.slots[i]).Elem().Set(v)
			return
		}
	}
	slot := reflect.New(v.Type())
	slot.Elem().Set(v)
	k.slots = append(k.slots, slot.Interface())
}

// Given returns the settings of the given kinds, in the order of Declare.
func (k Kinds) Given() (all []Settings) {
	for _, s := range k.slots {
		if v := reflect.ValueOf(s).Elem(); !v.IsNil() {
			all = append(all, v.Interface().(Settings))
		}
	}
	return all
}

// Of returns the settings of type T, or nil if they are not given.
func Of[T any](k Kinds) *T {
	for _, s := range k.slots {
		if slot, ok := s.(**T); ok {
			return *slot
		}
	}
	return nil
}

// Empty reports whether there is no output: results go nowhere.
func (o *Output) Empty() bool { return len(o.Given()) == 0 && o.DeadLetters == nil }

// chosen returns the names of the given kinds, and the names of all kinds.
func (k Kinds) chosen(t reflect.Type) (given, all []string) {
	for _, kind := range declared[t] {
		if kind.Always {
			continue
		}
		all = append(all, kind.Name)
		if !k.slot(reflect.TypeOf(kind.Settings())).IsNil() {
			given = append(given, kind.Name)
		}
	}
	return given, all
}

// check calls Check of the given kinds.
func (k Kinds) check(v *Checker, block string, c *Config) {
	for _, s := range k.Given() {
		if kind, ok := kindOf(reflect.TypeOf(s)); ok {
			s.Check(v, block+"."+kind.Name, c)
		}
	}
}

// A member is a key of a block: a field, or a declared kind.
type member struct {
	key   string
	typ   reflect.Type
	live  bool  // a running job applies changes of it
	index []int // index of the field; nil for a kind
}

// members returns the keys of a block of type t. Keys of embedded structs are in the place of the struct.
func members(t reflect.Type) []member {
	var all []member
	for _, k := range declared[t] {
		all = append(all, member{key: k.Name, typ: reflect.TypeOf(k.Settings())})
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() && !f.Anonymous && f.Tag.Get("yaml") != "-" {
			all = append(all, member{key: key(f), typ: f.Type, live: f.Tag.Get("reload") == "live", index: f.Index})
		}
	}
	return all
}

// of returns the value of the member in a block.
func (m member) of(block reflect.Value) reflect.Value {
	if m.index != nil {
		return block.FieldByIndex(m.index)
	}
	return block.FieldByName("Kinds").Interface().(Kinds).slot(m.typ)
}
