// Package ctc relates the frames of a network to the labels that they spell: connectionist
// temporal classification, its topologies, losses with gradients, and alignment.
//
// A network that reads speech or handwriting outputs scores of all symbols in each frame, with
// many frames per symbol. A topology is a machine that reads a symbol in each frame and writes
// labels. Composed with a text it is a graph that reads frames, and the sum over its paths is the
// probability of the text. The derivatives of the sum train the network, and its best path is an
// alignment of text and frames.
//
//	topology := ctc.Standard(3, 2) // columns for a, b and the blank
//	loss, err := ctc.NewLoss(topology, nil)
//	...
//	e, err := frames.Scores(5, 3, scores, nil)
//	...
//	gradient := make([]float64, len(scores))
//	nats, err := loss.Eval(ctc.Example{Emissions: e, Labels: ab}, gradient)
//	...
//	aligner, err := ctc.NewAligner(topology)
//	...
//	alignment, err := aligner.Align(e, ab)
//
// Which function:
//
//   - topologies: [Standard], [Compact], [Minimal], [HMM]; your own machine: [Topology]
//   - the loss of one example and its gradient: [NewLoss], [Loss.Eval]; of many: [Loss.Batch]
//   - several texts for an example, with weights: Example.Lattice
//   - lattice-free MMI, label smoothing: [Options]
//   - derivatives by the weights of the machines: [Gradients]
//   - train a network by em.Fit: [Loss.Likelihood], with a [Network]
//   - the frames of each label: [NewAligner], [Aligner.Align]; of a long recording:
//     [Aligner.Best]; of words: [Words]
//   - the probability that a label begins, lasts or ends in a frame: [Aligner.Posteriors]
//   - the text of frames, if it is not known: package decode below this one
//
// # Columns and labels
//
// Columns are numbers from 0. In machines column v has the label v+1, because label 0 is ε;
// fst.Relabel changes labels. The constructors also write v+1 for column v, except [HMM]. Any
// column may be the blank.
//
// # Which topology
//
//	          arcs         frames of a label     equal labels in a row
//	Standard  symbols²     one or more           with a blank between
//	Compact   4·labels     one or more           also without, ambiguously
//	Minimal   symbols      exactly one           freely
//	HMM       2·labels·(states+1), at least one for each state, also without a blank
//
// The size matters if a topology is composed with a denominator or a language model. The graph of
// a text has two or three states for each label in any case.
//
// # Accuracy and cost
//
// Sums neither underflow nor overflow, even for a text that is impossible according to the
// network: for wrong texts of 100 labels in 500 frames the loss agrees with a recursion in
// logarithms to a relative accuracy of 1e-12. A text that no path reads is an error, or is
// skipped with a reason in the result: see [ErrTooShort].
//
// The result of a batch is bit-identical for any number of workers. PERFORMANCE.md in the parent
// folder contains measured times.
//
// Sources: Graves, Fernández, Gomez and Schmidhuber 2006, "Connectionist temporal classification";
// Povey et al. 2016, "Purely sequence-trained neural networks for ASR based on lattice-free MMI";
// Laptev, Majumdar and Ginsburg 2022, "CTC variations through new WFST topologies".
package ctc
