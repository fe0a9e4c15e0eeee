// Package grammar induces the structure of sentences from nothing but their tags.
//
// A sentence of n tags has many trees. The dependency model with valence (DMV) tells how
// probable a tree is by who is the head of whom; the constituent-context model (CCM), by the
// tags in and beside each span that is a constituent. Their Product is trained so that both
// models, on their own, generate the same sentence and the same tree.
//
//	model, err := grammar.New(grammar.DMV, sentences, &grammar.Options{Start: grammar.HarmonicCounts})
//	...
//	result, err := model.Fit(ctx, sentences, nil)
//	parser, err := model.Predictor(grammar.MostProbable)
//	parse, err := parser.Best(sentence)
//
// Which function:
//
//   - a model of a [Kind], at its [Start]: [New]; training, from several starts: [Model.Fit]
//   - the best tree, by probability or by what is expected to be right: [Decoding],
//     [Model.Predictor], [Predictor.Best]; the n best: [Predictor.BestTrees]
//   - ln P(tags): [Predictor.LogProb]
//   - new sentences, in which anything may come: [Model.Open]
//   - training by em.Fit, or on a cluster: [Model.Likelihood], [Model.Shard]
//   - files: [Model.Save], [Load]
//
// Package treebank reads sentences with known structure and scores parses; package pcfg trains
// grammars whose rules are given.
//
// # Models
//
// Training the Product raises
//
//	O_agree = Σ over sentences of ln Σ over trees of P_DMV(tags, tree) · P_CCM(spans, tree),
//
// exact product EM. It is ordinary EM (em.Fit) on one forest per sentence: a tree of the forest
// is one of dependencies with the constituents that the heads make as they take their arguments,
// those to the right first. Every edge that completes a constituent weighs what the CCM says of
// it, every edge that takes an argument or stops what the DMV says. Each model's M step uses the
// expected counts of its own parameters. The log likelihood that an observer sees is O_agree.
//
// The Product finds more brackets than its parts do, from the start whose objective ends highest
// (../PERFORMANCE.md).
//
// # Cost
//
// Sentences of one length share a forest, made by rules over items (forest.Deduction), whose
// weights are arguments (cascade.Derivations). What a sentence needs of its own is 4 bytes for each
// part that its trees may have, n² in all. An E step takes time in proportion to the edges:
//
//	                                        edges          10, 20, 40 words
//	DMV      items are sides of a head      ⅔ n³           800   5 800    44 400
//	CCM      spans                          n³/6           440   2 270    14 100
//	Product  spans with a head              n⁴/7         2 200  26 000   362 000
//
// Sources: Klein and Manning 2002, "A generative constituent-context model for improved grammar
// induction"; 2004, "Corpus-based induction of syntactic structure"; Eisner and Satta 1999 for
// items that are sides of a head; Liang, Klein and Jordan 2007, "Agreement-based learning".
package grammar
