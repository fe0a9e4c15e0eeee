// Package lbfgs minimizes smooth functions of many variables, with an optional L1 penalty, by
// limited-memory BFGS with the orthant-wise treatment of the penalty (OWL-QN).
//
// The idea: the minimizer does not call the function. State.Next returns the point at which it
// needs value and gradient, and State.Tell takes them. So each evaluation can be an iteration
// of a training loop that may be observed, cancelled, and resumed from a copy of the State, bit
// for bit. Minimize is the loop for callers that do not need these.
//
// Sources: Liu and Nocedal 1989; Andrew and Gao 2007 (OWL-QN); Hager and Zhang 2005 for the
// approximate Wolfe condition, which reduces gradients to the size of rounding errors; Lewis
// and Overton 2013 for the bisecting line search.
package lbfgs
