// Decipher reads a text in which every letter has been replaced by another, given only the text
// and a model of English.
//
//	go run ./examples/decipher
//
// newSubstitution in substitution.go makes the model, and solve in solve.go runs the stages.
//
// # The model
//
// The model is a noisy channel of two machines:
//
//	letter n-gram ∘ substitution
//
// The first machine gives the probabilities of sequences of letters, from some pages of
// English. The second turns each letter into a cipher letter, with probabilities that are
// trained on the cipher text alone (Knight, Nair, Rathod and Yamada 2006, "Unsupervised
// analysis for decipherment problems"). Expectation maximization sums over all plain texts
// (packages em, models/channel and models/ngram), in three stages:
//
//   - bigrams, from many random starts, half of which are dropped after 5, 10, 20, …
//     iterations: each iteration is cheap, but there are many local optima;
//   - trigrams, from the results of the best starts (-refine), with 8 candidate plain letters
//     for each cipher letter;
//   - keys. A key uses each letter once, a constraint that EM does not have: the key takes the
//     substitutions with the largest expected counts first. Then letters of the key are swapped as
//     long as that makes the text more probable by trigrams. The key of the most probable text is
//     the answer.
//
// The last stage makes short texts readable. The likelihood of EM cannot choose among keys: a
// channel that is not a key can fit a short text better than the true key.
//
// # Other texts
//
// During training, the progress shows the beginning of the text as currently deciphered.
// Without -data and -test the program learns English from an embedded text of 3,700 words, and
// enciphers another of 2,035 letters with a random key. -cipher names a file with a cipher text
// of unknown key. -save keeps the key as a line of JSON. A loaded key deciphers further lines,
// one output line per input line, with capitals and punctuation unchanged:
//
//	go run ./examples/decipher -cipher letter.txt -save key.json
//	tail -f traffic.txt | go run ./examples/decipher -load key.json -apply -
//
// Letters that do not occur in the first text map to the remaining letters, in alphabetical
// order.
//
// # Coming from Carmel
//
// Debian does not package a solver of such texts. With Carmel one writes a machine of letter
// n-grams and one of substitutions, trains the second on the cipher text, and reads off the
// best path of their composition. Here the program makes both machines, and one command does
// all steps:
//
//	Carmel                                here
//	two machines, written as files        -data english.txt
//	EM of the cascade on the cipher text  -cipher letter.txt
//	the best path of the two machines     -o plain.txt
//	the trained substitutions             -save key.json
//
// The trained channel of a cascade need not be a key, so its best path may map one cipher
// letter to several plain letters. The answer here is always a key.
//
// PERFORMANCE.md has accuracies and times for short texts.
package main
