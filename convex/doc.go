// Package convex trains models with hidden discrete variables by a convex relaxation of joint
// (Viterbi) EM, and certifies the distance between the result and the relaxed optimum.
//
// Joint EM looks for the labels, the values of the hidden variable in each row, and the parameters
// with the least loss −ln P(data, labels) + ridge. Training on completed data depends on the
// labels y of a hidden variable only through the equivalence relation M = YYᵀ: Mᵢⱼ = 1 if rows i
// and j have the same value. The minimum over all parameters, g(M), is convex in M. Let M be any
// positive semidefinite matrix with M ≥ 0 and a diagonal of 1: then minimizing g is a convex
// problem, without restarts or local optima.
//
//	problem, err := convex.NewProblem(variables, nil, .5) // each row once, with the ridge β = .5
//	...
//	s, err := problem.Fit(ctx, convex.Fitting{
//		Solver:   convex.Splitting{Gap: 1e-4},
//		Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)},
//	})
//	// s.Rounded.Labels, and s.Relaxed.LabelsLower: no labels have a smaller loss
//
// Which function:
//
//   - the data, and which variables are hidden: [Variable], [NewProblem]
//   - relax, round and polish in one call: [Problem.Fit]
//   - the minimum, with a lower and an upper bound: [Splitting]; for thousands of rows set its Rows
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
// and β is the ridge. A vector-valued variable has W as its means, and identity covariance: ½|x −
// W|² takes the place of −ln P. Variables without a hidden parent that are not hidden themselves
// contribute Problem.Constant; all bounds and objectives include it.
//
// # What is covered
//
// Numbers in parentheses are equations of Guo and Schuurmans 2007, the paper below:
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
// AND constraints become looser the more relations a product has. With 1 to 4 hidden parents of one
// child the relaxed optimum is 0, 1.8, 3.5 and 7.5 % below the value with exact products
// (TestLooseProducts, small random problems).
//
// The loss of a hidden child given hidden parents is not convex in both relations, K of the parents
// and M of the child. Form (4) of the paper maximizes it over distributions Θᵢ of the child's v
// values. Here Θᵢ is a mixture of the row's own value and the uniform distribution. The loss is
// then a convex function of K∘(vM − 11ᵀ)/(v − 1), which is relaxed together with K and M. It is
// exact at labels if v = 2. Otherwise it is a lower bound: 15 % below the loss if parent and child
// are independent (TestLinkOfLabels). Exact products would raise the relaxed optimum by 2 %
// (TestLooseLinks). Lifting the same loss to a relation between pairs of rows, in O(t⁶) time, could
// not gain more. On problems that are small enough to try all labels, the lower bound is 81 to 88 %
// of the least loss, and 59 to 67 % without the term (TestLinkBound).
//
// Relaxing the labels instead is useless. Values can be renamed, so uniform labels, the average
// over all renamings, are as good as any minimizer (Lemma 1 of the paper).
//
// # Other objectives
//
// The paper names two more. The marginal objective is −ln P of the rows as observed. A row with v
// completions has at most v times the probability of the best one. So the bound of labels, less ln
// v for each row, bounds the marginal loss: Result.MarginalLower. It is closer the larger the
// ridge. For 30 rows of a binary class, marginal EM ends at 55 to 62 nats, and the bound is 13, 32
// and 40 for β = 0.5, 3 and 20 (TestMarginalLower).
//
// The conditional objective, −ln P(labels | rows), needs no relaxation. Put all n rows into one
// class of a root, with a strength ln n above the others. These labels have a loss of at most v − 1
// + β/2·ln² n, so the minimum is between 0 and this number for all data. For 800 rows drawn from a
// model, the loss of one class is 11 nats, and the loss of the true labels 82 to 285 nats
// (TestConditionalSaysNothing).
//
// # How good
//
// The bounds apply to the relaxed problem. Its optimum is often far below the loss of the best
// labels, because matrices may have any rank: a small gap does not mean that labels are good. The
// lower bound holds for all labels, but is useful only if it is tight. It is loose if many rows
// share few values: for 500 rows of a hidden cause of three binary effects it is 270 nats, and the
// least loss of labels is 951 nats.
//
// Three numbers are easily confused: the loss of labels, with the labels given (Rounded.Objective);
// its bound (LabelsLower); and the objective of EM, which sums over labels and has the opposite
// sign (Polished.Last). Because −ln P of rows is at most −ln P of rows and labels, −1 times the
// global maximum of EM's objective is another lower bound on the loss of labels. EM does not
// certify that it has found the global maximum, but if it has, this bound is the better one: 920 in
// the example above.
//
// A relaxed optimum is a deterministic start for EM, usually much better than a random one. A start
// need not be optimal: from the point after three iterations of Splitting, EM reaches the same
// result (examples/convexem). EM also reaches the same result from weights as from the tables of
// labels. These predict the class of 96 % of new rows, and weights predict 95 % (TestWeightsStart).
//
// Sources: Guo and Schuurmans 2007, "Convex relaxations of latent variable training"; Davis and
// Yin 2017 for the splitting; Goemans and Williamson 1995, Frieze and Jerrum 1997 for random
// rounding.
package convex
