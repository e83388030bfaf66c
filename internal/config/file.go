package config

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// reference matches ${VAR} and ${VAR:default}. A second dollar before it makes it plain text.
var reference = regexp.MustCompile(`\$?\$\{([A-Za-z_][A-Za-z0-9_]*)(:([^}\n]*))?\}`)

// mark replaces the i-th reference while YAML is parsed: a value with a colon, a quote or a line break cannot change the
// structure of the file. Its delimiters are private-use characters.
var mark = regexp.MustCompile("\uE000([0-9]+)\uE001")

// file applies one YAML document.
func (b *binder) file(name string, content []byte, lookup func(string) (string, bool)) {
	var refs []string
	text := reference.ReplaceAllStringFunc(string(content), func(ref string) string {
		refs = append(refs, ref)
		return "\uE000" + strconv.Itoa(len(refs)-1) + "\uE001"
	})
	doc, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		b.errs = append(b.errs, placed{name, &syntaxError{explainSyntax(name, err)}})
		return
	}
	w := &walker{binder: b, name: name, refs: refs, lookup: lookup, anchors: make(map[string]ast.Node)}
	seen := false
	for _, d := range doc.Docs {
		if d.Body == nil {
			continue
		}
		if seen {
			b.fail(w.where(d.Body), "", "a second document in the file; one is read")
			return
		}
		seen = true
		w.block("", reflect.ValueOf(b.cfg).Elem(), d.Body)
	}
}

func original(m string, refs []string) string {
	i, err := strconv.Atoi(mark.FindStringSubmatch(m)[1])
	if err != nil || i >= len(refs) {
		return m
	}
	return refs[i]
}

// A walker assigns the nodes of one file to the fields with their names.
type walker struct {
	*binder
	name    string
	refs    []string
	lookup  func(string) (string, bool)
	anchors map[string]ast.Node
}

// where returns "file:line" of a node.
func (w *walker) where(n ast.Node) string {
	line := n.GetToken().Position.Line
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		line = m.Values[0].Key.GetToken().Position.Line
	}
	return fmt.Sprintf("%s:%d", w.name, line)
}

// plain resolves anchors, aliases and tags.
func (w *walker) plain(n ast.Node) ast.Node {
	for {
		switch x := n.(type) {
		case *ast.AnchorNode:
			w.anchors[x.Name.String()] = x.Value
			n = x.Value
		case *ast.AliasNode:
			target, ok := w.anchors[x.Value.String()]
			if !ok {
				return n
			}
			n = target
		case *ast.TagNode:
			n = x.Value
		default:
			return n
		}
	}
}

// block assigns the keys of a mapping to the fields of v.
func (w *walker) block(path string, v reflect.Value, n ast.Node) {
	n = w.plain(n)
	var pairs []*ast.MappingValueNode
	switch x := n.(type) {
	case *ast.MappingNode:
		pairs = x.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{x}
	case *ast.NullNode:
		if v.Kind() == reflect.Pointer {
			remove(v)
		}
		return
	default:
		if now := renamed[path]; now != "" {
			w.fail(w.where(n), path, "is a block now: renamed to %s", now)
		} else {
			w.fail(w.where(n), path, "must be a block of keys")
		}
		return
	}
	v = open(v)
	w.origins[path] = w.where(n)
	for _, pair := range pairs {
		name := pair.Key.GetToken().Value
		m, ok := find(v.Type(), name)
		if !ok {
			w.fail(w.where(pair.Key), path, "%s", unknown(path, v.Type(), name))
			continue
		}
		child := name
		if path != "" {
			child = path + "." + name
		}
		if isBlock(m.typ) {
			w.block(child, m.of(v), pair.Value)
		} else {
			w.value(child, m.of(v), pair)
		}
	}
}

// value assigns a scalar or a list. A key without a value keeps the default.
func (w *walker) value(path string, v reflect.Value, pair *ast.MappingValueNode) {
	n, where := w.plain(pair.Value), w.where(pair.Key)
	switch x := n.(type) {
	case *ast.NullNode:
	case *ast.SequenceNode:
		if v.Kind() != reflect.Slice {
			w.fail(where, path, "must be one value, got a list")
			return
		}
		var texts []string
		for _, element := range x.Values {
			text, ok := w.scalar(path, element)
			if !ok {
				return
			}
			texts = append(texts, text)
		}
		w.leaf(path, where, v, texts)
	default:
		if text, ok := w.scalar(path, n); ok {
			w.leaf(path, where, v, elements(v.Type(), text))
		}
	}
}

// scalar returns the text of a scalar node with its references expanded.
func (w *walker) scalar(path string, n ast.Node) (string, bool) {
	n = w.plain(n)
	var text string
	switch x := n.(type) {
	case *ast.StringNode:
		text = x.Value
	case *ast.LiteralNode:
		text = x.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		text = n.GetToken().Value
	case *ast.MappingNode:
		var ok bool
		if text, ok = hostPort(x); !ok {
			w.fail(w.where(n), path, "must be a value, got a block of keys")
			return "", false
		}
	default:
		w.fail(w.where(n), path, "must be a value, got a %s", strings.ToLower(n.Type().YAMLName()))
		return "", false
	}
	ok := true
	text = mark.ReplaceAllStringFunc(text, func(m string) string {
		ref := original(m, w.refs)
		if strings.HasPrefix(ref, "$$") {
			return ref[1:]
		}
		parts := reference.FindStringSubmatch(ref)
		if value, found := w.lookup(parts[1]); found {
			return value
		}
		if parts[2] == "" {
			w.fail(w.where(n), path, "environment variable %s is not set; set it or write ${%s:default}", parts[1], parts[1])
			ok = false
		}
		return parts[3]
	})
	return text, ok
}

// hostPort converts host:port in a bracketed list back into a text. The parser makes it a mapping, but in YAML a colon
// without a space behind it is part of a plain scalar.
func hostPort(m *ast.MappingNode) (string, bool) {
	if len(m.Values) != 1 || m.Start.Value == "{" {
		return "", false
	}
	key, colon, value := m.Values[0].Key.GetToken(), m.Values[0].Start, m.Values[0].Value.GetToken()
	if key.Position.Line != value.Position.Line || colon.Position.Offset+1 != value.Position.Offset {
		return "", false
	}
	return key.Value + ":" + value.Value, true
}
