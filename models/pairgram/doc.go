// Package pairgram transduces strings by n-gram models of chunks: how words are
// pronounced, names transcribed, forms inflected.
//
// The idea: a pair of strings (x, y) is a sequence of chunks, each a few symbols of x
// with a few of y. Nobody says where to cut: an Aligner learns by EM how probable each chunk
// is. The posteriors of all cuts give every n-gram of chunks an expected count, and a Model
// is the n-gram model of these counts, a joint model p(x, y) of both strings.
//
//	a, err := pairgram.NewAligner(pairs, nil)
//	_, err = a.Fit(ctx, pairs, nil)
//	counts, err := a.Count(ctx, pairs, nil)
//	m, err := counts.Model(nil)
//	p, err := m.Predictor(nil)
//	best, err := p.Best(ctx, x, 10)
//
// Symbols are labels 1, 2, …, as in package fst, whose Symbols gives them names.
//
// # Which function
//
//	all steps of training in one call                Recipe
//	which chunks there are, how probable they are    NewAligner, Aligner.Fit, Aligner.Chunks
//	a model of sequences of chunks                   Aligner.Count, Counts.Model
//	the most probable targets of a source            Predictor.Best
//	ln p(x, y), exactly                              Predictor.LogProb
//	all sequences of chunks that the search kept     Predictor.Lattice
//	a better p(y | x), at a cost                     FitConditional
//	words written by several habits                  Aligner.Classes, and nbest.NewMixture
//	files                                            Save, Load, LoadConditional
//	for other tools, and from them                   Machine, ClusterMachine; WriteARPA, ReadARPA
//
// # Machines
//
// With C the machine of the chunks, N the machine of the n-gram model, and H the machine
// that remembers the last n−1 chunks,
//
//	alignment   x ∘ C ∘ y           the rectangle of positions, a lattice for em
//	counting    (x ∘ C ∘ y) ∘ H     pruned first by posterior; each arc an uncertain n-gram
//	decoding    x ∘ C ∘ N           lazily, by graph.Beam; then graph.BestSequences, so that
//	                                ways to cut the same target add up
//	scoring     (x ∘ C ∘ y) ∘ N     exactly: LogProb
//
// H and N are deterministic: composing with them splits states and does no more. The
// n-grams are smoothed by Kneser-Ney's method for expected counts (package ngram).
//
// # Choices
//
// Chunks of one symbol with one or none (Singletons, the default) do best on most data:
// EM likes long chunks too well, since fewer of them have fewer factors. Chunks of 1:2
// and 2:1 come close, with a LengthPrior of 1. Orders of 6 to 8 are enough. A
// DiscountScale of 1.2 or so helps where data are few or noisy; choose it on held-out
// pairs. Models of different chunks, or that read from different ends, err in different
// places: their product (package nbest) errs less.
//
// # Classes
//
// A dictionary may be written by several hands, each with habits that it keeps through a word.
// Classes finds them as the hidden classes of a mixture. A Model of each, trained on pairs by
// their posterior probability of the class, and the mixture of the models keep to one habit
// where n-grams forget. It helps much where there are habits, and harms a little where there
// are none: choose the number of classes on held-out pairs.
//
// # Conditional training
//
// A Model is trained for p(x, y), and what is asked for is p(y | x). FitConditional learns
// that on the lattices of predictors that have not seen the source. Its result, a
// Conditional, is a log-linear model whose features look at the symbols of x around a chunk,
// which n-grams of chunks do not see.
//
// What training and decoding cost is in models/PERFORMANCE.md.
//
// # Sources
//
// Bisani and Ney 2008, "Joint-sequence models for grapheme-to-phoneme conversion"; Novak,
// Minematsu and Hirose 2016, "Phonetisaurus"; Zhang and Chiang 2014, "Kneser-Ney
// smoothing on expected counts".
package pairgram
