// Package merge learns the topology of a machine by merging states.
//
// The idea: a machine that generates the data and nothing else, such as a tree of all
// strings, has as many states as the data have prefixes. Merging two states makes a
// smaller machine that says more, as what followed one may now follow the other. A merge
// costs likelihood and gains prior probability, since there are fewer parameters to
// describe.
//
//	tree, err := merge.Tree(strings)
//	...
//	result, err := merge.Run(ctx, tree, data, nil)
//
// Tree makes the machine to begin with; any other whose weights are counts will do. Run
// merges the pair that looks best and re-estimates all parameters by expectation
// maximization. It accepts if the posterior has risen, and goes on until no merge raises
// it. If two merged states have arcs with the same labels, the states that these lead to
// are merged too, and so on, so that a deterministic machine stays deterministic.
//
// Counts alone tell which pairs look best: the expected number of uses of every arc, from
// the last E step. If the paths stayed the same, the likelihood of a state with counts c
// would be Σ c·ln(c/Σc), and two states merged have the sum of their counts. So a pair
// costs as much to look at as it has arcs, and only the most promising ones are trained.
//
// Sources: Stolcke and Omohundro 1994, "Best-first model merging for hidden Markov model
// induction"; Carrasco and Oncina 1994 for the folding of what follows.
package merge
