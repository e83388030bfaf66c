package config

import (
	"encoding/csv"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/internal/spelling"
)

// A binder writes the values of the layers (files, environment, --set) into the fields of a Config.
type binder struct {
	*Checker
	cfg *Config
}

func newBinder() *binder { return &binder{NewChecker(), Default()} }

var (
	durationType = reflect.TypeFor[time.Duration]()
	sizeType     = reflect.TypeFor[Size]()
	intervalType = reflect.TypeFor[Interval]()
	ridgeType    = reflect.TypeFor[Ridge]()
	secretType   = reflect.TypeFor[secret.Text]()
)

// isBlock reports whether the type t is a block: it has keys and no value of its own.
func isBlock(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && t != secretType
}

// open returns the struct of the block v. It allocates an absent block, with its defaults.
func open(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer {
		return v
	}
	if v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
		if k, ok := kindOf(v.Type()); ok {
			v.Set(reflect.ValueOf(k.Settings()))
		}
	}
	return v.Elem()
}

// remove removes an optional block. A block of a format, which is always in force, keeps its settings.
func remove(v reflect.Value) {
	if k, _ := kindOf(v.Type()); !k.Always {
		v.SetZero()
	}
}

// key returns the name of a field in files.
func key(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// find returns the member of the block type t with the given key.
func find(t reflect.Type, name string) (member, bool) {
	all := members(t)
	i := slices.IndexFunc(all, func(m member) bool { return m.key == name })
	if i < 0 {
		return member{}, false
	}
	return all[i], true
}

// unknown returns the error text for a key that the block at path does not have. It suggests the new name or the
// nearest name.
func unknown(path string, t reflect.Type, name string) string {
	msg := fmt.Sprintf("unknown key %q", name)
	whole := strings.TrimPrefix(path+"."+name, ".")
	if now, ok := renamed[whole]; ok {
		return fmt.Sprintf("%s: renamed to %s", msg, now)
	}
	if why, ok := removed[whole]; ok {
		return fmt.Sprintf("%s: removed, %s", msg, why)
	}
	if key := Meaning(name); key != "" {
		return fmt.Sprintf("%s, did you mean %q?", msg, key)
	}
	if key := onlyKey(name); key != "" {
		return fmt.Sprintf("%s, did you mean %q?", msg, key)
	}
	var keys []string
	for _, m := range members(t) {
		keys = append(keys, m.key)
	}
	if best := spelling.Nearest(name, keys); best != "" {
		return fmt.Sprintf("%s, did you mean %q?", msg, best)
	}
	return msg
}

// onlyKey returns the path of the only key that ends in name, or "" if there is none or more than one.
func onlyKey(name string) string {
	var found []string
	leaves(reflect.TypeFor[Config](), "", func(path string, _ member) {
		if strings.HasSuffix(path, "."+name) {
			found = append(found, path)
		}
	})
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// set assigns text to the leaf at path ("model.order"), for the environment and --set. The word null removes an optional
// block.
func (b *binder) set(path, text, where string) {
	v := reflect.ValueOf(b.cfg).Elem()
	names := strings.Split(path, ".")
	for i, name := range names {
		m, ok := find(v.Type(), name)
		if !ok {
			block := strings.Join(names[:i], ".")
			b.fail(where, block, "%s", unknown(block, v.Type(), name))
			return
		}
		v = m.of(v)
		if i == len(names)-1 {
			break
		}
		if !isBlock(v.Type()) {
			b.fail(where, strings.Join(names[:i+1], "."), "is a value and has no key %q", names[i+1])
			return
		}
		if v.Kind() == reflect.Pointer && v.IsNil() {
			b.origins[strings.Join(names[:i+1], ".")] = where
		}
		v = open(v)
	}
	if isBlock(v.Type()) {
		switch {
		case v.Kind() == reflect.Pointer && text == "null":
			remove(v)
		case v.Kind() == reflect.Pointer && text == "{}":
			open(v)
		case renamed[path] != "":
			b.fail(where, path, "is a block now: renamed to %s", renamed[path])
		default:
			b.fail(where, path, "is a block; %s", remedyOfBlock(path, v.Type()))
		}
		return
	}
	b.leaf(path, where, v, elements(v.Type(), text))
}

// remedyOfBlock returns a key of the block that a user can set, or {} for a block without keys.
func remedyOfBlock(path string, t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if keys := members(t); len(keys) > 0 {
		return "set one of its keys, such as " + path + "." + keys[0].key
	}
	return "it has no keys: set it to {}"
}

// elements splits the text of a list at its commas. The text of any other type is one element.
func elements(t reflect.Type, text string) []string {
	if t.Kind() != reflect.Slice {
		return []string{text}
	}
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inner, "]")
	}
	if text == "" {
		return nil
	}
	parts := strings.Split(text, ",")
	if strings.Contains(text, `"`) { // an element with a comma
		r := csv.NewReader(strings.NewReader(text))
		r.TrimLeadingSpace, r.LazyQuotes = true, true
		if quoted, err := r.Read(); err == nil {
			parts = quoted
		}
	}
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return parts
}

// leaf assigns the texts of a value to v: one text, or one per element of a list.
func (b *binder) leaf(path, where string, v reflect.Value, texts []string) {
	b.origins[path] = where
	delete(b.broken, path)
	if v.Kind() != reflect.Slice {
		if err := parseInto(v, texts[0]); err != nil {
			b.fail(where, path, "%v", err)
			b.broken[path] = true
		}
		return
	}
	list := reflect.Zero(v.Type())
	for i, text := range texts {
		element := reflect.New(v.Type().Elem()).Elem()
		if err := parseInto(element, text); err != nil {
			b.fail(where, path, "element %d %v", i, err)
			b.broken[path] = true
			return
		}
		list = reflect.Append(list, element)
	}
	v.Set(list)
}

