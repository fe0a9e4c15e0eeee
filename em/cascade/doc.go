// Package cascade trains machines whose weights are expressions over parameters.
//
// An example composed with a cascade of transducers is a lattice of all its derivations. The
// posterior of an arc is a path sum, and the arc's weight says which parameters made it. So
// posteriors add up to how often each parameter is expected to be used, and package em does the
// rest: whatever is hidden, and whichever operations built the machines.
//
//	params := em.NewParams()
//	channel := cascade.Conditional(params, "channel", plain, em.Multinomial{})
//	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{channel}})
//	data := cascade.Pairs([][2]string{{"aba", "aba"}, {"bba", "ba"}, {"aaa", "aaa"}, {"ba", "a"}})
//	result, err := model.Fit(ctx, data, nil)
//	...
//	trained, err := cascade.Instantiate(params, channel, result.Theta, semiring.Real{})
//
// A [Stage] is any machine over the expressions of a Params, frozen or lazy. Functions that make
// stages and sides have no error result. A stage or a side that could not be made carries its
// error, and what is made of it carries the same one. Whatever uses the Problem returns it:
// [Problem.Fit], [Problem.Likelihood], [Marginal] and the others. Before that, fst.Err
// and [Side.Err] return it. If a machine has failed, no parameters are made for it. Lazy stages
// are expanded by each call of a method of the Problem; fst.Expand does so once for all of them.
//
// Which function:
//
//   - parameters at each state of a machine: [Joint], [Conditional], with features
//     [JointLogLinear], [ConditionalLogLinear]; by hand [em.Params.Group], [em.Group.Weight]
//   - a machine normalized as a whole: [GlobalLogLinear], [Normalize], [NormalizeConditional]; at
//     each state, with parameters that it has already: [NormalizeStates], [NormalizeInputs]
//   - what was observed: [Text], [Labels], [Set], [Pattern]; the output of a recognizer: [Soft]
//   - data of texts: [Pairs], [Inputs], [Outputs], the other way round [Data.Inverse]; more than
//     fits in memory: [Lines], [Sequence]
//   - train: [Problem.Fit]; a model that keeps its parameters: [Model.Fit], [Model.Save], [Load]
//   - a machine with the trained weights: [Instantiate]
//   - a hidden string: [Marginal], [Between]
//   - graphs and forests in place of machines: [Derivations]; Monte Carlo EM: [Derivations.Sampled]
//   - is it a distribution: [Problem.Totals]; is another text likely: [em.LogLikelihood]
//   - what a single example uses: [Problem.Corpus]; the topology: package em/merge
//
// # Objectives
//
// Each is an [em.Likelihood], with exact derivatives by the values of the parameters. θ are the
// parameters, ⟦f⟧(x,y) is the sum over the paths of f that read x and write y, and ⟦f⟧(X, Y) the
// sum of these over x in X and y in Y.
//
//	Problem.Likelihood             Σ ln ⟦f⟧(X, Y)                   all methods
//	Problem.StringLikelihood       the same, over strings of Y      all methods
//	Derivations.Likelihood         Σ ln of sums over derivations    all methods
//	Problem.ConditionalLikelihood  Σ ln ⟦f⟧(X, Y) − ln ⟦f⟧(X, all)  without blocks, or a gradient
//	Problem.NormalizedLikelihood   Σ ln ⟦f⟧(X, Y) − ln Z            without blocks, or a gradient
//
// # Accuracy and cost
//
// Probabilities are held as semiring.ScaledFloat, so that no length of a string and no size of a
// lattice makes them underflow. Log likelihoods are in nats. Their error, relative to each
// example's own, is about 1e-15 times the length of the longest path.
//
// An E step takes time in proportion to the arcs of the lattices, or to the cells of the blocks
// that stand for them ([Way]). Shards are independent: two workers take half the time of one.
// PERFORMANCE.md of package em has measurements.
//
// A nil context, law, ring, machine or table of parameters, also one inside an interface, is a
// mistake of the calling program: functions panic with its name.
//
// Source: Eisner 2002, "Parameter estimation for probabilistic finite-state transducers".
package cascade
