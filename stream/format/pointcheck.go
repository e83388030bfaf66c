package format

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/internal/cells"
)

// PointCheck finds numbers such as 1.234 in a file whose first lines have only whole numbers. If the point separates
// thousands, such a number is a thousand times larger.
type PointCheck struct {
	d     *CSV
	first error // error of the first such number; nil: none so far
}

// NewPointCheck returns nil if the meaning of the point is known.
func (d *CSV) NewPointCheck() *PointCheck {
	if !d.c.Whole {
		return nil
	}
	return &PointCheck{d: d}
}

// Add reads a line. done: a number such as 1.5 has shown that the point is a decimal point.
func (c *PointCheck) Add(m *stream.Message) (done bool, err error) {
	if bytes.IndexByte(m.Value, '.') < 0 {
		return false, nil
	}
	if _, ok := c.d.timeText(m.Value); !ok {
		return false, nil // Decode refuses the line
	}
	for k, i := range c.d.values {
		cell := string(bytes.TrimSpace(c.d.fields[i]))
		switch {
		case !cells.DotDecimal().MatchString(cell):
		case !cells.DotThousand().MatchString(cell):
			c.first = nil
			return true, nil
		case c.first == nil:
			name := c.d.c.Header[i]
			if c.d.variable < 0 {
				name = c.d.names[k]
			}
			c.first = fmt.Errorf("line %d has %s in column %q, which is %[2]s or %[4]s, and no other number shows what its point is: "+
				"say %[5]s (thousands) or %[6]s (a fraction)", m.Offset+1, cell, name, strings.ReplaceAll(cell, ".", ""),
				c.d.c.Names.Set("CSVConfig.Thousands", "."), c.d.c.Names.Set("CSVConfig.Decimal", "."))
		}
	}
	return false, nil
}

// Result returns the error of the first such number, if no number has shown the meaning of the point.
func (c *PointCheck) Result() error { return c.first }
