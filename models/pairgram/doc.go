// Package pairgram transduces strings by n-gram models of chunks, for instance to pronounce words,
// transcribe names or inflect forms.
//
// A pair of strings (x, y) is a sequence of chunks, each a few symbols of x with a few of y. The
// division into chunks is hidden: an Aligner estimates the probability of each chunk by EM. The
// posteriors of all divisions determine the expected count of every n-gram of chunks, and a Model
// is the n-gram model of these counts.
//
//	aligner, err := pairgram.NewAligner(pairs, nil)
//	result, err := aligner.Fit(ctx, pairs, nil)
//	counts, err := aligner.Count(ctx, pairs, &pairgram.CountOptions{Order: 3})
//	model, err := counts.Model(nil)
//	predictor, err := model.Predictor(nil)
//	best, err := predictor.Best(ctx, []rune(word), 1)
//	fmt.Println(word, best[0].Text())
//
// Which function:
//
//   - a pair of two texts: [Texts]; all steps of training in one call: [Recipe]; all but the first:
//     [Recipe.FitAligned]
//   - the chunks and their probabilities: [NewAligner], [Aligner.Fit], [Aligner.Chunks]
//   - transducers from one side to chunks, for cascades and for two directions that agree:
//     [Chunks.Sources], [Chunks.Targets]
//   - the alignment of a pair: [Aligner.Best], [Aligner.Posteriors]; in text: [Chunk.Text],
//     [Aligner.WriteAligned]
//   - a model of sequences of chunks: [Aligner.Count], [Counts.Model]
//   - the most probable targets of a source: [Predictor.Best]; ln p(x, y): [Predictor.LogProb], of
//     several targets: [Predictor.LogProbs]
//   - all sequences of chunks that the search kept: [Predictor.Lattice]
//   - a better p(y | x), at a cost: [FitConditional]
//   - words written by several hands: [Aligner.Classes], [Classes.Split], and nbest.NewMixture of
//     their models
//   - files: [Model.Save], [Load], [Conditional.Save], [LoadConditional]
//   - other tools: [Machine], [ClusterMachine], [Model.WriteARPA], [ReadARPA]
//
// Symbols are labels 1, 2, …, as in package fst, whose Symbols are their names. The symbols of
// texts are code points, with the names of fst.RuneSymbols; a table is required only for files.
//
// # Machines
//
// Let C be the machine of the chunks, N the machine of the n-gram model, and H the machine whose
// states are the last n−1 chunks:
//
//	alignment   x ∘ C ∘ y           the rectangle of positions, a lattice for em
//	counting    (x ∘ C ∘ y) ∘ H     pruned first by posterior; each arc an uncertain n-gram
//	decoding    x ∘ C ∘ N           lazily, by graph.Beam; then graph.BestSequences, so that
//	                                ways to cut the same target add up
//	scoring     (x ∘ C ∘ y) ∘ N     exactly: LogProb
//
// H and N are deterministic: composition with them only splits states. The n-grams are smoothed by
// Kneser-Ney's method for expected counts (package ngram).
//
// # Choices
//
// Chunks of one symbol with one or zero symbols (Singletons, the default) are best on most data: EM
// prefers long chunks too much, since a sequence of fewer chunks has fewer factors. Chunks of 1:2
// and 2:1 come close, with a LengthPrior of 1. Orders of 6 to 8 are sufficient. A DiscountScale of
// about 1.2 helps if data are few or noisy; choose it on held-out pairs. Models with different
// chunks or reading directions make different errors: their product (package nbest) is more
// accurate.
//
// The cost of training and decoding is in models/PERFORMANCE.md.
//
// Sources: Bisani and Ney 2008, "Joint-sequence models for grapheme-to-phoneme conversion"; Novak,
// Minematsu and Hirose 2016, "Phonetisaurus"; Zhang and Chiang 2014, "Kneser-Ney smoothing on
// expected counts".
package pairgram
