// Package crf labels sequences by conditional models: chain conditional random
// fields, maximum-entropy Markov models, and logistic regression of each position.
//
// The idea: the three differ in what is normalized, and in nothing else. A position
// t of a sequence x has attributes, named by a function that may look at all of x.
// A weight for each pair of an attribute and a label, and one for each pair of
// neighbouring labels, give a labeling y the score
//
//	s(y) = Σ_t Σ_a value(a, t)·w(a, y_t) + Σ_t w(y_{t−1}, y_t)
//
// and P(y | x) is, by Kind,
//
//	Chain  exp s(y) / Σ_{y′} exp s(y′)
//	Node   the same without w(y_{t−1}, y_t): a product over the positions
//	MEMM   ∏_t exp s(y_t | y_{t−1}) / Σ_{y′} exp s(y′ | y_{t−1}), each factor with the
//	       terms of position t
//
// All of them are path sums over trellis.Trellis with one block of exp w(y, y′) and a
// node for each position and label. Those of a MEMM, which come out as 1, have nodes
// divided by the sum of the ways to go on. A Node's are as long as one position; so
// are those from which a MEMM learns, since the label before is known.
//
// # Use
//
// Collect labeled sequences in Data, make a Model for them by New, and Fit it:
//
//	model, err := crf.New(crf.Chain, data, em.LogLinearOptions{Sigma: 2})
//	result, err := model.Fit(ctx, data, nil)
//	predictor, err := model.Predictor()
//	labels, err := predictor.Best(n, features)
//
// A Predictor is the model at the weights found, without those that are 0:
//
//	Best        the most probable labels     Save, Load    with the names of attributes and labels
//	LogProb     ln P(labels)                 Weight        of an attribute and a label
//	Posteriors  of labels at each position   Transition    of neighbouring labels
//	Trellis     all labelings, to ask more
//
// Model.Likelihood is the conditional log likelihood as em.Fit sees it, for those who want
// to train otherwise. Its gradient is what the labels of the data use less what all
// labelings are expected to use. It is concave, so that every method arrives at the
// same weights, if it is given the time. An attribute has weights for the labels that it
// was seen with, and 0 for the others; every pair of labels has one.
//
// Where labels are not known, but statistics of them are, Data.Allow says which pairs
// have weights and LogPartition is what moments.Fit needs of the model.
//
// # Accuracy
//
// Path sums neither overflow nor underflow, whatever the length: probabilities are
// held as semiring.ScaledFloat. ln P is accurate to about 1e-15 times the scores that
// it is a difference of.
//
// Sources: Lafferty, McCallum and Pereira 2001, "Conditional random fields";
// McCallum, Freitag and Pereira 2000, "Maximum entropy Markov models for information
// extraction and segmentation"; Sha and Pereira 2003, "Shallow parsing with
// conditional random fields".
package crf
