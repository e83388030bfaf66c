// Package cells reads the cells of tables: numbers with a decimal comma, marks between
// thousands, units or currencies, and the spellings of a missing value.
package cells
