// Package pcfg trains probabilistic context-free grammars and parses with them.
//
// A grammar is a list of rules, each of which rewrites a symbol as one or two symbols, with
// probabilities that sum to 1 for each left-hand side. All derivations of a sentence are a forest,
// made by the rules of CKY over items “symbol X derives the words i … j−1”. Its tree sum is the
// probability of the sentence, and the posteriors of its edges are the counts of inside-outside
// reestimation.
//
//	g, err := pcfg.New("S", rules, em.Multinomial{})
//	...
//	parser, err := g.Predictor()
//	tree, logp, err := parser.Best(sentence)
//	...
//	result, err := g.Fit(ctx, pcfg.Data{Sentences: sentences}, nil)
//
// Which function:
//
//   - rules, with or without probabilities: [Rule], [New]; trained probabilities: [Grammar.Rules]
//   - training: [Grammar.Fit]; by any method of em: [Grammar.Likelihood]
//   - the best derivation: [Predictor.Best]; ln P(words): [Predictor.LogProb]; the probability of
//     each constituent: [Predictor.Posteriors]
//   - an approximating machine with the same parameters: [Grammar.Superset]
//   - sentences that are uncertain: [Data].Lattices; sentence and derivation: [Predictor.Decode]
//
// A symbol that is on no left-hand side is a word. Weights of a lattice may have parameters, for
// instance if it is a channel composed with its observed output; they are trained together with the
// rules.
//
// Forests are built in O(n³·rules) for a sentence of n words. Rules may rewrite a symbol as itself,
// directly or through other symbols. A sentence then has infinitely many derivations, summed by a
// cycle in the forest. If the sum diverges, the error wraps semiring.ErrDiverges.
//
// Source: Baker 1979; Lari and Young 1990.
package pcfg
