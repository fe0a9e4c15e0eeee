// Transliterate learns how European words are written in katakana, and reads
// katakana back, from pairs of words alone.
//
// The model is a noisy channel, a cascade of three machines:
//
//	letter n-gram ∘ channel ∘ table
//
// The first knows which sequences of letters are likely. The second turns each
// letter, whatever its neighbours, into no, one or two letters of romaji, and may
// insert some; its probabilities are trained. The third is a fixed table that
// spells katakana in romaji. Nobody says which letters of a pair belong to which
// katakana, or what the romaji between them are: expectation maximization sums
// over all the possibilities (packages em and models/channel).
//
//	go run ./examples/transliterate
//
// Without -data it learns from embedded pairs, of which every eighth is held out
// for the test. It prints the log likelihood of each iteration, how many of the
// test pairs are right before and after training and with a channel that copies
// letters, some examples, and what the letters became.
//
// Letters are found from katakana in two steps: the best under a bigram model of
// letters, then the best of these under the n-gram model that predicts held-out
// words best.
//
// The table does not accept every sequence of romaji, and the probability of those
// that it rejects is lost. So Σ ln P(katakana | letters), the objective, is of a
// model whose probabilities sum to less than 1; the order of the candidates is
// that of the model on condition that the table accepts.
package main
