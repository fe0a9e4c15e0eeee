// Package crf labels sequences by conditional models: chain conditional random fields,
// maximum-entropy Markov models, and logistic regression of each position.
//
// A position of a sequence has attributes, named by a function that may depend on the whole
// sequence. Each pair of an attribute and a label has a weight, and so has each pair of
// neighbouring labels. Their sum is the score of a labeling. The three kinds differ only in the
// set over which its exponential is normalized.
//
//	data := crf.NewData()
//	err := data.Add(tags, features(words))
//	...
//	model, err := crf.New(crf.Chain, data, em.LogLinearOptions{Sigma: 2})
//	result, err := model.Fit(ctx, data, nil)
//	tagger, err := model.Predictor()
//	tags, err := tagger.Best(len(words), features(words))
//
// Which function:
//
//   - labelled sequences, and the attributes of positions: [Data.Add], [Features], [Attributes];
//     lists of attributes: [Names]
//   - choice of the kind: [Kind]; priors and training: [New], [Model.Fit]
//   - the most probable labels: [Predictor.Best]; ln P(labels): [Predictor.LogProb]
//   - probability of each label: [Predictor.Posteriors]; other queries: [Predictor.Trellis]
//   - learnt weights: [Predictor.Weight], [Predictor.Transition]
//   - files, with the names of attributes and labels: [Predictor.Save], [Load]
//   - training by em.Fit: [Model.Likelihood]
//   - known statistics of unknown labels: [Data.Allow], [Likelihood.LogPartition], with package
//     moments
//   - partial knowledge about labels: [Likelihood.Constrained]; counts in regions:
//     [Likelihood.CountConstraint]
//
// # Formula
//
// The score of labels y is s(y) = Σ_t Σ_a value(a, t)·w(a, y_t) + Σ_t w(y_{t−1}, y_t), and P(y |
// x) is, by Kind,
//
//	Chain  exp s(y) / Σ_{y′} exp s(y′)
//	Node   the same without w(y_{t−1}, y_t): a product over the positions
//	MEMM   ∏_t exp s(y_t | y_{t−1}) / Σ_{y′} exp s(y′ | y_{t−1}), each factor with the
//	       terms of position t
//
// All are path sums over trellis.Trellis with one block of exp w(y, y′) and a node for each
// position and label. In a MEMM nodes are divided by the sum of the weights of their
// continuations, so that path sums are 1.
//
// # Training
//
// The gradient of the conditional log likelihood is the uses of weights by the labels of the data
// minus the expected uses by all labelings. The function is concave, so every method converges to
// the same weights, given enough time. An attribute has weights for the labels that it occurs
// with, and 0 for others; every pair of labels has a weight.
//
// Path sums of any length neither overflow nor underflow: probabilities are stored as
// semiring.ScaledFloat. ln P is a difference of scores, accurate to about 1e-15 times these
// scores.
//
// Sources: Lafferty, McCallum and Pereira 2001, "Conditional random fields"; McCallum, Freitag
// and Pereira 2000, "Maximum entropy Markov models for information extraction and segmentation";
// Sha and Pereira 2003, "Shallow parsing with conditional random fields".
package crf
