package format

// Names says how a user gives a field of a configuration a value, such as --set input.csv.comma=; for
// CSVConfig.Comma, in errors and assumptions; without a value it is the name alone. nil = as in Go.
type Names func(field, value string) string

// Set is how a user gives a field a value.
func (n Names) Set(field, value string) string {
	switch {
	case n != nil:
		return n(field, value)
	case value == "":
		return field
	}
	return field + "=" + value
}
