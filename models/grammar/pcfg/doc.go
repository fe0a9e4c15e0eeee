// Package pcfg trains probabilistic context-free grammars and parses with them.
//
// The idea: a grammar is a list of rules, a symbol that becomes one symbol or two, with
// probabilities that sum to 1 for each left-hand side. What is never on a left-hand side
// is a word. All derivations of a sentence from the start symbol are a forest, made by the
// rules of CKY over items “symbol X derives the words i … j−1”; its tree sum is the
// probability of the sentence, the inside probability, and the posteriors of its edges are
// what inside-outside reestimation counts (Baker 1979; Lari and Young 1990). Training is
// em.Fit, by any of its methods; a rule's law says how it is estimated.
//
// What was said may be uncertain: Data may be lattices, and Predictor.Decode finds sentence
// and derivation at once. Weights of a lattice may have parameters of their own, as where it
// is a channel composed with what was observed; they are trained together with the rules.
//
// Forests are built in O(n³·rules) for a sentence of n words. Rules may rewrite a symbol as
// itself, through other symbols if need be: that makes derivations without number, whose sum
// is that of a cycle in the forest. Where it has none, the error wraps semiring.ErrDiverges.
package pcfg
