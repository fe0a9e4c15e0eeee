// Package pairgram transduces strings by n-gram models of chunks: how words are
// pronounced, names transcribed, forms inflected.
//
// The idea: a pair of strings (x, y) is a sequence of chunks, each a few symbols of x
// with a few of y, either of which may be none. Nobody says where to cut. An Aligner, a
// machine of one state whose arcs are the chunks, learns by EM how probable each chunk
// is; the posteriors of all cuts give every n-gram of chunks an expected count; and an
// n-gram model of these counts, a Model, is the joint model p(x, y) of both strings. A
// Predictor finds for a source x the targets y that make it most probable.
//
//	pairs → NewAligner → Fit → Count → Counts.Model → Predictor → Best
//
// Symbols are labels 1, 2, …, as in package fst, whose Symbols gives them names.
//
// # Machines
//
// With C the machine of the chunks, N that of the n-gram model, and H that which
// remembers the last n−1 chunks,
//
//	alignment   x ∘ C ∘ y           the rectangle of positions, a lattice for em.NewGraphs
//	counting    (x ∘ C ∘ y) ∘ H     pruned first by posterior; each arc an uncertain n-gram
//	decoding    x ∘ C ∘ N           lazily, by graph.Beam; then graph.BestSequences, so that
//	                                ways to cut the same target add up
//	scoring     (x ∘ C ∘ y) ∘ N     exactly: LogProb
//
// H and N are deterministic, so that composing with them splits states and does no more.
// The n-grams are smoothed by Kneser-Ney's method for expected counts (package ngram).
//
// # Choices
//
// Chunks of one symbol with one or none (Singletons, the default) do best on most data:
// EM likes long chunks too well, since fewer of them have fewer factors. Chunks of 1:2
// and 2:1 come close, with a LengthPrior of 1. Orders of 6 to 8 are enough. A
// DiscountScale of 1.2 or so helps where data are few or noisy; choose it on held-out
// pairs. Models of both directions, or of different chunks, err in different places:
// their product (package nbest) errs less.
//
// # Conditional training
//
// A Model is trained for p(x, y), and what is asked for is p(y | x). FitConditional
// learns that, on the lattices of predictors that have not seen the source: a log-linear
// model, Conditional, whose features look at the symbols of x around a chunk, which
// n-grams of chunks do not see.
//
// # Cost
//
// Time and memory of the Aligner are those of the lattices, some 170 arcs for a word of
// eight letters and seven sounds, of a few nanoseconds for each iteration and 8 bytes.
// Of the dictionary that examples/g2p measures, 113,578 pairs, a model of order 8 takes 3
// seconds of processor time to align and 6 to count and smooth, 580 MB, and .7 ms to find
// the ten best targets of a word.
//
// # Sources
//
// Bisani and Ney 2008, "Joint-sequence models for grapheme-to-phoneme conversion"; Novak,
// Minematsu and Hirose 2016, "Phonetisaurus"; Zhang and Chiang 2014, "Kneser-Ney
// smoothing on expected counts".
package pairgram
