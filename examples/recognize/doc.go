// Recognize reads lines of handwriting, or the output of any network for a line or a recording.
//
//	go run ./examples/recognize
//	go run ./examples/recognize -matrix line.png
//	go run ./examples/recognize -data line.csv.gz -symbols line.chars.txt -n 5
//	go run ./examples/recognize -data line.csv.gz -symbols line.chars.txt -align "the fake"
//
// # Handwriting
//
// The program draws lines of English with letters that are made of strokes. A hand moves the
// points of each letter, always in the same way, and it slants and trembles. Each column of pixels
// is a frame. The network is a softmax of linear functions of 9 columns, over 27 symbols and a
// blank. Its weights begin at 0, and package em trains them by the gradient of the loss of package
// models/ctc (Graves et al. 2006), on lines in six hands.
//
// The lines of the test are in another hand, which also writes n like u, a like o, r like v, and g
// like q. They are read in three ways: by the best path of the network; by package
// models/ctc/decode with n-grams of symbols; and with these and a channel, the probability that the
// network takes a letter of this hand for another one. EM trains the channel on further lines in
// the hand, without their texts. The model of these lines is
//
//	language ∘ channel ∘ topology⁻¹ ∘ emissions
//
// where the emissions are a soft observation (cascade.Soft): the letters that the network finds
// less probable count as well. The sums are over all texts and alignments, and need no lattice.
//
// With -train-language the bigrams of the language are parameters, too, whose prior comes from the
// known texts. A fourth reading multiplies the n-grams by a power of the ratios of the trained and
// the known bigrams. It does not make fewer errors; PERFORMANCE.md has the figures.
//
// The flag -matrix draws the image of a line above the probabilities of the symbols. The symbols
// that were read stand below their frames.
//
// The strokes are in letters.go, hands in draw.go, the network in network.go, the channel in
// channel.go, the trained language in bigrams.go, and the experiment in handwriting.go.
//
// # Other networks
//
// The flag -data reads the matrix of another network, in CSV, JSON or the form of NumPy (package
// models/ctc/matrix), and -symbols names its columns. The program prints the best texts with their
// posteriors, and the frames of the symbols of the best one, or of its words with -lexicon. With
// -align it prints the frames of a known text, and its loss −ln p(text).
//
// # Coming from pyctcdecode
//
//	pyctcdecode                                   here
//	build_ctcdecoder(labels, "words.arpa", words) -symbols labels.txt -language words.arpa
//	                                              -lexicon words
//	alpha, beta                                   -scale, -bonus
//	decode_beams(logits, beam_width=100)          -data logits.npy -width 100 -n 10
//	the blank is the label ""                     -blank N
//
// The probability of a text is the sum over all alignments that the search keeps. The program
// prints a bound of the probability that the search has dropped.
//
// Measurements are in PERFORMANCE.md.
package main
