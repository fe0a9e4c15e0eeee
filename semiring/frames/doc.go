// Package frames sums over the readings of soft strings, such as the outputs of a neural
// network that recognizes speech or handwriting.
//
// The idea: a recognizer weighs every symbol in every frame. These [Emissions] are an uncertain
// string. An acceptor of symbols, a [Graph], reads it: the weight of a path multiplies the
// weights of its arcs and the emissions of the symbols that it reads, one in each frame. The
// product of both has frames × arcs arcs, which are not stored. Sums go from frame to frame over
// numbers per state.
//
//	e, err := frames.Probabilities(2, 2, []float64{.4, .6, .4, .6}, nil)
//	…
//	g, err := frames.New(3, 2, []frames.Arc{
//		{From: 0, To: 0, Symbol: blank}, {From: 0, To: 1, Symbol: a}, {From: 1, To: 1, Symbol: a},
//		{From: 1, To: 2, Symbol: blank}, {From: 2, To: 2, Symbol: blank}})
//	…
//	if err := g.SetWeights(frames.Weights{Initial: scaled(1, 0, 0),
//		Arc: scaled(1, 1, 1, 1, 1), Final: scaled(0, 1, 1)}); err != nil {
//		…
//	}
//	total, err := g.Counts(e, 1, frames.Parts{}, gamma, new(frames.Scratch))
//
// Which function for which question:
//
//   - emissions of probabilities, their logarithms, or scores before a softmax: [Probabilities],
//     [LogProbabilities], [Scores]; sharper or flatter ones, or likelihoods: [Options]
//   - the sum over all paths, such as the likelihood of a transcript: [Graph.PathSum]
//   - γ, the probability of each symbol in each frame, and expected uses of arcs: [Graph.Counts]
//   - derivatives of these uses by the weights of the graph: [Graph.HessianVector]
//   - the gradient for the network that computed the emissions: [Emissions.Gradient] of γ
//   - the best path, such as a forced alignment: [Graph.BestPath]; random paths: [Graph.Sample]
//   - all other queries, such as the k best paths: [Graph.Product], with package graph
//   - a machine whose states are made on demand, or frames that arrive in pieces: [NewBeam]; the
//     paths that it keeps: [Beam.Lattice]
//
// # Losses
//
// The loss of a network is −ln Z. Its gradient is Emissions.Gradient with weight −1. For a
// discriminative loss, such as lattice-free MMI, use two graphs with weights −1 and +1. For
// transducers see package fst/soft.
//
// # Accuracy, speed and memory
//
// Sums are float64 numbers, with an exponent per state that many frames share. Each row of
// numbers is checked. If float64 numbers cannot represent a row, it is computed again by
// semiring.ScaledFloat, with new exponents. So results are exact to rounding even for emissions
// of e⁻¹⁰⁰⁰ besides 1, for a wrong transcript and for a million frames. For a million frames Z
// has a relative error of about 1e-14, and γ of a frame sums to 1 within 1e-13.
//
// A sum takes O(frames × arcs). Symbols that no arc reads only cost time when emissions are made.
// States that are unreachable at the given distance from the first or the last frame are skipped.
// Arcs that lead from many states equally far ahead, as in the chain of a transcript, are the
// fastest: about as fast as a loop written for this chain. If relevant readings have weights of
// e⁻¹⁴⁰ or less relative to the greatest of a frame, sums take more than ten times as long. ε
// arcs are summed within a frame. Cycles of ε arcs are replaced by their closure. PERFORMANCE.md
// of package semiring contains figures.
//
// Emissions take 16 to 24 bytes for each frame and symbol. Memory of a sum is proportional to
// frames × states. If this is more than 2²⁰, only every √frames-th row is kept and the others are
// recomputed: a million frames of 200 states take 5 megabytes.
//
// Source: Rabiner 1989, "A tutorial on hidden Markov models"; Graves, Fernández, Gomez and
// Schmidhuber 2006, "Connectionist temporal classification", §4; Povey et al. 2016, "Purely
// sequence-trained neural networks for ASR based on lattice-free MMI". Keeping only some rows:
// Grice, Hughey and Speck 1997, "Reduced space sequence alignment".
package frames
