package avro

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/avro"

	"github.com/orffvar/forecaster/stream/format"
)

// plan decodes the messages of one schema. The library decodes a message into a struct that has only the configured
// fields. Each message overwrites the struct.
type plan struct {
	title      string
	schema     *avro.Schema
	target     any // pointer to the struct
	record     reflect.Value
	base       []int // index of the record in an envelope of Debezium; nil: the message is the record
	time       *leaf
	series     *leaf
	tags       []leaf
	values     []leaf
	names      []string
	collection *leaf // map or array with all values; nil: see values
	unnamed    bool  // collection is an array
}

// leaf is a configured field.
type leaf struct {
	name   string
	node   avro.SchemaNode // type without null
	at     any             // pointer to the field; nil: its address depends on the message
	record reflect.Value   // struct from which index leads to the field, through pointers
	index  []int
}

// newPlan makes the plan of a schema.
func (d *Decoder) newPlan(schema *avro.Schema, title string) (*plan, error) {
	root := *schema.Root().ExpandReferences()
	if root.Type != "record" {
		return nil, fmt.Errorf("it is of the type %s, and must be a record", root.Type)
	}
	b := &builder{tree: &treeNode{}}
	base, node := "", root
	if after := fieldOf(root, "after"); after != nil && fieldOf(root, "op") != nil && (fieldOf(root, "ts_ms") != nil || fieldOf(root, "source") != nil) {
		if n, _ := nonNull(after.Type); n.Type == "record" { // an envelope of Debezium
			base, node = "after", n
		}
	}
	inside := func(path string) string { return strings.TrimPrefix(base+"."+path, ".") }
	p := &plan{title: title, schema: schema}
	want := func(what, field, path string) (*leaf, error) {
		l, err := b.add(root, inside(path))
		if err != nil {
			return nil, fmt.Errorf("no %s at %q, %w: %s", what, path, err, d.c.Names.Set(field, "PATH"))
		}
		return l, nil
	}
	var err error
	if p.time, err = want("time", "avro.Config.Time", d.c.Time); err != nil {
		return nil, err
	}
	named := []string{d.c.Time}
	if d.c.Series != "" {
		named = append(named, d.c.Series)
		if p.series, err = want("name of the series", "avro.Config.Series", d.c.Series); err != nil {
			return nil, err
		}
	}
	var tags []*leaf
	for _, t := range d.tags {
		named = append(named, t.path)
		if l, err := b.add(root, inside(t.path)); err == nil { // a schema may lack some tags
			l.name = t.key
			tags = append(tags, l)
		}
	}
	if len(d.tags) > 0 && len(tags) == 0 {
		return nil, fmt.Errorf("none of the fields %q, which make the series; it has %s", d.c.Tags, fieldNames(node))
	}
	values, err := d.planValues(p, b, root, node, base, named)
	if err != nil {
		return nil, err
	}
	p.record = reflect.New(b.tree.structType())
	p.target = p.record.Interface()
	for _, l := range slices.Concat([]*leaf{p.time, p.series, p.collection}, tags, values) {
		if l != nil {
			b.place(l, p.record.Elem())
		}
	}
	for _, l := range tags {
		p.tags = append(p.tags, *l)
	}
	for _, l := range values {
		p.values, p.names = append(p.values, *l), append(p.names, l.name)
	}
	if base != "" {
		p.base = b.tree.child(base).index
	}
	return p, nil
}

// planValues adds the values: the number fields of a record that have no other use, or a map or an array.
func (d *Decoder) planValues(p *plan, b *builder, root, node avro.SchemaNode, base string, named []string) (values []*leaf, err error) {
	path := d.c.Values
	if f := fieldOf(node, "values"); path == "" && f != nil {
		if n, _ := nonNull(f.Type); n.Type == "record" || n.Type == "map" || n.Type == "array" {
			path = "values"
		}
	}
	if path == format.Flat {
		path = ""
	}
	whole := strings.Trim(base+"."+path, ".")
	if path != "" {
		n, err := nodeAt(root, whole)
		if err != nil {
			return nil, fmt.Errorf("no values at %q, %w: %s", path, err, d.c.Names.Set("avro.Config.Values", "PATH"))
		}
		if node, _ = nonNull(n); node.Type == "map" || node.Type == "array" {
			p.collection, err = b.add(root, whole)
			p.unnamed = node.Type == "array"
			return nil, err
		}
		if node.Type != "record" {
			return nil, fmt.Errorf("the values at %q are of the type %s, not a record, a map or an array", path, node.Type)
		}
	}
	for _, f := range node.Fields {
		if slices.Contains(named, strings.TrimPrefix(path+"."+f.Name, ".")) || !isNumber(f.Type) {
			continue
		}
		if len(values) == d.c.MaxDim {
			return nil, fmt.Errorf("more than %d values", d.c.MaxDim)
		}
		l, err := b.add(root, strings.TrimPrefix(whole+"."+f.Name, "."))
		if err != nil {
			return nil, err
		}
		l.name = f.Name
		values = append(values, l)
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("no number beside the time among the fields %s: %s", fieldNames(node), d.c.Names.Set("avro.Config.Values", "PATH"))
	}
	return values, nil
}

