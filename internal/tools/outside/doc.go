// Package outside runs what a user of the library writes: the program of docs/library.md, in a
// module of its own.
package outside
