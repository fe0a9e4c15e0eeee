// Package merge learns the topology of a machine by merging states.
//
// The idea: a machine that generates the data and nothing else, such as a tree of all
// strings (Tree), has as many states as the data have prefixes. Merging two states
// makes a smaller machine that says more: what followed one may now follow the other.
// A merge costs likelihood and gains prior probability, as there are fewer parameters
// to be described. Run merges the pair that looks best, re-estimates all parameters by
// expectation maximization, accepts if the posterior has improved, and goes on until no
// merge does. If two merged states have arcs with the same labels, then the states that
// these lead to are merged too, and so on, so that a deterministic machine stays one.
//
// Which pairs look best is told by counts alone: the expected number of uses of every
// arc, from the last E step. If the paths stayed what they are, the likelihood of a
// state with counts c would be Σ c·ln(c/Σc), and two states merged have the sum of their
// counts. So a pair costs as much to look at as it has arcs, and only the most promising
// ones are trained.
//
// Sources: Stolcke and Omohundro 1994, "Best-first model merging for hidden Markov model
// induction"; Carrasco and Oncina 1994 for the folding of what follows.
package merge
