// Package cascade trains machines whose weights are expressions over parameters.
//
// A cascade is a sequence of transducers, its stages, each of which reads the output of the stage
// before it. Composed with an example, it is a lattice: a machine of all hidden paths, or
// derivations, that explain the example. The posterior of an arc is a path sum, and the arc's
// weight is an expression over parameters. So the posteriors of arcs add up to the expected uses
// of each parameter, from which package em estimates it.
//
//	// plain is a machine of package fst; its arcs get parameters.
//	params := em.NewParams()
//	channel := cascade.Conditional(params, "channel", plain, em.Multinomial{})
//	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{channel}})
//	data := cascade.Pairs([][2]string{{"aba", "aba"}, {"bba", "ba"}, {"aaa", "aaa"}, {"ba", "a"}})
//	result, err := model.Fit(ctx, data, nil)
//	...
//	trained, err := cascade.Instantiate(params, channel, result.Theta, semiring.Real{})
//
// Which function:
//
//   - parameters at each state of a machine: [Joint], [Conditional], with features
//     [JointLogLinear], [ConditionalLogLinear]; by hand [em.Params.Group], [em.Group.Weight]
//   - a machine normalized as a whole: [GlobalLogLinear], [Normalize], [NormalizeConditional]; at
//     each state, with existing parameters: [NormalizeStates], [NormalizeInputs]
//   - observations: [Text], [Labels], [Set], [Pattern]; the output of a recognizer: [Soft]
//   - data of texts: [Pairs], [Inputs], [Outputs], with sides exchanged [Data.Inverse]; larger
//     than memory: [Lines], [Sequence]
//   - training: [Problem.Fit]; a model with its parameters: [Model.Fit], [Model.Save], [Load]
//   - a machine with the trained weights: [Instantiate]
//   - a hidden string: [Marginal], [Between]
//   - graphs and forests in place of machines: [Derivations]
//   - Monte Carlo EM: [Problem.Sampled], [Derivations.Sampled]
//   - check of a distribution: [Problem.Totals]; likelihood of other texts: [em.LogLikelihood]
//   - the expected uses of a single example: [Problem.Corpus]; learning the topology: package
//     em/merge
//
// # Stages and errors
//
// A [Stage] is any machine over the expressions of a Params, frozen or lazy. Functions that make
// stages and sides have no error result. If a function fails, its stage or side carries the
// error, and so does every machine made from it. Every use of the Problem returns the error:
// [Problem.Fit], [Problem.Likelihood], [Marginal] and the others. To check earlier, call fst.Err
// or [Side.Err]. A failed machine makes no parameters. Each call of a method of the Problem
// expands lazy stages; to expand them once for all calls, use fst.Expand.
//
// # Objectives
//
// Each objective is an [em.Likelihood], with exact derivatives with respect to the values of the
// parameters. θ are the parameters, ⟦f⟧(x,y) is the sum over the paths of f that read x and write
// y, and ⟦f⟧(X, Y) is the sum of ⟦f⟧(x,y) over x in X and y in Y.
//
//	Problem.Likelihood             Σ ln ⟦f⟧(X, Y)                   all methods
//	Problem.StringLikelihood       the same, over strings of Y      all methods
//	Derivations.Likelihood         Σ ln of sums over derivations    all methods
//	Problem.ConditionalLikelihood  Σ ln ⟦f⟧(X, Y) − ln ⟦f⟧(X, all)  without blocks, or a gradient
//	Problem.NormalizedLikelihood   Σ ln ⟦f⟧(X, Y) − ln Z            without blocks, or a gradient
//
// # Accuracy and cost
//
// Probabilities are held as semiring.ScaledFloat, so that they never underflow, for any length of
// a string and any size of a lattice. Log likelihoods are in nats. Their error, relative to each
// example's own, is about 1e-15 times the length of the longest path.
//
// An E step takes time in proportion to the arcs of the lattices, or to the cells of the blocks
// that replace them ([Strategy]). Shards are independent: two workers take half the time of one.
// PERFORMANCE.md of package em has measurements.
//
// A nil context, law, ring, machine or table of parameters, also one inside an interface, is a
// programming error: functions panic with the argument's name.
//
// Source: Eisner 2002, "Parameter estimation for probabilistic finite-state transducers".
package cascade
