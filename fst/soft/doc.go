// Package soft reads soft strings, such as the outputs of a recognizer, by any machine of package
// fst.
//
// The idea: a soft string weighs every symbol in every frame (package semiring/frames). It is an
// acceptor with an arc for each symbol in each frame, too many to write down. A [Reader] sums over
// its composition with a machine frame by frame, without making it. The machine may be a
// composition itself, of a topology, a lexicon and a language model. It is expanded once, for all
// soft strings.
//
//	e, err := frames.Probabilities(2, 2, []float64{.4, .6, .4, .6}, nil)
//	…
//	// A repeated a (label 1, column 0) is written once, a blank (label 2, column 1) not at all.
//	reader, err := soft.New(ctc, e.Symbols(), nil)
//	…
//	var s frames.Scratch // for one goroutine
//	best, err := reader.Best(e, &s)
//	…
//	fmt.Println(best.Out, best.Weight.Float64())
//
// Which function for which question:
//
//   - a machine that reads columns: [New]; label v+1 reads column v, and fst.Relabel makes it so
//   - the sum over all paths; γ and the uses of arcs: [Reader.PathSum], [Reader.Counts]
//   - the best path, with its labels and their frames, or several: [Reader.Best],
//     [Reader.BestPaths]; random ones: [Reader.Sample]
//   - a machine too large to be expanded, another ring or another operation: [Machine], the soft
//     string itself, with fst.Compose and the other operations of package fst
//
// Times and accuracy are as for package semiring/frames. BestPaths alone writes the product down.
package soft
