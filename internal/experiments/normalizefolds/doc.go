// Normalizefolds cross-validates the grammars of examples/normalize: the counts of held-out lines
// that are read as expected in its doc.go and PERFORMANCE.md. The lines are those of -data and the
// embedded ones that are ambiguous but for the words around a token. Each part of them is read with
// all alternatives of a choice alike, with the probabilities of the grammars, and with those learnt
// from the other parts.
//
// It also goes the other way by the same grammars, from what is expected to what was read: by the
// trained grammar alone, and with an n-gram model of the lines that were learnt from, a noisy
// channel.
//
//	go run ./internal/experiments/normalizefolds -data english.tsv
package main
