// Phylo predicts hidden bases of aligned genomes from the other species and from their
// neighbours.
//
// An alignment is a matrix of bases, a row per species and a column per site. Some cells
// are hidden; a model of evolution along the species' tree is trained on what is left,
// and predicts them. The model (package models/phylo) is of pairs of neighbouring
// columns, in two ways, columns (1, 2), (3, 4), … and (2, 3), (4, 5), …, which share their
// parameters; a cell is predicted by the average of the two posteriors. With -columns 3 it is of
// triples, in three ways; with -own each way has parameters of its own. -train says what
// to train:
//
//	best         annealed, averaged with a chain along each sequence; or single, for
//	             fewer than 2000 columns
//	annealed     an iteration of agreement (Liang, Klein and Jordan 2007), then each by itself
//	independent  each way by itself
//	agreement    both ways to agree
//	averaged     by the average of both ways' counts
//	single       a reversible model of single columns
//
// Windows start alike: a base is kept with probability .7, whatever is beside it.
//
//	go run ./examples/phylo
//	go run ./examples/phylo -data genes.fa.gz -tree genes.nh -mask hidden.tsv -plot curve.svg
//
// The parts of the model are trained in model.go and predict in predict.go. Package
// internal/genomes reads and draws the alignments.
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
// base of the nearest species that has one, and the single-column model. -plot draws the curve;
// -drawing draws the tree with the predicted bases of a column where many cells are hidden.
// internal/experiments/phylocurve compares ways to train.
//
// Files of other programs: -dots says what a dot in an alignment stands for, -repeats what to take
// of several rows of a species, and -negative takes negative branch lengths as 0. What is dropped
// or changed in reading, and parameters of the single-column model at a bound, are remarked on
// standard error.
//
// # Coming from phyloFit
//
// The reversible model of single columns is that of phyloFit, in Debian's package phast: the
// same log likelihood to eight digits. On 15,117 columns of eight mammals:
//
//	phyloFit --tree genes.nh --subst-mod REV --out-root genes genes.fa    .45 s, 16 MB
//	phylo -data genes.fa -tree genes.nh -train single -save genes.model   .06 s, 19 MB
//	phylo -data genes.fa -tree genes.nh -save genes.model                 4.7 s, 225 MB
//
// The latter two also hide, predict and score 24,028 cells, which phyloFit does not: 92.20 and
// 92.28 % are right (models/PERFORMANCE.md has more alignments). genes.mod, a tree and rates, is
// genes.model here; the options --subst-mod JC69 and HKY85, --nrates and --init-model are
// phylo.JC69, HKY85, Reversible.RateClasses and Columns.Theta of package models/phylo. That
// package also reads such a file, from phyloFit or tree_doctor, and writes it for them:
// phylo.LoadMod and Columns.SaveMod.
package main
