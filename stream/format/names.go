package format

// Names returns the words with which a user gives a field of a configuration a value, for errors and assumptions:
// --set input.csv.comma=; for CSVConfig.Comma. Without a value it returns only the name of the setting. nil: the
// words are those of Go.
type Names func(field, value string) string

// Set returns the words with which a user gives a field a value.
func (n Names) Set(field, value string) string {
	switch {
	case n != nil:
		return n(field, value)
	case value == "":
		return field
	}
	return field + "=" + value
}
