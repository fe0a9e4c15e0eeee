// Package phylo is about the evolution of aligned nucleotide sequences along a tree: how
// probable an alignment is, how fast which bases change, and what stood, or stands, where
// nothing was observed.
//
// The idea: the base at the root of the tree changes along each branch by a stochastic
// matrix, until the species at the leaves show what became of it. The probability of a
// column is a sum over the bases at all inner nodes. As a forest it has a node for each
// base at each end of each branch, and all columns go through that one forest at once
// (batch.Lanes): its sums are Felsenstein's pruning, its posteriors the expected
// substitutions that training needs, and training is em.Fit. Columns that look alike are
// evaluated once.
//
// # Trees and alignments
//
// ParseTree reads Newick. Package msa reads alignments: FASTA, MAF, and PHAST's
// sufficient statistics. Tree and alignment must have the same species. A missing cell
// (gap, N) is a base like any other, only unknown; an ambiguity code is one of a few.
//
// # Models of single columns
//
// Columns is a tree with a Process: Free has any stochastic matrix for each branch, trained
// by EM; Reversible has a rate matrix for all and a length for each branch (JC69, HKY85,
// REV, each with gamma-distributed rates if RateClasses says so), trained by gradient
// through the eigen-decomposition of the rates. Reversible processes take unrooted trees
// too.
//
// # Pairs of columns
//
// Mutations depend on what is beside: CpG becomes TpG ten times as often as other C become
// T. Pairs is a model of two neighbouring columns, in which the left base changes by
// itself and the right one seeing what the left one has become: 16 states per node, and
// 64 + 64 edges per branch, as the change of state is made in two steps. Columns (1, 2),
// (3, 4), … and columns (2, 3), (4, 5), … are two submodels of the same hidden bases with
// the same parameters, which can be trained to agree (package em/agree):
//
//	Independent           each by itself
//	ParameterApproximate  product EM, each with its own statistics
//	Averaged              product EM, both with the average of their statistics
//	Fit                   a little of the second, then the first
//
// Posteriors of a submodel are those of its pairs; Average takes both into account.
//
// # Along a sequence
//
// Chain looks at each species by itself: its bases form a Markov chain of some order, and
// what a model of columns says of a hidden base is evidence. It is a hidden Markov model
// of package models/hmm, trained on all sequences of the alignment, and reaches farther
// than a pair.
//
// # What to use
//
// Share of hidden bases that are predicted right, %, with 20 and 50 % of all observed ones
// hidden, after 30 iterations; “first” is after one. The alignments are of 17 nuclear
// genes of eight mammals (15,117 columns), of 100,000 bases of human chromosome 6 with
// mouse, rat and dog (ENCODE's ENr334, 36,985 columns), and PHAST's example of four
// mammals and chicken (20,608 columns).
//
//	                                    genes           ENr334          example
//	nearest species that has a base     90.70  88.18    73.76  63.97    83.22  70.50
//	phyloFit (REV) and pruning          92.20  89.27    73.76  63.97    83.19  70.50
//	Columns, REV                        92.20  89.27    73.76  63.97    83.19  70.50
//	Columns, REV, 4 rate classes        92.20  89.25    73.76  63.97    83.20  70.51
//	Independent, first                  91.21  88.34    73.51  64.92    83.94  71.89
//	ParameterApproximate, first         92.15  89.18    73.93  65.24    83.74  72.25
//	Independent                         92.25  89.49    74.38  65.40    83.86  72.39
//	ParameterApproximate                92.21  89.42    74.22  65.32    83.55  72.25
//	Fit, 1 squared iteration            92.25  89.48    74.38  65.40    83.76  72.43
//	the same and a Chain                92.28  89.63    74.64  66.01    84.24  72.89
//
// Agreement is ahead early on five of the six and ends a little lower. What makes it quick
// are the squared probabilities: one such iteration at the beginning does as much. The
// last line is what examples/phylo does unless told otherwise: one part of the average of
// the two submodels, and two of a Chain of order 3 with a Dirichlet prior of α = 21, whose
// evidence is Columns with REV. Alignments of less than about 2000 columns are too short
// for the parameters of pairs: there Columns with REV is better.
//
// No better than the submodels' average were: the product of their posteriors divided by
// that of single columns; averaging with the model of the reversed alignment, or with
// REV; a reversible rate matrix for each left base in place of free matrices.
//
// To get a column of the table, with FILE for each alignment:
//
//	go run ./examples/phylo -data FILE.fa.gz -tree trees.tsv -mask FILE.mask20.tsv.gz -train independent
//
// and with -blocks FILE.blocks.txt for ENr334, whose columns are of 48 runs; -train
// agreement, annealed, best and single for the other lines.
//
// # Cost
//
// Processor time, for eight species; each column is in two pairs (BenchmarkExpect):
//
//	E step of both submodels            4.1 µs a column; by hand, dense matrices 12
//	E step with averaged statistics     13 µs a column
//	E step of REV                       .4 µs a column
//
// On one processor examples/phylo takes 1.9, 3.6 and 6.5 s and 49, 65 and 99 MB for 30
// iterations of both submodels on 5000, 10,000 and 20,000 columns, with the accuracy after
// each of them; the E steps alone are 2.5 s of the 6.5. Both are in proportion to the
// number of different pairs. REV is fitted to the three alignments in .09, .02 and .02 s,
// reading and prediction included, where phyloFit 1.6 takes .78, .05 and .06, with the
// same log likelihood to eight digits.
//
// A pattern takes a few bytes per species; for Averaged, 640 bytes per branch.
//
// Sources: Felsenstein 1981; Siepel and Haussler 2004 (context); Yang 1994 (rates);
// Liang, Klein and Jordan 2007.
package phylo
