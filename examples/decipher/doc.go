// Decipher reads a text in which every letter has been replaced by another, from
// nothing but the text and a knowledge of English.
//
// The model is a noisy channel of two machines:
//
//	letter n-gram ∘ substitution
//
// The first knows which sequences of letters are likely, from some pages of English.
// The second turns each letter into one of the cipher text, with probabilities that are
// trained on the cipher text alone (Knight, Nair, Rathod and Yamada 2006, "Unsupervised
// analysis for decipherment problems"). Expectation maximization sums over all texts that
// could be behind it (packages em, models/channel and models/ngram), in two stages:
//
//   - bigrams, from many random starts, half of which are dropped after 5, 10, 20, …
//     iterations: each iteration is cheap, but there are many local optima;
//   - trigrams, from where the best start ended, with 8 plain letters to choose from for
//     each cipher letter.
//
// A key takes each letter once, which EM does not know: the expected counts say in the end
// which, the greatest first.
//
//	go run ./examples/decipher
//
// Without -data and -test it knows English from an embedded text of 3,700 words, and
// enciphers another of 2,035 letters with a random key. Over 20 keys (-keys 20) and with 31
// restarts all letters are right, in 2.5 seconds of one processor for each key. So they are
// without the spaces between words (-spaces drop), in 3.4 seconds. 7 restarts are enough
// where there are spaces; without them 83 % of the letters are right then, because some
// keys end in a wrong optimum of lower likelihood. A text with a key that is not known is
// read from a file (-cipher).
package main
