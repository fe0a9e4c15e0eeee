// Package mixture makes mixtures out of Bayesian networks: naive Bayes and mixtures of
// normal distributions, with the class or component hidden, or known for some rows.
//
// The idea: a mixture is a network of one hidden variable that is the parent of all
// others. So there is nothing to it but its making: package bayes trains it (marginal or
// Viterbi EM, restarts, priors), says which component a row is of (Network.Posteriors), samples
// from it and saves it.
//
//	NaiveBayes   discrete and continuous features, independent given the class
//	Gaussian     vectors, with diagonal or full covariance matrices
//
// All components alike is a start from which training cannot leave: it is refused
// (em.ErrSymmetric). Take StartKMeans, Params.Random, or restarts.
//
// # Cost
//
// Vectors of 4 numbers, 3 components: an E step takes 0.8 µs of processor time per vector
// with full covariance matrices and 2.1 µs with diagonal ones, which are 4 distributions
// each. The densities alone, in a loop, take 0.05 µs: what is general about networks costs
// more than the numbers do (BenchmarkEStep).
package mixture
