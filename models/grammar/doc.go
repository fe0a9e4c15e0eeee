// Package grammar induces the structure of sentences from their tags alone.
//
// A sentence of n tags has many trees. The dependency model with valence (DMV) assigns a
// probability to a tree through the heads of its words, the constituent-context model (CCM) through
// the tags within and next to each constituent. Their Product is trained so that both models
// independently generate the same sentence and the same tree.
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
//   - the best tree, by probability or by expected accuracy: [Decoding], [Model.Predictor],
//     [Predictor.Best]; the n best: [Predictor.BestTrees]
//   - ln P(tags): [Predictor.LogProb]
//   - new sentences with unknown tags and structures: [Model.Open]
//   - training by em.Fit, or on a cluster: [Model.Likelihood], [Model.Shard]
//   - files: [Model.Save], [Load]
//
// Package treebank reads sentences with known structure and scores parses; package pcfg trains
// grammars with given rules.
//
// # Models
//
// Training the Product raises
//
//	O_agree = Σ over sentences of ln Σ over trees of P_DMV(tags, tree) · P_CCM(spans, tree),
//
// exact product EM. It is ordinary EM (em.Fit) on one forest per sentence. A tree of the forest is
// a dependency tree together with the constituents that form as the heads take their arguments,
// right arguments first. Edges that complete a constituent have CCM weights; edges that take an
// argument or stop have DMV weights. Each model's M step uses the expected counts of its own
// parameters. The log likelihood reported to an observer is O_agree.
//
// From the start whose final objective is highest, the Product finds more brackets than its parts
// (../PERFORMANCE.md).
//
// # Cost
//
// Sentences of one length share a forest, made by rules over items (forest.Deduction), whose
// weights are arguments (cascade.Derivations). In addition, a sentence takes 4 bytes for each
// possible part of its trees, n² in all. The time of an E step is proportional to the edges:
//
//	                                        edges          10, 20, 40 words
//	DMV      items are sides of a head      ⅔ n³           800   5 800    44 400
//	CCM      spans                          n³/6           440   2 270    14 100
//	Product  spans with a head              n⁴/7         2 200  26 000   362 000
//
// Sources: Klein and Manning 2002, "A generative constituent-context model for improved grammar
// induction"; 2004, "Corpus-based induction of syntactic structure"; Eisner and Satta 1999 for
// items for the two sides of a head; Liang, Klein and Jordan 2007, "Agreement-based learning".
package grammar
