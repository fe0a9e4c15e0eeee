// Package grammar induces the structure of sentences from nothing but their tags.
//
// The idea: a sentence of n tags has many trees. Two models say, from different points of
// view, how probable each is: the dependency model with valence (DMV) tells who is the head
// of whom and how many arguments a head takes; the constituent-context model (CCM) tells of
// every span, by the tags in it and beside it, whether it is a constituent. Their Product
// gives every tree the product of both probabilities, and training raises
//
//	O_agree = Σ over sentences of ln Σ over trees of P_DMV(tags, tree) · P_CCM(spans, tree),
//
// the probability that both models, on their own, generate the same sentence and the same
// tree (exact product EM: Klein and Manning 2004; Liang, Klein and Jordan 2007). It is
// ordinary EM (em.Fit) on one forest per sentence: a tree of the forest is one of
// dependencies with the constituents that the heads make as they take their arguments,
// those to the right first. Every edge that completes a constituent weighs what the CCM
// says of it, every edge that takes an argument or stops what the DMV says. Each model's
// M step uses the expected counts of its own parameters.
//
// Sentences of one length share a forest, made by rules over items (forest.Deduction), whose
// weights are arguments (em.Derivations). What a sentence needs of its own is 4 bytes for
// each part that its trees may have, n² in all:
//
//	                                        edges          10, 20, 40 words
//	DMV      items are sides of a head      ⅔ n³           800   5 800    44 400
//	CCM      spans                          n³/6           440   2 270    14 100
//	Product  spans with a head              n⁴/7         2 200  26 000   362 000
//
// # Use
//
//	model, err := grammar.New(grammar.Product, sentences, nil)
//	result, err := model.Fit(ctx, sentences, nil)
//	predictor, err := model.Predictor(grammar.MostProbable)
//	parse, err := predictor.Best(sentence)
//
// New makes the model of a kind for sentences, at its start (Options.Start). Fit trains it from
// several starts, unless one is named, and keeps what the greatest objective belongs to. The log
// likelihood that an observer sees is O_agree. A Predictor finds the best trees:
// by probability, or by the expected number of constituents or heads that are right. Of a model
// that is to parse new sentences take Model.Open, which expects what was never seen. Package
// treebank reads sentences with known structure and scores parses; package pcfg trains
// grammars whose rules are given.
//
// # Results and cost
//
// The Product finds more brackets than its parts do, from the start whose objective ends
// highest (../PERFORMANCE.md). An E step takes time in proportion to the edges above.
//
// # Sources
//
// Klein and Manning 2002, "A generative constituent-context model for improved grammar
// induction"; 2004, "Corpus-based induction of syntactic structure"; Eisner and Satta 1999
// for items that are sides of a head; Liang, Klein and Jordan 2007, "Agreement-based
// learning".
package grammar
