// Phylocurve makes figure 3 of Liang, Klein and Jordan 2007, "Agreement-based learning": the
// fraction of hidden bases of an alignment that are predicted correctly after each iteration of
// training, for several ways to train the submodels of neighbouring columns.
//
//	go run ./internal/experiments/phylocurve -plot curves.svg
//	go run ./internal/experiments/phylocurve -data genes.fa.gz -tree genes.nh -mask hidden.tsv
//
// The ways are
//
//	independent  each submodel by itself
//	agreement    parameter-approximate product EM
//	averaged     the same with averaged statistics
//	annealed     an iteration of agreement, then independent, as examples/phylo trains
//
// and -train selects one of them. With -columns 3 and -own it makes the last table of that
// section of models/PERFORMANCE.md. The data are the same as in examples/phylo.
package main
