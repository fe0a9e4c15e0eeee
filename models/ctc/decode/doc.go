// Package decode finds the texts of a recognizer's frames: it reads the outputs of a network for
// speech or handwriting with a lexicon and a language model.
//
// The weight of a text is a sum: over all of its alignments, the product of the emissions read
// and of the probabilities that a language model, a speller of unknown words and the caller's own
// acceptor give to it. The search follows many texts at a time, frame by frame, and merges
// alignments of the same text.
//
//	d, err := decode.New(decode.Options{
//		Topology:   ctc.Standard(28, 27), // columns: a, …, z, a space, the blank
//		Symbols:    letters,
//		Separators: []int32{27}, // the label of the space
//		Lexicon:    words,
//		Language:   bigram,
//		Beam:       frames.BeamOptions{Width: 300, Margin: 12},
//	})
//	…
//	texts, report, err := d.Decode(ctx, emissions, 10)
//	best := texts[0]
//
// Which function for which question:
//
//   - the best n texts, summed over their alignments: [Predictor.Decode]. Each [Text] has its
//     weight and posterior, and the frames and the confidence of its labels and words
//   - frames that arrive in pieces: [Predictor.Online], [Stream.Push]; the text so far:
//     [Stream.Best]; its final part: [Stream.Final]; the end: [Stream.Close]
//   - the single best alignment: [Predictor.BestPath]
//   - the text with the fewest expected errors: [MinimumRisk]
//   - optimality of the result, and the weight that was dropped: [Report]
//   - words that are not in the lexicon: Options.Letters; expected words: [HotWord]; other
//     preferences: Options.Machine
//   - the frames of a known text: package ctc aligns it
//
// # Exact or within a beam
//
// Without limits in Options.Beam, Decode is exact: it finds the texts with the greatest sums and
// their posteriors among all texts. Memory is frames × states of the models, and the time depends
// on the number of texts that are nearly as good as the best. It is for short inputs and small
// models. Without a lexicon it is faster than a width of 100; a line of 100 frames and 80 columns
// takes a second.
//
// Within limits it is a prefix beam search (Graves 2012, §7.5; Hannun et al. 2014). A width of
// 100 to 1000 states is usual, and a margin of 8 to 12 nats. Report.Lost bounds the weight of all
// dropped texts. If they cannot change the list, Report.Exact is true. For long inputs the bound
// is loose.
//
// # Lexicon and language model
//
// The lexicon is a prefix tree; the language model scores a word when its last label is read.
// Before that, the search uses the most probable word below the node of the tree, without
// context, as an estimate. The tree, the topology and the n-gram model are composed on demand by
// a specialized product, which takes a few table look-ups per arc. ../../PERFORMANCE.md contains
// measured times.
//
// # Sources
//
// Graves, Supervised sequence labelling with recurrent neural networks (2012). Hannun, Maas,
// Jurafsky and Ng, First-pass large vocabulary continuous speech recognition using
// bi-directional recurrent DNNs (2014). Ortmanns and Ney, Look-ahead techniques for fast beam
// search (2000).
package decode
