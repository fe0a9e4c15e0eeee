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
// could be behind it (packages em, models/channel and models/ngram), in three stages:
//
//   - bigrams, from many random starts, half of which are dropped after 5, 10, 20, …
//     iterations: each iteration is cheap, but there are many local optima;
//   - trigrams, from where each of the best starts ended (-refine), with 8 plain letters to
//     choose from for each cipher letter;
//   - keys. A key takes each letter once, which EM does not know: the expected counts say
//     which, the greatest first. Then letters of the key are swapped as long as that makes the
//     text more probable by trigrams. The key of the most probable text is the answer.
//
// The last stage makes short texts readable. The likelihood of EM cannot choose among keys:
// a channel that need not be a key fits a short text better than the true one.
//
// The model is newSubstitution in substitution.go, and the stages are solve in solve.go.
//
//	go run ./examples/decipher
//
// While it trains, its progress shows how the text begins by what is known so far. Without -data
// and -test it knows English from an embedded text of 3,700 words, and
// enciphers another of 2,035 letters with a random key. A text with a key that is not known is
// read from a file (-cipher). The key is kept with -save, as a line of JSON, and deciphers
// further lines, one out per line in, with capitals and punctuation as they are:
//
//	go run ./examples/decipher -cipher letter.txt -save key.json
//	tail -f traffic.txt | go run ./examples/decipher -load key.json -apply -
//
// Letters that the first text does not have stand for those that are left, in alphabetical
// order.
//
// # Coming from Carmel
//
// No solver of such texts is packaged by Debian. With Carmel one writes a machine of letter
// n-grams and one of substitutions, trains the second on the cipher text, and reads off the best
// path of the two. Here both machines are made by the program, and one command does it all:
//
//	Carmel                                here
//	two machines, written as files        -data english.txt
//	EM of the cascade on the cipher text  -cipher letter.txt
//	the best path of the two machines     -o plain.txt
//	the trained substitutions             -save key.json
//
// The trained channel of a cascade need not be a key, so that its best path may read one
// cipher letter in several ways. The answer here is always a key.
//
// How short a text may be, and what that costs, is in PERFORMANCE.md.
package main
