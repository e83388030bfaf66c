// Package outside tests the library from outside: it runs the program of docs/library.md in a
// module of its own, like a user.
package outside
