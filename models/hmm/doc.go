// Package hmm is about hidden Markov models: a chain of hidden states, each of which
// emits an observation.
//
// The idea: a sequence of T observations is a trellis of T layers with a node for
// every state. Its path sum is the sequence's probability, its posteriors are the
// expected counts that training needs, its best path is the most probable sequence
// of states: all of them questions to graph.Trellis, and training is em.Fit.
//
// P(observations, states) = λ(i₁)·b(o₁|i₁) · Π a(iₜ₋₁, iₜ)·b(oₜ|iₜ) · ρ(i_T), with
// initial probabilities λ, transitions a, emissions b, and, where the model ends by
// itself, probabilities ρ of ending.
//
// A Topology says how many states there are, which may follow which, and which share
// their distribution. An Emission says what states emit: Discrete symbols, Gaussian
// vectors, or something of one's own. States and observations may each be known or
// missing at every position (Sequence), so supervised, unsupervised and
// semi-supervised training are one thing.
//
// Source: Rabiner 1989; Baum, Petrie, Soules and Weiss 1970.
package hmm
