package avro

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/refuse"
)

// value is the content of a field: an integer, a float, a text or, rarely, another kind.
type value struct {
	kind    reflect.Kind // Invalid: null
	integer int64
	float   float64
	text    []byte
	other   any
}

func (l *leaf) get() value {
	switch p := l.find().(type) {
	case *float64:
		return value{kind: reflect.Float64, float: *p}
	case **float64:
		if *p != nil {
			return value{kind: reflect.Float64, float: **p}
		}
	case *int64:
		return value{kind: reflect.Int64, integer: *p}
	case **int64:
		if *p != nil {
			return value{kind: reflect.Int64, integer: **p}
		}
	case *bool:
		return value{kind: reflect.Bool, other: *p}
	case **bool:
		if *p != nil {
			return value{kind: reflect.Bool, other: **p}
		}
	case *[]byte:
		return value{kind: reflect.String, text: *p}
	case **[]byte:
		if *p != nil {
			return value{kind: reflect.String, text: **p}
		}
	case *string:
		return value{kind: reflect.String, text: []byte(*p)}
	case **string:
		if *p != nil {
			return value{kind: reflect.String, text: []byte(**p)}
		}
	case *any:
		return valueOf(*p)
	}
	return value{}
}

// valueOf returns the value of a field whose Go type is known only after decoding.
func valueOf(v any) value {
	switch v := v.(type) {
	case float64:
		return value{kind: reflect.Float64, float: v}
	case float32:
		return value{kind: reflect.Float64, float: float64(v)}
	case int64:
		return value{kind: reflect.Int64, integer: v}
	case int32:
		return value{kind: reflect.Int64, integer: int64(v)}
	case bool:
		return value{kind: reflect.Bool, other: v}
	case string:
		return value{kind: reflect.String, text: []byte(v)}
	case *big.Rat:
		f, _ := v.Float64()
		return value{kind: reflect.Float64, float: f}
	case [16]byte: // uuid
		return value{kind: reflect.String, text: fmt.Appendf(nil, "%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])}
	}
	return value{kind: reflect.Interface, other: v}
}

// number returns the value as a number; NaN for null, and for a union whose branch is not a number.
func (l *leaf) number() (float64, error) {
	switch p := l.at.(type) { // the usual types; get is slower
	case *float64:
		return *p, nil
	case **float64:
		if *p != nil {
			return **p, nil
		}
		return math.NaN(), nil
	}
	return l.get().number()
}

func (v value) number() (float64, error) {
	switch v.kind {
	case reflect.Float64:
		return v.float, nil
	case reflect.Int64:
		return float64(v.integer), nil
	case reflect.Bool:
		if v.other.(bool) {
			return 1, nil
		}
		return 0, nil
	case reflect.Invalid, reflect.String:
		return math.NaN(), nil
	}
	if v.other == nil {
		return math.NaN(), nil
	}
	return 0, fmt.Errorf("no number but %T", v.other)
}

// text appends the text of a name or a tag; ok is false for null.
func (l *leaf) text(dst []byte) (text []byte, ok bool) {
	switch v := l.get(); v.kind {
	case reflect.String:
		return append(dst, v.text...), true
	case reflect.Int64:
		return strconv.AppendInt(dst, v.integer, 10), true
	case reflect.Float64:
		return strconv.AppendFloat(dst, v.float, 'f', -1, 64), true
	case reflect.Bool:
		return strconv.AppendBool(dst, v.other.(bool)), true
	}
	return dst, false
}

// timeOf returns the time of a record.
func (d *Decoder) timeOf(p *plan) (int64, error) {
	v, node := p.time.get(), p.time.node
	unit := d.c.TimeUnit
	var t int64
	var err error
	switch v.kind {
	case reflect.Int64:
		switch {
		case strings.HasSuffix(node.LogicalType, "timestamp-millis"):
			unit = timestamp.Milliseconds
		case strings.HasSuffix(node.LogicalType, "timestamp-micros"):
			unit = timestamp.Microseconds
		case strings.HasSuffix(node.LogicalType, "timestamp-nanos"):
			unit = timestamp.Nanoseconds
		case node.LogicalType == "date":
			unit, v.integer = timestamp.Seconds, v.integer*86400
		}
		if unit != timestamp.Auto && node.LogicalType == "" {
			d.text = strconv.AppendInt(d.text[:0], v.integer, 10)
			t, err = timestamp.Parse(d.text, unit) // a form such as yyyymmdd
		} else {
			t, err = timestamp.Epoch(v.integer, unit)
		}
		if err != nil {
			return 0, malformed("the time %d is %v", v.integer, err)
		}
	case reflect.Float64, reflect.String:
		d.text, _ = p.time.text(d.text[:0])
		if t, err = timestamp.Parse(d.text, unit); err != nil {
			return 0, malformed("the time %.40q is %v", d.text, err)
		}
	default:
		return 0, malformed("no time at %q", d.c.Time)
	}
	if strings.HasPrefix(node.LogicalType, "local-") && d.c.Zone != nil {
		u := time.Unix(0, t).UTC()
		t = time.Date(u.Year(), u.Month(), u.Day(), u.Hour(), u.Minute(), u.Second(), u.Nanosecond(), d.c.Zone).UnixNano()
	}
	return t, nil
}

// collect fills d.values with a map, ascending by name, or an array.
func (d *Decoder) collect(p *plan) error {
	at, _ := p.collection.find().(*any)
	if at == nil || *at == nil {
		return malformed("no values at %q", p.collection.name)
	}
	add := func(name string, v any) error {
		if len(d.values) == d.c.MaxDim {
			return refuse.New(refuse.TooLarge, "more than %d values", d.c.MaxDim)
		}
		number, err := value{kind: reflect.Invalid}, error(nil)
		if v != nil {
			number = valueOf(v)
		}
		f, err := number.number()
		if err != nil {
			return malformed("the value of %q is %v", name, err)
		}
		d.values = append(d.values, f)
		return nil
	}
	switch all := (*at).(type) {
	case []any:
		for i, v := range all {
			if err := add("#"+strconv.Itoa(i+1), v); err != nil {
				return err
			}
		}
	case map[string]any:
		d.namesV = d.namesV[:0:0]
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if err := add(name, all[name]); err != nil {
				return err
			}
			d.namesV = append(d.namesV, d.names.Get([]byte(name)))
		}
	}
	return nil
}
