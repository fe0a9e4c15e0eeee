// Package phylo models the evolution of aligned nucleotide sequences along a tree. It computes the
// probability of an alignment, estimates the rates of substitutions, and predicts unobserved bases,
// past and present.
//
// The base at the root of the tree changes along each branch by a stochastic matrix; the bases of
// the species at the leaves are observed. The probability of a column is a sum over the bases at
// all inner nodes, computed by Felsenstein's pruning. Its posteriors are the expected substitutions
// required for training. One pass over a forest evaluates all columns.
//
//	tree, err := phylo.ParseTree("(((human:.01,chimp:.01):.005,gorilla:.015)apes:.05,macaque:.07)all;")
//	a, err := msa.ReadFASTA(file, "apes.fa")
//	...
//	m, err := phylo.NewColumns(tree, phylo.HKY85(a.Frequencies()))
//	result, err := m.Fit(ctx, a, nil)
//	l, err := m.Likelihood(a)
//	p, err := l.Posteriors(ctx, m.Theta, nil, 0)
//
// Which function:
//
//   - a tree: [ParseTree]; an alignment: package msa
//   - independent columns: [NewColumns], with a process: [JC69], [HKY85], [REV], [Unrestricted],
//     [GeneralMarkov]
//   - columns that depend on their neighbours: [NewWindows]; sequences as chains: [NewChain]
//   - training: [Columns.Fit], [Windows.Fit], [Chain.Fit]
//   - ln P(alignment): [Likelihood.LogProb]; hidden bases: [Likelihood.Posteriors], [Average],
//     [Chain.Posteriors]
//   - trained branch lengths: [Columns.Tree]; random alignments: [Windows.Sample]
//   - files of PHAST: [Columns.SaveMod], [LoadMod]
//
// Which model predicts hidden bases best depends on the alignment (../PERFORMANCE.md). Pairs of
// columns with one squared iteration, combined with a Chain, are best on all alignments tried.
// Alignments of fewer than about 2000 columns are too short for the parameters of pairs: use
// Columns with REV.
//
// # Trees and alignments
//
// ParseTree reads Newick, and variants of Newick in files of other programs by rules for support
// values and negative lengths. Package msa reads alignments: FASTA, MAF, and PHAST's sufficient
// statistics. Remarks of a Tree or an Alignment list dropped or changed content. Tree and alignment
// must have the same species; Tree.Select removes rows of species that are not in the tree. A
// missing cell (gap, N) is an unknown base; an ambiguity code is an unknown base from a small set.
//
// # Models of single columns
//
// Columns is a tree with a Process. GeneralMarkov has an arbitrary stochastic matrix for each
// branch and is trained by EM. Reversible has one rate matrix and a length for each branch (JC69,
// HKY85, REV, optionally with gamma-distributed RateClasses). It is trained by gradient through the
// eigen-decomposition of the rates, and the result does not depend on the unit of the initial
// branch lengths. Reversible processes accept unrooted trees, and alignments without some base.
// SaveMod and LoadMod store them in .mod files of PHAST. Unrestricted has one rate matrix that need
// not be reversible, UNREST, with the same lengths and classes. It is trained by gradient through
// matrix exponentials. GeneralMarkov and Unrestricted require rooted trees.
//
// A gap is not a fifth base, since a Cell is a set of four bases.
//
// # Windows of columns
//
// Mutations depend on neighbouring bases: CpG becomes TpG ten times as often as other C become T.
// Windows is a model of neighbouring columns, in which the left base changes independently, and the
// right base changes given the new left base. Two columns have 16 states per node, and 64 + 64
// edges per branch, as the state changes in two steps. Columns (1, 2), (3, 4), … and columns (2,
// 3), (4, 5), … are two submodels of the same hidden bases, with common or separate parameters.
// They can be trained to agree (package em/agree). Windows of three columns make three submodels:
//
//	Independent           each by itself
//	ParameterApproximate  product EM, each with its own statistics
//	Averaged              product EM, all with the average of their statistics
//	Fit                   a little of the second, then the first
//
// Posteriors of a submodel use its windows only; Average combines all submodels.
//
// # Along a sequence
//
// Chain models each species separately: its bases form a Markov chain of some order, and the
// posterior of a model of columns for a hidden base is evidence. It is a hidden Markov model of
// package models/hmm, trained on all sequences of the alignment, with a longer context than a pair.
//
// # Cost
//
// The time of an E step is proportional to the number of distinct columns, or pairs. A pattern
// takes a few bytes per species; for Averaged, 640 bytes per branch.
//
// Sources: Felsenstein 1981; Siepel and Haussler 2004 (context); Yang 1994 (rates, UNREST); Liang,
// Klein and Jordan 2007; Najfeld and Havel 1995 (derivatives of exponentials).
package phylo
