// Package synchronous trains grammars of pairs of sentences and translates with them.
//
// A rule writes on two tapes at once, the source and the target, words and symbols whose order may
// differ. All derivations of a pair are a forest over items “symbol A derives the words i … j−1 of
// the source and k … l−1 of the target”. Its tree sum is the probability of the pair, and the
// posteriors of its edges are the counts of EM.
//
//	g, err := synchronous.New("S", rules, em.Multinomial{})
//	...
//	result, err := g.Fit(ctx, data, nil)
//	translator, err := g.Predictor()
//	target, err := translator.Translate(source)
//
// Which function:
//
//   - rules, with or without probabilities: [Rule], [New]; a grammar of word pairs alone, in any
//     order that brackets can make: [Bracketing]; trained probabilities: [Grammar.Rules]
//   - a known side: [Words]; an uncertain side: [Lattice]; an unknown side: the zero [Side]
//   - trees in place of sentences: [Tree], rules over them: [Pattern], trees in the output:
//     [ParseTree]
//   - training: [Grammar.Fit]; by any method of em: [Grammar.Likelihood]
//   - the best derivation with its aligned words: [Predictor.Best]; translation:
//     [Predictor.Translate]; ln P of an example: [Predictor.LogProb]; probabilities of pairs of
//     phrases and links of words: [Predictor.Posteriors]
//   - files: [Grammar.Save], [Load]
//
// # Rules
//
// The symbols of a rule are the same on both tapes, in the same order or in the reverse one, and
// its words may differ:
//
//	A → [B C]      B before C on both tapes                  Straight("A", "B", "C")
//	A → ⟨B C⟩      B before C in the source, after it in     Inverted("A", "B", "C")
//	               the target
//	A → x/y        the words x and y; either may be ε        Pair("A", "x", "y")
//
// These are inversion transduction grammars. A rule may also mix words with any number of symbols,
// such as A → ne B pas / not B, in every order that brackets can make; see [Rule].
//
// # A side that is unknown
//
// An unknown side has one state that allows every word. The forest then has the derivations of the
// other side, and its sum is the sum over all sentences of the unknown side. Rules that write only
// on the unknown side allow infinitely many derivations, which are summed as cycles of the forest.
// If the sum diverges, the error wraps semiring.ErrDiverges.
//
// # Trees
//
// A tree is a sentence of brackets and words. A rule whose source is a pattern of nodes is a rule
// of a tree transducer: in a state it reads the top of a tree, writes words or nodes, and processes
// each subtree once in another state. It may delete subtrees, in states whose rules have empty
// targets, but cannot copy them. Either side may be a tree, a sentence, a lattice of either, or
// unknown:
//
//	VP → (VP V NP) / NP V        tree to string
//	VP → (VP V NP) / (VP NP V)   tree to tree
//
// # Cost
//
// For sentences of n and m words each symbol has about n²m²/4 items, and each binary rule up to
// n³m³/36 edges. A grammar of one symbol in both orders, whose words may stand alone on either
// side, has 150 000 edges for ten words each, and 6 million for twenty. The factor of an unknown
// side is 1, and the factor of a tree the number of its nodes. An example with more than [MaxCells]
// pairs of spans is an error. A rule with words besides its symbols, or with more than two symbols,
// is decomposed into binary rules in a unique way.
//
// In the Example, a toy language, the rules define the structure of the source alone. After
// training on 100 pairs, all of 100 other sentences are translated correctly.
//
// Sources: Wu 1997, "Stochastic inversion transduction grammars and bilingual parsing of parallel
// corpora"; Chiang 2007, "Hierarchical phrase-based translation", for words in rules; Zhang, Huang,
// Gildea and Knight 2006, "Synchronous binarization for machine translation"; Graehl, Knight and
// May 2008, "Training tree transducers".
package synchronous
