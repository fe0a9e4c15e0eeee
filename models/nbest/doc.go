// Package nbest works with lists of candidates: the strings that a model of string pairs
// answers with, the most probable first.
//
// Best returns the list of a lattice, and with it what a model needs in order to be a
// Predictor; NewProduct makes one model of several, which need have nothing in common but
// their symbols. MinimumRisk chooses from a list the answer of the least expected loss,
// such as the expected number of wrong symbols, and Posteriors gives the probabilities of
// the symbols in each place of the string, from the whole lattice.
//
// LogProb is ln p(x, y), or ln p(y | x) in a model that has only that, in nats.
package nbest
