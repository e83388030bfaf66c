package study

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// labelled is a matrix from a CSV file. The first row names the columns, the first column names the rows.
type labelled struct {
	path          string
	rows, columns []string
	values        []float64 // rows x columns
}

// readLabelled reads a matrix. It returns an error for repeated names, and for values that are not finite numbers.
func readLabelled(path string) (*labelled, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.TrimLeadingSpace = true
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w; needs a CSV file with the names of the columns in the first row and those of the rows in the first column", path, err)
	}
	if len(lines) < 2 || len(lines[0]) < 2 {
		return nil, fmt.Errorf("%s: needs a first row with the names of the columns, and one row per variable that begins with the variable's name", path)
	}
	m := &labelled{path: path, columns: lines[0][1:]}
	for i, line := range lines[1:] {
		m.rows = append(m.rows, line[0])
		for j, cell := range line[1:] {
			v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("%s: row %q, column %q: %q is no finite number", path, m.rows[i], m.columns[j], cell)
			}
			m.values = append(m.values, v)
		}
	}
	for _, names := range [][]string{m.rows, m.columns} {
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				return nil, fmt.Errorf("%s: the name %q stands there twice", path, name)
			}
		}
	}
	return m, nil
}

// at returns the value in a row and a column.
func (m *labelled) at(row, column int) float64 { return m.values[row*len(m.columns)+column] }

// order returns the index of each variable in names, which are the names of rows or columns. It returns an error unless
// both are the same set.
func (m *labelled) order(what string, names, variables []string) ([]int, error) {
	at := make([]int, len(variables))
	for i, v := range variables {
		if at[i] = slices.Index(names, v); at[i] < 0 {
			return nil, fmt.Errorf("%s: no %s for the variable %q: needs one per variable of the data, %s", m.path, what, v, strings.Join(variables, ", "))
		}
	}
	for _, name := range names {
		if !slices.Contains(variables, name) {
			return nil, fmt.Errorf("%s: the %s %q is no variable of the data, which are %s", m.path, what, name, strings.Join(variables, ", "))
		}
	}
	return at, nil
}
