// Grammarcurve draws the accuracy of the trees of an induced grammar after each iteration of
// its training: F1 of brackets, and the accuracy of heads.
//
// Unlike the objective, these may fall: a grammar that explains tags better need not be closer
// to the annotation of linguists. Before each iteration all sentences are parsed with the
// current parameters, and scored; among several starts, the start with the highest objective is
// drawn.
//
//	go run ./internal/experiments/grammarcurve -data wsj10.tsv.gz -plot curve.svg
//	go run ./internal/experiments/grammarcurve -data wsj10.tsv.gz -model dmv -init harmonic-trees
//
// The data are the same as in examples/grammar.
package main
