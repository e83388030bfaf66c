// Package csvfield writes the fields of lines of CSV.
package csvfield
