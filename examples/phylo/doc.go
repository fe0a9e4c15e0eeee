// Phylo predicts hidden bases of aligned genomes from the other species and from their
// neighbours.
//
//	go run ./examples/phylo
//	go run ./examples/phylo -data genes.fa.gz -tree genes.nh -mask hidden.tsv -plot curve.svg
//
// Without -data the alignment is drawn from a tree of eight mammals, with mutations that depend
// on the neighbour as in CpG. The program prints the fraction of hidden cells predicted
// correctly after each iteration. For comparison it prints the fractions of two methods without
// neighbours: the base of the nearest species that has one, and the single-column model. -plot
// draws the curve; -drawing draws the tree with the predicted bases of a column with many
// hidden cells. internal/experiments/phylocurve compares ways to train.
//
// model.go trains the parts of the model, and predict.go predicts. Package internal/genomes
// reads and draws the alignments.
//
// # The model
//
// An alignment is a matrix of bases, a row per species and a column per site. Some cells are
// hidden; a model of evolution along the species' tree is trained on the rest, and predicts
// them. The model (package models/phylo) describes pairs of neighbouring columns, in two ways,
// columns (1, 2), (3, 4), … and (2, 3), (4, 5), …, which share their parameters; the average of
// the two posteriors predicts a cell. With -columns 3 it describes triples, in three ways; with
// -own each way has its own parameters. -train selects the training:
//
//	best         annealed, averaged with a chain along each sequence; or single, for
//	             fewer than 2000 columns
//	annealed     an iteration of agreement (Liang, Klein and Jordan 2007), then each by itself
//	independent  each way by itself
//	agreement    both ways to agree
//	averaged     by the average of both ways' counts
//	single       a reversible model of single columns
//
// Windows start with the same parameters: a base is kept with probability .7, independently of
// its neighbours.
//
// # Other alignments
//
// A trained model can be saved, with its tree, and predicts hidden cells of other alignments of
// these species. The unit of prediction is an alignment, not a line, so use -load with -data;
// there is no -apply.
//
//	go run ./examples/phylo -data genes.fa.gz -tree genes.nh -save model
//	go run ./examples/phylo -load model -data more.fa.gz -mask hidden.tsv -o predicted.tsv
//
// For files of other programs, -dots gives the meaning of a dot in an alignment, -repeats the
// treatment of several rows of a species, and -negative takes negative branch lengths as 0.
// Standard error lists dropped or changed input, and parameters of the single-column model at a
// bound.
//
// # Coming from phyloFit
//
// The reversible model of single columns is the same as phyloFit's, in Debian's package phast:
// the log likelihoods agree to eight digits. On 15,117 columns of eight mammals:
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
