// Package convex trains models with hidden discrete variables by a convex relaxation of joint
// (Viterbi) EM, and certifies how far the result is from the relaxed optimum.
//
// Training on completed data depends on the labels y of a hidden variable only through the
// equivalence relation M = YYᵀ: Mᵢⱼ = 1 if rows i and j have the same value. The minimum over
// all parameters, g(M), is convex in M. Let M be any positive semidefinite matrix with M ≥ 0 and
// a diagonal of 1: then minimizing g is a convex problem, without restarts or local optima.
//
//	problem, err := convex.NewProblem(variables, nil, .5)
//	...
//	s, err := problem.Fit(ctx, convex.Fitting{
//		Solver:   convex.Splitting{Gap: 1e-4},
//		Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)},
//	})
//	// s.Rounded.Labels, and s.Relaxed.LabelsLower: no labels have a lesser loss
//
// Which function:
//
//   - the data, and which variables are hidden: [Variable], [NewProblem]
//   - relax, round and polish in one call: [Problem.Fit]
//   - the minimum, with a lower and an upper bound: [Splitting]; for thousands of rows its Rows
//   - labels and parameters from relations: [Problem.Round]; EM from there: [Polish]
//   - the weights of the relaxed model, a start for EM, too: [Problem.Weights]
//   - of a Bayesian network: Relax and Polish of package models/bayes
//   - the loss of labels, or of soft labels: [Problem.Complete], [Problem.CompleteSoft]
//   - bounds of g, and its gradient, at relations: [Problem.Value], [Problem.Relation]
//   - repair a relation that is not transitive: [Closure], [Labels]
//   - vectors of unit covariance: [Whiten]; a kernel in place of vectors: Gram of [Variable]
//
// # Objective
//
// Each discrete variable has a table of strengths W with a row per configuration of its parents
// and P(value | configuration) = softmax(W). The loss is, in nats,
//
//	Σ rows −ln P(value | parents) + β/2·Σ W²    summed over the variables,
//
// and β is the ridge. A vector-valued variable has W as its means, and identity covariance: ½|x
// − W|² takes the place of −ln P. Variables that see nothing hidden contribute Problem.Constant;
// all bounds and objectives include it.
//
// # What is covered
//
//	hidden variable with observed parents, or a root    exact form of the paper (6)
//	observed child of a hidden parent                   (4); observed co-parents split the rows
//	vector-valued child of a hidden parent              ½ tr (I + M/β)⁻¹XXᵀ; XXᵀ may be a kernel
//	several hidden variables with no child in common    separate problems
//	several hidden parents of one child                 auxiliary relations, linear AND constraints
//	hidden child of hidden parents                      auxiliary relations, linear constraints
//	partly observed hidden variable                     known pairs of M are fixed
//	the same with hidden neighbours                     known pairs of M are fixed to within .01
//	missing cell on which nothing observed depends      left out: Absent
//	vector-valued parent                                not covered: ErrRelaxation
//
// AND constraints hold a product less to what it should be the more relations are in it. With 1
// to 4 hidden parents of one child the relaxed optimum is 0, 1.8, 3.5 and 7.5 % below what
// exact products come to (TestLooseProducts, small random problems).
//
// The loss of a hidden child given hidden parents is not convex in both relations, K of the
// parents and M of the child. Form (4) of the paper maximizes it over distributions Θᵢ of the
// child's v values. Here Θᵢ is a mixture of the row's own value and the uniform distribution. The
// loss is then a convex function of K∘(vM − 11ᵀ)/(v − 1), which is relaxed together with K and
// M. It is exact at labels if v = 2. Otherwise it is a lower bound: 15 % below the loss if parent
// and child are independent (TestLinkOfLabels). Exact products would raise the relaxed optimum
// by 2 % (TestLooseLinks): a lift of the same loss to a relation between pairs of rows, in O(t⁶)
// time, could gain no more. On problems whose labels can all be tried, the lower bound is 81 to
// 88 % of the least loss, and 59 to 67 % without the term (TestLinkBound).
//
// To relax the labels instead would be pointless. Values can be renamed, so that uniform labels,
// the average over all renamings, are as good as any minimizer (Lemma 1 of the paper).
//
// # Other objectives
//
// The paper names two more. The marginal objective is −ln P of the rows as observed. A row with v
// completions has at most v times the probability of the best one. So the bound of labels, less
// ln v for each row, bounds the marginal loss: Result.MarginalLower. It is near if the ridge is
// large. For 30 rows of a binary class, marginal EM ends at 55 to 62 nats, and the
// bound is 13, 32 and 40 for β = 0.5, 3 and 20 (TestMarginalLower).
//
// The conditional objective, −ln P(labels | rows), needs no relaxation. Put all n rows into one
// class of a root, with a strength ln n above the others. These labels have a loss of at most
// v − 1 + β/2·ln² n, so that the minimum is between 0 and this number for all data. For 800 rows
// drawn from a model, one class has 11 nats, and the true labels have 82 to 285
// (TestConditionalSaysNothing).
//
// # How good
//
// The bounds are on the relaxed problem. Its optimum is often far below the best labels, as
// matrices may have any rank: a small gap says nothing about labels. No labels are better than the
// lower bound, which is worth something only where it is near. It is not where many rows share few
// values: for 500 rows of a hidden cause of three binary effects it is 270 nats, where the best of
// all labels have 951.
//
// Three numbers are compared easily, and are not the same: the loss of labels, with the labels
// given (Rounded.Objective); its bound (LabelsLower); and what EM has reached, which sums over
// labels and has the other sign (Polished.Last). As −ln P of rows is no more than −ln P of rows and
// labels, no labels have a loss below −1 times the greatest objective of EM. Where EM has found
// that, which nobody certifies, it is the better bound: 920 in the example above.
//
// A relaxed optimum is a start for EM without randomness, usually much better than a random one. A
// start needs no optimum: after three iterations of Splitting EM ends where it does from there
// (examples/convexem). From weights EM ends where it does from the tables of labels, which predict
// the class of 96 % of new rows where weights predict 95 % (TestWeightsStart).
//
// Sources: Guo and Schuurmans 2007, "Convex relaxations of latent variable training"; Davis and
// Yin 2017 for the splitting; Goemans and Williamson 1995, Frieze and Jerrum 1997 for random
// rounding.
package convex
