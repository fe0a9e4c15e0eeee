// Package edit is the memoryless stochastic edit distance (Ristad and Yianilos
// 1998): strings are rewritten by substitutions a:b, deletions a:ε and insertions
// ε:b, each drawn independently with its own probability.
//
// The idea: the edits are the arcs of a transducer with one state. The
// probability that x becomes y is the sum over all ways to edit x into y, a path
// sum; training is package em on that machine; the edit distance is −ln of a
// probability, that of all ways or that of the best.
//
// A model is joint (its probabilities of pairs sum to 1) or conditional (those of
// all outputs of one input sum to 1).
package edit
