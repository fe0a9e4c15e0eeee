// Phylo predicts hidden bases of aligned genomes from the other species and from their
// neighbours.
//
// An alignment is a matrix of bases, a row per species and a column per site. Some cells
// are hidden; a model of evolution along the species' tree is trained on what is left,
// and predicts them. The model (package models/phylo) is of pairs of neighbouring
// columns, in two ways, columns (1, 2), (3, 4), … and (2, 3), (4, 5), …, which share their
// parameters; a cell is predicted by the average of the two posteriors. With -columns 3 it is of
// triples, in three ways; with -own each way has parameters of its own. -train says how
// to train them:
//
//	best         annealed, averaged with a chain along each sequence; or single, for
//	             fewer than 2000 columns
//	annealed     an iteration of agreement, then independent
//	independent  each way by itself
//	agreement    parameter-approximate product EM (Liang, Klein and Jordan 2007)
//	averaged     the same with averaged statistics
//	single       not at all: a reversible model of single columns
//
// All start alike: a base is kept with probability .7, whatever is beside it.
//
//	go run ./examples/phylo
//	go run ./examples/phylo -data genes.fa.gz -tree genes.nh -mask hidden.tsv -plot curves.svg
//
// A trained model can be saved, with its tree, and predicts hidden cells of other alignments
// of these species. What a line is to other programs, an alignment is to this one: there is no
// -apply, but -load with -data.
//
//	go run ./examples/phylo -data genes.fa.gz -tree genes.nh -save model
//	go run ./examples/phylo -load model -data more.fa.gz -mask hidden.tsv -o predicted.tsv
//
// Without -data the alignment is drawn from a tree of eight mammals, with mutations that
// depend on the neighbour as those of CpG do. The program prints the share of hidden cells
// predicted right after each iteration, beside those of two that know no neighbours: the
// base of the nearest species that has one, and the single-column model. -plot draws the
// curves of independent training, agreement, averaged agreement, and what -train says;
// -drawing draws the tree with the predicted bases of a column where many cells are hidden.
package main
