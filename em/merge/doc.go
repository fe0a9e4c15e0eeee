// Package merge learns the topology of a machine by merging and splitting states.
//
// The idea: a machine that generates the data and nothing else, such as a tree of all
// strings, has as many states as the data have prefixes. Merging two states makes a
// smaller machine that says more, as what followed one may now follow the other. A merge
// costs likelihood and gains prior probability, since there are fewer parameters to
// describe. A machine of one state remembers nothing. Splitting a state lets what follows
// depend on what came before. That gains likelihood and costs prior probability.
//
//	tree, err := merge.Tree(strings)
//	...
//	result, err := merge.Run(ctx, tree, merge.Alone(data), nil)
//
// The machine may be a stage of any problem: of a cascade whose middle strings are hidden,
// or of an edge of a tree of tapes, joint or conditional. A Setting says of which. The other
// stages are trained with it, and data may be sets.
//
//	setting := func(params *em.Params, stage *fst.FST[expr.W]) (em.Problem, em.Data, error) {
//		channel, err := em.Conditional(params, "channel", machine, em.Multinomial{})
//		return em.Problem{Params: params, Cascade: []*fst.FST[expr.W]{stage, channel}}, data, err
//	}
//
// # Search
//
// Run tries changes to the machine, the most promising first, and re-estimates all parameters
// of the problem by some iterations of expectation maximization. It accepts a change if the
// posterior of the whole problem has risen, and goes on until none raises it. The posterior
// is the likelihood of all data, the priors of all laws, and the prior of the topology, so
// nothing can be gained by moving a cost to another stage or out of sight. With a Beam there
// are several machines to go on from.
//
//	Merge  two states become one, which has the arcs of both
//	Fold   the same, and what arcs with the same labels lead to is merged, too
//	Split  a state becomes two; a source of randomness says where EM begins
//	Drop   arcs and stop weights that are hardly used are left out
//
// Only Fold keeps a deterministic machine deterministic.
//
// # Promises
//
// Expected counts alone tell which changes look best. One E step counts how often each state
// is entered by each arc and left by each: its stage is the machine in which each way into
// a state is a state. It takes time in proportion to pairs of consecutive arcs.
//
// If the paths stayed the same, the likelihood of a state with counts c would be
// Σ c·ln(c/Σc), and two states merged have the sum of their counts. What the paths of the
// merged machine no longer say, which of the two states was visited, is subtracted. A split
// is made by EM on the table of the ways through the state, in which the copies are latent
// classes. By Jensen's inequality, a merge or a split gains at least what it promises, before
// any training, except that a conditional machine's coins for insertions begin anew. What
// Fold promises is exact where data leave no doubt of the path. What Drop promises is the
// best that could be.
//
// A copy that nothing next to the state tells from the other may still be told by what is
// farther away. Where a table promises nothing, the copies begin at random.
//
// # Sources
//
// Stolcke and Omohundro 1994, "Best-first model merging for hidden Markov model
// induction"; Carrasco and Oncina 1994 for the folding of what follows; Ostendorf and Singer
// 1997, "HMM topology design using maximum likelihood successive state splitting".
package merge
