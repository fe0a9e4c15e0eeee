// Package simplex minimizes smooth convex functions of matrices whose rows are
// probability distributions.
package simplex