// deleted reports whether an envelope has no record.
func (p *plan) deleted() bool {
	if p.base == nil {
		return false
	}
	v := p.record.Elem().FieldByIndex(p.base)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// fieldOf returns a field of a record, nil if it has none of the name.
func fieldOf(node avro.SchemaNode, name string) *avro.SchemaField {
	for i := range node.Fields {
		if node.Fields[i].Name == name {
			return &node.Fields[i]
		}
	}
	return nil
}

// fieldNames lists the fields of a record.
func fieldNames(node avro.SchemaNode) string {
	const most = 10
	var names []string
	for _, f := range node.Fields[:min(len(node.Fields), most)] {
		names = append(names, f.Name)
	}
	text := strings.Join(names, ", ")
	if more := len(node.Fields) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// nonNull returns the other branch of a union of two with null.
func nonNull(node avro.SchemaNode) (other avro.SchemaNode, nullable bool) {
	if len(node.Branches) != 2 {
		return node, false
	}
	for i, b := range node.Branches {
		if b.Type == "null" {
			return node.Branches[1-i], true
		}
	}
	return node, false
}

// isNumber reports whether values of a type are numbers, at least in some messages.
func isNumber(node avro.SchemaNode) bool {
	switch node.Type {
	case "union":
		return slices.ContainsFunc(node.Branches, isNumber)
	case "int", "long", "float", "double", "boolean":
		return node.LogicalType == "" || node.LogicalType == "decimal"
	case "bytes", "fixed":
		return node.LogicalType == "decimal"
	}
	return false
}

// nodeAt returns the type at a path.
func nodeAt(root avro.SchemaNode, path string) (avro.SchemaNode, error) {
	node := root
	for name := range strings.SplitSeq(path, ".") {
		node, _ = nonNull(node)
		f := fieldOf(node, name)
		if f == nil {
			return node, fmt.Errorf("the schema has %s", cmp.Or(fieldNames(node), "no fields there"))
		}
		node = f.Type
	}
	return node, nil
}

// builder collects the configured fields.
type builder struct{ tree *treeNode }

// treeNode is a configured field, or a record on the path to one.
type treeNode struct {
	name     string
	node     avro.SchemaNode
	nullable bool
	index    []int
	children []*treeNode
	asked    bool
}

func (t *treeNode) child(name string) *treeNode {
	for _, c := range t.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// add adds the field at a path.
func (b *builder) add(root avro.SchemaNode, path string) (*leaf, error) {
	if _, err := nodeAt(root, path); err != nil {
		return nil, err
	}
	t, node := b.tree, root
	for name := range strings.SplitSeq(path, ".") {
		inner, _ := nonNull(node)
		node = fieldOf(inner, name).Type
		c := t.child(name)
		if c == nil {
			c = &treeNode{name: name, index: append(slices.Clone(t.index), len(t.children))}
			c.node, c.nullable = nonNull(node)
			t.children = append(t.children, c)
		}
		t = c
	}
	if t.asked || len(t.children) > 0 {
		return nil, errors.New("which another path has, or lies within")
	}
	t.asked = true
	return &leaf{name: t.name, node: t.node, index: t.index}, nil
}

// structType returns the type of the struct for a record.
func (t *treeNode) structType() reflect.Type {
	fields := make([]reflect.StructField, len(t.children))
	for i, c := range t.children {
		typ := c.fieldType()
		if c.nullable && typ.Kind() != reflect.Interface {
			typ = reflect.PointerTo(typ)
		}
		fields[i] = reflect.StructField{Name: "F" + strconv.Itoa(i), Type: typ, Tag: reflect.StructTag(`avro:"` + c.name + `"`)}
	}
	return reflect.StructOf(fields)
}

// fieldType returns the Go type that a field is decoded into.
func (t *treeNode) fieldType() reflect.Type {
	if !t.asked {
		return t.structType()
	}
	switch t.node.Type {
	case "int", "long":
		return reflect.TypeFor[int64]()
	case "float", "double":
		return reflect.TypeFor[float64]()
	case "boolean":
		return reflect.TypeFor[bool]()
	case "string":
		return reflect.TypeFor[[]byte]()
	case "enum":
		return reflect.TypeFor[string]()
	}
	return reflect.TypeFor[any]()
}

// place finds the field of a leaf in a struct.
func (b *builder) place(l *leaf, record reflect.Value) {
	l.record = record
	v := record
	for _, i := range l.index {
		if v.Kind() == reflect.Pointer {
			return // the address of the record depends on the message
		}
		v = v.Field(i)
	}
	l.at = v.Addr().Interface()
}

// find returns a pointer to the field; nil if a record on its path is null.
func (l *leaf) find() any {
	if l.at != nil {
		return l.at
	}
	v := l.record
	for _, i := range l.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return nil
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v.Addr().Interface()
}
