// Package penalties has penalties of weights that a proximal step applies, such as the group
// lasso, which makes the weights of whole frequencies 0.
package penalties
