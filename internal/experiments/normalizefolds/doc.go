// Normalizefolds cross-validates the grammars of examples/normalize. It makes the counts of
// held-out lines with the expected reading in their doc.go and PERFORMANCE.md. The lines are
// the lines of -data and the embedded ones that only words around a token disambiguate. Each
// part is read with uniform probabilities of the alternatives of a choice, with the
// probabilities of the grammars, and with probabilities learnt from the other parts.
//
// It also applies the same grammars in reverse, from the expected reading to the input: with
// the trained grammar alone, and with an n-gram model of the training lines, a noisy channel.
//
//	go run ./internal/experiments/normalizefolds -data english.tsv
package main
