// Package phylo is about the evolution of aligned nucleotide sequences along a tree: how
// probable an alignment is, how fast which bases change, and what stood, or stands, where
// nothing was observed.
//
// The base at the root of the tree changes along each branch by a stochastic matrix, until the
// species at the leaves show what became of it. The probability of a column is a sum over the
// bases at all inner nodes, Felsenstein's pruning. Its posteriors are the expected substitutions
// that training needs, and all columns go through one forest at once.
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
//   - columns by themselves: [NewColumns], with a process: [JC69], [HKY85], [REV], [Unrestricted],
//     [Free]
//   - columns that depend on those beside them: [NewWindows]; sequences as chains: [NewChain]
//   - training: [Columns.Fit], [Windows.Fit], [Chain.Fit]
//   - ln P(alignment): [Likelihood.LogProb]; hidden bases: [Likelihood.Posteriors], [Average],
//     [Chain.Posteriors]
//   - trained branch lengths: [Columns.Tree]; alignments at random: [Windows.Sample]
//   - files of PHAST: [Columns.SaveMod], [LoadMod]
//
// Which model predicts hidden bases best depends on the alignment (../PERFORMANCE.md). Pairs of
// columns with one squared iteration, and a Chain beside it, are ahead on all that were tried.
// Alignments of less than about 2000 columns are too short for the parameters of pairs: there
// Columns with REV is better.
//
// # Trees and alignments
//
// ParseTree reads Newick, and Newick as other programs write it by rules: support values,
// negative lengths. Package msa reads alignments: FASTA, MAF, and PHAST's sufficient statistics.
// What is dropped or changed is in the Remarks of a Tree or an Alignment. Tree and alignment must
// have the same species; Tree.Select leaves out rows that the tree lacks. A missing cell (gap, N)
// is a base like any other, only unknown; an ambiguity code is one of a few.
//
// # Models of single columns
//
// Columns is a tree with a Process: Free has any stochastic matrix for each branch, trained by
// EM; Reversible has a rate matrix for all and a length for each branch (JC69, HKY85, REV, each
// with gamma-distributed rates if RateClasses says so), trained by gradient through the
// eigen-decomposition of the rates, to the same end from branch lengths in any unit. Reversible
// processes take unrooted trees too, and alignments that lack a base. SaveMod and LoadMod keep
// them in .mod files of PHAST. Unrestricted has a rate matrix for all that need not be reversible,
// UNREST, with the same lengths and classes, and is trained by gradient through the exponentials of
// matrices. Free and Unrestricted take rooted trees.
//
// A gap is no fifth base, as a Cell is a set of four bases.
//
// # Windows of columns
//
// Mutations depend on what is beside: CpG becomes TpG ten times as often as other C become T.
// Windows is a model of neighbouring columns, in which the left base changes by itself, and the
// one right of it seeing what the left one has become. Two columns have 16 states per node, and
// 64 + 64 edges per branch, as the change of state is made in two steps. Columns (1, 2), (3, 4),
// … and columns (2, 3), (4, 5), … are two submodels of the same hidden bases, with the same
// parameters or with their own. They can be trained to agree (package em/agree). Windows of
// three columns make three submodels:
//
//	Independent           each by itself
//	ParameterApproximate  product EM, each with its own statistics
//	Averaged              product EM, all with the average of their statistics
//	Fit                   a little of the second, then the first
//
// Posteriors of a submodel come from its windows; Average takes all into account.
//
// # Along a sequence
//
// Chain looks at each species by itself: its bases form a Markov chain of some order, and what a
// model of columns says of a hidden base is evidence. It is a hidden Markov model of package
// models/hmm, trained on all sequences of the alignment, and reaches farther than a pair.
//
// # Cost
//
// An E step takes time in proportion to the number of different columns, or pairs. A pattern
// takes a few bytes per species; for Averaged, 640 bytes per branch.
//
// Sources: Felsenstein 1981; Siepel and Haussler 2004 (context); Yang 1994 (rates, UNREST); Liang,
// Klein and Jordan 2007; Najfeld and Havel 1995 (derivatives of exponentials).
package phylo
