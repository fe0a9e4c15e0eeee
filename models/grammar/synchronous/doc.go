// Package synchronous trains grammars of pairs of sentences, and translates with them.
//
// A rule writes on two tapes at once, the source and the target. Its symbols are the same on
// both, in the same order or in the reverse one, and its words may differ:
//
//	A → [B C]      B before C on both tapes                  Straight("A", "B", "C")
//	A → ⟨B C⟩      B before C in the source, after it in     Inverted("A", "B", "C")
//	               the target
//	A → x/y        the words x and y; either may be ε        Pair("A", "x", "y")
//
// These are inversion transduction grammars. A rule may also mix words with up to two symbols,
// such as A → ne B pas / not B; see [Rule]. All derivations of a pair are a forest over items
// “symbol A derives the words i … j−1 of the source and k … l−1 of the target”. Its tree sum is
// the probability of the pair, and the posteriors of its edges are what EM counts.
//
//	g, err := synchronous.New("S", rules, em.Multinomial{})
//	...
//	result, err := g.Fit(ctx, synchronous.Data{Examples: pairs}, nil)
//	translator, err := g.Predictor()
//	target, err := translator.Translate(source)
//
// Which function:
//
//   - rules, with or without probabilities: [Rule], [New]; a grammar of nothing but word pairs in
//     any order that brackets can make: [Bracketing]; what was learnt: [Grammar.Rules]
//   - pairs: [Words]; where a side is uncertain: [Lattice]; where it is unknown: the zero [Side]
//   - training: [Grammar.Fit]; by any method of em: [Grammar.Likelihood]
//   - the best derivation with its aligned words: [Predictor.Best]; translation:
//     [Predictor.Translate]; ln P of an example: [Predictor.LogProb]; how probable each pair of
//     phrases and each link of words is: [Predictor.Posteriors]
//   - files: [Grammar.Save], [Load]
//
// # A side that is unknown
//
// A side without words has one state, at which every word may be written. The forest is then
// that of the other side alone, and its sum is the sum over all sentences of the unknown side.
// Rules that write only there make derivations without number: cycles of the forest, which it
// sums. Where they have no sum, the error wraps semiring.ErrDiverges.
//
// # Cost
//
// For sentences of n and m words each symbol has up to n²m²/4 items, and each binary rule up to
// n³m³/36 edges: 2 500 and 27 000 for ten words each, 44 000 and 1.8 million for twenty. Where a
// side is unknown, its factor is 1. An example with more than [MaxCells] pairs of spans is an
// error. A rule with words beside its symbols is taken apart into binary ones, in one way.
//
// Sources: Wu 1997, "Stochastic inversion transduction grammars and bilingual parsing of
// parallel corpora"; Chiang 2007, "Hierarchical phrase-based translation", for words in rules.
package synchronous
