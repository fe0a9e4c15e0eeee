// Package lbfgs minimizes smooth functions of many variables, plus an L1 penalty
// if one is wanted, by limited-memory BFGS with the orthant-wise treatment of the
// penalty (OWL-QN).
//
// The idea: the minimizer does not call the function. State.Next is the point at
// which it wants to know value and gradient, State.Tell is the answer. So each
// evaluation can be an iteration of a training loop that may be observed,
// cancelled, and resumed from a copy of the State, bit for bit. Minimize is the
// loop for those who need none of that.
//
// Sources: Liu and Nocedal 1989; Andrew and Gao 2007 (OWL-QN); Hager and Zhang
// 2005 for the approximate Wolfe condition, which gets gradients down to
// rounding; Lewis and Overton 2013 for the bisecting line search.
package lbfgs