// parseInto converts text to the type of v.
func parseInto(v reflect.Value, text string) error {
	switch v.Type() {
	case durationType:
		d, err := time.ParseDuration(text) // ParseDuration accepts "0" without a unit
		if err != nil {
			return fmt.Errorf("must be a duration such as 5s or 1h30m, got %q", text)
		}
		v.SetInt(int64(d))
		return nil
	case intervalType:
		i, err := parseInterval(text)
		if err != nil {
			return err
		}
		v.SetInt(int64(i))
		return nil
	case sizeType:
		n, err := ParseSize(text)
		if err != nil {
			return err
		}
		v.SetInt(int64(n))
		return nil
	case ridgeType:
		r, err := parseRidge(text)
		if err != nil {
			return err
		}
		v.SetFloat(float64(r))
		return nil
	case secretType:
		v.Set(reflect.ValueOf(secret.New(text)))
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		x, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("must be true or false, got %q", text)
		}
		v.SetBool(x)
	case reflect.Int, reflect.Int64:
		x, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 0, 64)
		if err != nil {
			return fmt.Errorf("must be a whole number, got %q", text)
		}
		v.SetInt(x)
	case reflect.Uint64:
		x, err := strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 0, 64)
		if err != nil {
			return fmt.Errorf("must be a whole number of at least 0, got %q", text)
		}
		v.SetUint(x)
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return fmt.Errorf("must be a finite number, got %q", text)
		}
		v.SetFloat(x)
	default:
		panic("config: no parser for " + v.Type().String())
	}
	return nil
}

// leaves calls f for each setting and its path, in the order of the fields.
func leaves(t reflect.Type, prefix string, f func(path string, m member)) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, m := range members(t) {
		if isBlock(m.typ) {
			leaves(m.typ, prefix+m.key+".", f)
		} else {
			f(prefix+m.key, m)
		}
	}
}

// envPrefix is the prefix of environment variables for settings: FORECASTER_MODEL_ORDER sets model.order.
const envPrefix = "FORECASTER_"

// variable returns the name of the environment variable for the setting at path.
func variable(path string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// environment applies the variables for settings. It returns an error for an unknown variable only if its name
// continues with the name of a block: orchestrators inject names such as FORECASTER_SERVICE_HOST.
func (b *binder) environment(environ []string) {
	known, old := make(map[string]string), make(map[string]string)
	leaves(reflect.TypeFor[Config](), "", func(path string, _ member) { known[variable(path)] = path })
	for was, now := range renamed {
		old[variable(was)] = "renamed to " + variable(now)
	}
	for was, why := range removed {
		old[variable(was)] = "removed, " + why
	}
	blocks := reflect.TypeFor[Config]()
	for _, kv := range slices.Sorted(slices.Values(environ)) {
		name, text, _ := strings.Cut(kv, "=")
		rest, ok := strings.CutPrefix(name, envPrefix)
		if !ok {
			continue
		}
		if path, ok := known[name]; ok {
			b.set(path, text, "environment "+name)
			continue
		}
		if now, ok := old[name]; ok {
			b.fail("environment", "", "%s is no setting: %s", name, now)
			continue
		}
		block, _, _ := strings.Cut(rest, "_")
		if _, ok := find(blocks, strings.ToLower(block)); ok {
			b.fail("environment", "", "%s is no setting%s", name, nearest(name, known))
		}
	}
}

// nearest returns the known variable that is most similar to a misspelt name.
func nearest(name string, known map[string]string) string {
	best, bestDist := "", 4
	for k := range known {
		if d := spelling.Distance(k, name); d < bestDist || (d == bestDist && k < best) {
			best, bestDist = k, d
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + best + "?"
}

// secrets calls f for each secret KEY with a file in KEY_file: orchestrators mount secrets as files.
func secrets(block reflect.Value, prefix string, f func(path, file string, text *secret.Text)) {
	for _, m := range members(block.Type()) {
		v := m.of(block)
		switch {
		case v.Kind() == reflect.Pointer && v.IsNil():
		case isBlock(m.typ):
			secrets(reflect.Indirect(v), prefix+m.key+".", f)
		case m.typ == secretType:
			if file, ok := find(block.Type(), m.key+"_file"); ok && file.of(block).String() != "" {
				f(prefix+m.key, file.of(block).String(), v.Addr().Interface().(*secret.Text))
			}
		}
	}
}

// SecretFiles returns the files of secrets with live keys: they can change while a job runs.
func SecretFiles(c *Config) (files []string) {
	live := Live()
	secrets(reflect.ValueOf(c).Elem(), "", func(path, file string, _ *secret.Text) {
		if slices.Contains(live, path) {
			files = append(files, file)
		}
	})
	return files
}

// secretFile replaces a secret by the content of its file.
func (b *binder) secretFile(path, file string, text *secret.Text) {
	where := b.origins[path+"_file"]
	if text.Reveal() != "" {
		b.fail(where, path, "is set, and so is %s_file; keep one of them", path)
		return
	}
	content, err := readText(file)
	if err != nil {
		b.fail(where, path+"_file", "%v", err)
		return
	}
	*text = secret.New(strings.TrimRight(string(content), "\r\n"))
}
