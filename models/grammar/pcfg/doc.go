// Package pcfg trains probabilistic context-free grammars and parses with them.
//
// A grammar is a list of rules, a symbol that becomes one symbol or two, with probabilities that
// sum to 1 for each left-hand side. All derivations of a sentence are a forest, made by the
// rules of CKY over items “symbol X derives the words i … j−1”. Its tree sum is the probability
// of the sentence, and the posteriors of its edges are what inside-outside reestimation counts.
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
//   - rules, with or without probabilities: [Rule], [New]; what was learnt: [Grammar.Rules]
//   - training: [Grammar.Fit]; by any method of em: [Grammar.Likelihood]
//   - the best derivation: [Predictor.Best]; ln P(words): [Predictor.LogProb]; how probable each
//     constituent is: [Predictor.Posteriors]
//   - a machine in its place, with the same parameters: [Grammar.Superset]
//   - sentences that are uncertain: [Data].Lattices; sentence and derivation: [Predictor.Decode]
//
// What is never on a left-hand side is a word. Weights of a lattice may have parameters of their
// own, as where it is a channel composed with what was observed; they are trained together with
// the rules.
//
// Forests are built in O(n³·rules) for a sentence of n words. Rules may rewrite a symbol as
// itself, through other symbols if need be. That makes derivations without number, whose sum is
// that of a cycle in the forest. Where it has none, the error wraps semiring.ErrDiverges.
//
// Source: Baker 1979; Lari and Young 1990.
package pcfg
