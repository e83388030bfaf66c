// Package deptest holds the test that the packages keep to the layers of
// docs/design/0001-shape.md and that the deterministic ones stay so.
package deptest
