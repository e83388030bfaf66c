package sniff

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/format"
)

// sniff is CSV. It checks that each assumption names a field and the value that the field has.
func sniff(t *testing.T, text string, c format.CSVConfig) (Result, error) {
	t.Helper()
	s, err := CSV([]byte(text), false, c)
	for _, a := range s.Assumptions {
		name, ours := strings.CutPrefix(a.Field, "CSVConfig.")
		if !ours && (a.Field == "" || a.Field == SortField) {
			continue
		}
		f := reflect.ValueOf(s.CSV).FieldByName(name)
		if !f.IsValid() {
			t.Errorf("%s: there is no field %q", a.Text, a.Field)
			continue
		}
		var value string
		switch f.Kind() {
		case reflect.Slice:
			value = strings.Join(f.Interface().([]string), ",")
		case reflect.Uint8:
			value = string(rune(f.Uint()))
		case reflect.Int32:
			value = string(rune(f.Int()))
		default:
			value = fmt.Sprint(f.Interface())
		}
		value = strings.ReplaceAll(value, "\t", "tab")
		if value != a.Value && value != "" { // the decoder finds the unit of times itself
			t.Errorf("%s: %s is %q, the assumption has %q", a.Text, a.Field, value, a.Value)
		}
	}
	return s, err
}
