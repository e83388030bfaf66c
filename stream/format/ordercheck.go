package format

import (
	"errors"
	"fmt"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// explainDate describes a text that is not a date in order o because of err. The remedy is the order in which the
// text is a date, if there is one.
func explainDate(o timestamp.Order, text []byte, err error, names Names) (what, remedy string) {
	switch {
	case o == timestamp.YearFirst && (timestamp.DayFirst.Reads(text) || timestamp.MonthFirst.Reads(text)):
		return "a date that does not begin with the year", ": say " + names.Set("CSVConfig.DateOrder", "dmy") + " (day first) or mdy (month first)"
	case !o.IsOther(text):
		return err.Error(), ""
	}
	date, _ := o.Rewrite(text) // in order o the month is above 12
	return fmt.Sprintf("no date with %s=%s, there is no month %s", names.Set("CSVConfig.DateOrder", ""), o, date[5:7]), ": say " + names.Set("CSVConfig.DateOrder", string(o.Other()))
}

// OrderCheck compares the dates of a file with the configured order before a model learns from them. The wrong order
// still reads 03/04/2026, but not 13/04/2026.
type OrderCheck struct {
	d     *CSV
	order timestamp.Order
	lines int
	read  [2][]int64 // times in the configured order, and in the other order
}

// NewOrderCheck returns nil if no order is configured.
func (d *CSV) NewOrderCheck() *OrderCheck {
	if d.c.DateOrder == timestamp.YearFirst {
		return nil
	}
	return &OrderCheck{d: d, order: d.c.DateOrder}
}

// mostOrdered is the largest number of lines that an OrderCheck reads.
const mostOrdered = 200_000

// Add reads a line; done: no further line is needed. It returns an error for a date that is valid only in the other
// order.
func (c *OrderCheck) Add(m *stream.Message) (done bool, err error) {
	text, ok := c.d.timeText(m.Value)
	if !ok {
		return false, nil // Decode refuses the line
	}
	var at [2]int64
	var failed [2]error
	for i, order := range []timestamp.Order{c.order, c.order.Other()} {
		t := timestamp.NewReader(c.d.c.TimeUnit, order, nil, false)
		at[i], failed[i] = t.Parse(text, "")
	}
	switch {
	case failed[0] == nil && failed[1] == nil:
		for i, t := range at {
			c.read[i] = append(c.read[i], t)
		}
		c.lines++
		return c.lines == mostOrdered, nil
	case failed[1] == nil:
		return true, errors.New(c.d.notTime(text, failed[0]).Detail)
	}
	return failed[0] == nil, nil
}

// Result compares the spacing of the times in both orders if no date has decided: months that are read as days leave
// gaps of months. It returns an error when only the other order has no gaps.
func (c *OrderCheck) Result() error {
	if !timestamp.MisreadOrder(c.read[0], c.read[1]) {
		return nil
	}
	return fmt.Errorf("the times in column %q are evenly spaced with %s=%s, but not with %s: say %s; if %[4]s is right, write the dates with the year first (2006-01-02)",
		c.d.TimeColumn(), c.d.c.Names.Set("CSVConfig.DateOrder", ""), c.order.Other(), c.order, c.d.c.Names.Set("CSVConfig.DateOrder", string(c.order.Other())))
}
