// Package merge learns the topology of a machine by merging and splitting states.
//
// The tree of all strings that were seen generates them and nothing else. Two states merged make
// a smaller machine that says more, as what followed the one may now follow the other: that
// costs likelihood and gains prior probability. A state split in two lets what follows depend on
// what came before: that gains likelihood and costs prior probability.
//
//	tree, err := merge.Tree(strs)
//	...
//	setting := merge.Alone(cascade.Data{Examples: data})
//	result, err := merge.Run(ctx, tree, setting, &merge.Options{Moves: merge.Fold})
//
// Which function:
//
//   - a machine to begin with: [Tree], or any other, of one state for instance
//   - what it is a part of: [Alone]; a cascade, hidden at both ends, or a tree: [Setting]
//   - the search: [Run]; how machines are trained, which changes, and what a topology costs:
//     [Options], [Prior]; what was accepted so far: [Change]
//   - the machine that was found, and all trained with it: [Result]
//
// # Settings
//
// The machine may be a stage of any problem, joint or conditional. The other stages are trained
// with it, and data may be sets. Here its strings are seen through a channel:
//
//	setting := func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
//		channel := cascade.Conditional(params, "channel", machine, em.Multinomial{})
//		return cascade.Problem{Params: params, Stages: []cascade.Stage{stage, channel}}, data, nil
//	}
//
// # Search
//
// Run tries changes, the most promising first, and re-estimates all parameters of the problem by
// [em.Fit], whose options [Options] embeds. It accepts a change if the posterior of the whole
// problem has risen, and goes on until none raises it. The posterior is the likelihood of all
// data, the priors of all laws, and the prior of the topology, so that nothing is gained by moving
// a cost to another stage. With a Beam there are several machines to go on from.
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
// Expected counts alone tell which changes look best. One E step counts how often each state is
// entered by each arc and left by each: its stage is the machine in which each way into a state
// is a state. It takes time in proportion to pairs of consecutive arcs.
//
// If the paths stayed the same, the likelihood of a state with counts c would be Σ c·ln(c/Σc),
// and two states merged have the sum of their counts. What the paths of the merged machine no
// longer say, which of the two was visited, is subtracted. A split is made by EM on the table of
// the ways through the state, in which the copies are latent classes. By Jensen's inequality, a
// merge or a split gains at least what it promises, before any training. (A conditional
// machine's coins for insertions begin anew, and may gain less.) What Fold promises is exact
// where data leave no doubt of the path. What Drop promises is the best that could be. Where a
// table promises nothing, the copies of a split begin at random.
//
// Sources: Stolcke and Omohundro 1994, "Best-first model merging for hidden Markov model
// induction"; Carrasco and Oncina 1994 for the folding of what follows; Ostendorf and Singer
// 1997, "HMM topology design using maximum likelihood successive state splitting".
package merge
