// Package crf labels sequences by conditional models: chain conditional random fields,
// maximum-entropy Markov models, and logistic regression of each position.
//
// A position of a sequence has attributes, named by a function that may look at all of the
// sequence. There is a weight for each pair of an attribute and a label, and one for each pair
// of neighbouring labels. Their sum is the score of a labeling; the three kinds differ in what
// its exponential is normalized over, and in nothing else.
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
//     attributes in lists: [Names]
//   - which of the three: [Kind]; priors and training: [New], [Model.Fit]
//   - the most probable labels: [Predictor.Best]; ln P(labels): [Predictor.LogProb]
//   - the probability of each label: [Predictor.Posteriors]; other questions:
//     [Predictor.Trellis]
//   - what was learnt: [Predictor.Weight], [Predictor.Transition]
//   - files, with the names of attributes and labels: [Predictor.Save], [Load]
//   - training by em.Fit: [Model.Likelihood]
//   - labels that are not known, but statistics of them are: [Data.Allow],
//     [Likelihood.LogPartition], with package moments
//   - labels of which something else is known: [Likelihood.Constrained]; counts in regions:
//     [Likelihood.Counted]
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
// All of them are path sums over trellis.Trellis with one block of exp w(y, y′) and a node for
// each position and label. Those of a MEMM, which come out as 1, have nodes divided by the sum
// of the ways to go on.
//
// # Training
//
// The gradient of the conditional log likelihood is what the labels of the data use less what
// all labelings are expected to use. It is concave, so that every method arrives at the same
// weights, if it is given the time. An attribute has weights for the labels that it was seen
// with, and 0 for the others; every pair of labels has one.
//
// Path sums neither overflow nor underflow, whatever the length: probabilities are held as
// semiring.ScaledFloat. ln P is accurate to about 1e-15 times the scores that it is a difference
// of.
//
// Sources: Lafferty, McCallum and Pereira 2001, "Conditional random fields"; McCallum, Freitag
// and Pereira 2000, "Maximum entropy Markov models for information extraction and segmentation";
// Sha and Pereira 2003, "Shallow parsing with conditional random fields".
package crf
