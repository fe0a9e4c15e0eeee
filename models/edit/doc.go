// Package edit is about strings that are rewritten edit by edit: stochastic edit
// distance (Ristad and Yianilos 1998), and the correction of misspelt words with it.
//
// The idea: the edits are the arcs of a transducer. The probability that x becomes y is
// the sum over all ways to edit x into y, a path sum; training, of pairs of strings
// alone, is package em on that machine; the edit distance is −ln of a probability, that
// of all ways or that of the best.
//
// A memoryless model has one state: substitutions a:b, deletions a:ε and insertions ε:b
// are drawn independently, each with its own probability. It is joint (its probabilities
// of pairs sum to 1) or conditional (those of all outputs of one input sum to 1).
//
// In a contextual model, which is conditional, what becomes of a symbol depends on its
// neighbours in the input, and symbols may change places. What its machine reads are
// therefore not symbols but contexts, a label for each (Model.Labels). A context that is
// rare takes its probabilities from a smaller one: see Contextual.
//
// In a model of chunks, which is joint, an edit rewrites several symbols at once: f as ph.
//
// A Corrector finds the words of a large lexicon that a string most probably comes from
// without looking at all of them; Nearest finds those that are the fewest edits away.
package edit
