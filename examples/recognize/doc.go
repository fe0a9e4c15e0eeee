// Recognize reads lines of handwriting: it trains a network, and reads a hand that the network has
// not learnt with a language model and a channel that is trained without texts. Or it reads the
// output of any other network, for handwriting or for speech.
//
//	go run ./examples/recognize
//	go run ./examples/recognize -matrix line.png
//	go run ./examples/recognize -data line.csv.gz -symbols line.chars.txt -n 5
//	go run ./examples/recognize -data line.csv.gz -symbols line.chars.txt -align "the fake friend"
//
// # Handwriting
//
// Lines of English are drawn with letters of strokes. A hand moves the points of the letters from
// where they are taught, always in the same way, and slants and shakes. Each column of pixels is a
// frame. The network is a softmax of linear functions of 9 columns, with 27 symbols and a blank. Its
// weights begin at 0, and package em trains them by the gradient of the loss of package models/ctc
// (Graves et al. 2006), on lines in four hands.
//
// The lines of the test are in another hand, whose letters are stranger. They are read in three
// ways: by the best path of the network; by package models/ctc/decode with n-grams of symbols; and
// with these and a channel, which says which letters of this hand the network takes for others. The
// channel is trained by EM on further lines in the hand, whose texts are not known:
//
//	language ∘ channel ∘ topology⁻¹ ∘ emissions
//
// The network's output is a soft observation (cascade.Soft): letters that it finds less probable
// count as well. The sum goes over all texts and all alignments, without a lattice.
//
// What is read is drawn with -matrix: the image of a line above the probabilities of the symbols,
// and the symbols that were read where their frames are.
//
// The strokes are in letters.go, hands in draw.go, the network in network.go, the channel in
// channel.go, and what is done with them in handwriting.go.
//
// # Other networks
//
// With -data the matrix of another network is read, in CSV, JSON or NumPy's form (package
// models/ctc/matrix), and -symbols names its columns. The best texts are printed with their
// posteriors, and the best one with the frames of its symbols, or of its words with -lexicon. With
// -align the frames of a known text are found, and the loss −ln p(text).
//
// # Coming from pyctcdecode
//
//	pyctcdecode                                     here
//	build_ctcdecoder(labels, "words.arpa", words)   -symbols labels.txt -language words.arpa -lexicon words
//	alpha, beta                                     -scale, -bonus
//	decode_beams(logits, beam_width=100)            -data logits.npy -width 100 -n 10
//	the blank is the label ""                       -blank N
//
// Scores of texts are there of the best alignment that merges; here they are sums over all
// alignments that the search keeps, and the program says how much it may have dropped.
//
// Measurements are in PERFORMANCE.md.
package main
