// Package convex trains models with hidden discrete variables by a convex relaxation of
// joint (Viterbi) EM, with a certificate of how far from its optimum it is.
//
// The idea: complete-data training depends on the labels y of a hidden variable through
// the equivalence relation M = YYᵀ alone, Mᵢⱼ = 1 where rows i and j have the same value.
// The minimum over all parameters, g(M), is a convex function of M. Let M be any matrix of
//
//	C = { M positive semidefinite, diag M = 1, M ≥ 0 },
//
// of which the relations are the integral points of limited rank, and minimizing g is a
// convex problem: no restarts, no local optima. To relax the labels instead is pointless:
// values can be renamed, so the average over all renamings, uniform labels, is as good as
// any minimizer.
//
// # Use
//
// Describe the data by Variables, each with its parents and its value in every row,
// Hidden where it was not seen; NewProblem derives the terms of g. Splitting finds the
// minimum with a lower and an upper bound; LowRank an upper bound where there are too many
// distinct rows for t×t matrices. Problem.Round turns relations into labels and
// parameters, Polish hands them to EM, and Problem.Fit does all three.
//
// # Objective
//
// Each discrete variable has a table of strengths W with a row per configuration of its
// parents and P(value | configuration) = softmax(W); the loss is
//
//	Σ rows −ln P(value | parents) + β/2·Σ W²    summed over the variables, in nats.
//
// β is the ridge. A vector-valued variable has W as its means, and identity covariance
// (see Whiten): ½|x − W|² takes the place of −ln P. Problem.Constant is the part of
// variables that see nothing hidden; it is included in all bounds and objectives.
//
// # What is covered
//
//	hidden variable with observed parents, or a root        exact form of the paper (6)
//	observed child of a hidden parent                       (4); observed co-parents split the rows
//	vector-valued child of a hidden parent                  ½ tr Xᵀ(I + M/β)⁻¹X
//	several hidden variables with no child in common        separate problems
//	several hidden parents of one child                     auxiliary relations, linear AND constraints
//	hidden parent of a hidden child                         block-coordinate descent, see below
//	partly observed hidden variable                         known pairs of M are fixed
//
// Where a hidden variable is the parent of another, g is convex in each relation but not
// in both. Their relations are then minimized over in turn, each problem convex, until no
// turn helps: status Stationary, and no lower bound.
//
// The paper also names marginal and conditional variants; how to relax those is open and
// not attempted here.
//
// # How good
//
// The bounds are on the relaxed problem. Its optimum is often far below that of the best
// labels, as C has matrices of any rank: a small gap says nothing about labels. What a
// lower bound does say is how much better any labels could be than those found, an upper
// bound on the loss by rounding. A relaxed optimum is a start without randomness for EM,
// usually much better than a random one.
//
// # Sources
//
// Guo and Schuurmans 2007, "Convex relaxations of latent variable training"; Davis and
// Yin 2017 for the splitting; Goemans and Williamson 1995, Frieze and Jerrum 1997 for
// random rounding; Burer and Monteiro 2003 for the low-rank form.
package convex
