// Package merge learns the topology of a machine by merging and splitting states.
//
// The tree of all observed strings generates exactly these strings. Merging two states makes a
// smaller machine that generates more strings, because the continuations of either state may now
// follow the other. A merge costs likelihood and gains prior probability. Splitting a state in
// two lets the continuation depend on the history. A split gains likelihood and costs prior
// probability.
//
//	tree, err := merge.Tree(strs)
//	...
//	setting := merge.SingleStage(cascade.Data{Examples: data})
//	result, err := merge.Run(ctx, tree, setting, &merge.Options{Moves: merge.Fold})
//
// Which function:
//
//   - the first machine: [Tree], or any other, of one state for instance
//   - the problem that contains it: [SingleStage]; a cascade, hidden at both ends, or a tree:
//     [Setting]
//   - the search: [Run]; the training of machines, the kinds of changes, and the cost of a
//     topology: [Options], [Prior]; each accepted change: [Change]
//   - the best machine, and all other machines trained with it: [Result]
//
// # Settings
//
// The machine may be a stage of any problem, joint or conditional. The other stages are trained
// with it, and data may be sets. In this setting a channel transforms the machine's strings
// before they are observed:
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
// problem rises, and stops when no change raises it. The posterior is the product of the
// likelihood of all data, the priors of all laws, and the prior of the topology. So moving a cost
// to another stage gains nothing. With a Beam, Run continues from several machines.
//
//	Merge  two states become one, which has the arcs of both
//	Fold   the same, and the targets of arcs with the same label are merged, too
//	Split  a state becomes two; EM starts from random parameters
//	Drop   arcs and stop weights that are hardly used are left out
//
// Only Fold keeps a deterministic machine deterministic.
//
// # Promises
//
// Run ranks changes by expected counts. One E step counts how often each state is entered by each
// arc and left by each. Its stage is an unfolded machine with one state for each way into a
// state. The E step takes time in proportion to pairs of consecutive arcs.
//
// If the paths stayed the same, a state with counts c would have the log likelihood Σ c·ln(c/Σc),
// and a merged state would have the sum of two states' counts. A path of the merged machine no
// longer determines which of the two states was visited; the loss of this information is
// subtracted. A split runs EM on the table of the ways through the state, with the copies as
// latent classes. By Jensen's inequality, a merge or a split gains at least its promise, before
// any training. (A conditional machine's coins for insertions are estimated again, and may gain
// less.) The promise of Fold is exact if the data leave no doubt of the path. The promise of Drop
// is an upper bound. If the table shows no gain, the copies of a split begin at random.
//
// Sources: Stolcke and Omohundro 1994, "Best-first model merging for hidden Markov model
// induction"; Carrasco and Oncina 1994 for folding the continuations; Ostendorf and Singer 1997,
// "HMM topology design using maximum likelihood successive state splitting".
package merge
