// Package numeric has what several learners compute: the mean of iterates, the spectrum of an
// output operator, and checks of numbers.
package numeric
