package wire

import (
	"slices"
	"strconv"
	"strings"
)

// Trial is a line of kernel compare: settings in addition to the user's.
type Trial struct {
	Name string
	Sets string // a.b=c, separated by blanks
	Most int    // largest number of variables for Newton steps, whose cost is cubic; above: adagrad

	Groups bool // the trial needs model.kernel.operator.groups
}

// find returns the row with a name.
func find[Row any](rows []Row, names func(Row) []string, name string) (row Row, ok bool) {
	i := slices.IndexFunc(rows, func(r Row) bool { return slices.Contains(names(r), name) })
	if i < 0 {
		return row, false
	}
	return rows[i], true
}

// namesOf returns the names of the rows that keep accepts, in the order of the table; keep nil: all rows.
func namesOf[Row any](rows []Row, names func(Row) []string, keep func(Row) bool) []string {
	var all []string
	for _, r := range rows {
		if keep == nil || keep(r) {
			all = append(all, names(r)...)
		}
	}
	return all
}

// listed joins names in words: "a, b and c".
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// numbered returns the number 1 to 999 after the prefix of a name such as var3.
func numbered(name, prefix string) (n int, ok bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 1 && n <= 999 && strconv.Itoa(n) == digits
}
