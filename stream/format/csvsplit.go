package format

import (
	"bytes"
	"encoding/csv"
	"errors"
)

// split finds the fields of a line. It uses encoding/csv, which allocates, only for a line with quotes.
func (d *CSV) split(line []byte) error {
	d.fields = d.fields[:0]
	line = bytes.TrimRight(line, "\n")
	if bytes.IndexByte(line, '\n') >= 0 {
		return errors.New("more than one line")
	}
	if bytes.IndexByte(line, '"') < 0 {
		line = bytes.TrimSuffix(line, []byte("\r"))
		for from := 0; ; {
			n := bytes.IndexByte(line[from:], d.c.Comma)
			if n < 0 {
				d.fields = append(d.fields, line[from:])
				return nil
			}
			d.fields = append(d.fields, line[from:from+n])
			from += n + 1
		}
	}
	cr := csv.NewReader(bytes.NewReader(line))
	cr.Comma = rune(d.c.Comma)
	cr.FieldsPerRecord = -1
	fields, err := cr.Read()
	if err != nil {
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return err
	}
	for _, f := range fields {
		d.fields = append(d.fields, []byte(f))
	}
	return nil
}
