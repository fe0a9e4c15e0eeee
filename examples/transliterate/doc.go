// Transliterate learns how European words are written in katakana, and reads
// katakana back, from pairs of words alone.
//
// The model is a noisy channel, a cascade of three machines:
//
//	letter n-gram ∘ channel ∘ table
//
// The first knows which sequences of letters are likely. The second turns each
// letter, whatever its neighbours, into no, one or two letters of romaji, and may
// insert some; its probabilities are trained. The third is a fixed table that
// spells katakana in romaji. Nobody says which letters of a pair belong to which
// katakana, or what the romaji between them are: expectation maximization sums
// over all the possibilities (packages em and models/channel).
//
//	go run ./examples/transliterate
//
// Without -data it learns from embedded pairs, of which every eighth is held out
// for the test. It prints the log likelihood of each iteration, some examples, and what the
// letters became. It also prints how many test pairs are right before and after training,
// and with a channel that copies letters (of the first 200). -plot draws the learning
// curve, -heatmap the channel.
//
// Candidates are the katakana of the greatest probability, summed over all romaji and
// alignments between (models/nbest). Letters are found from katakana in two steps: the best
// under a bigram model of letters, then the best of these under the n-gram model that
// predicts held-out words best.
//
// The table does not accept every sequence of romaji, and the probability of those
// that it rejects is lost. So Σ ln P(katakana | letters), the objective, is of a
// model whose probabilities sum to less than 1; the order of the candidates is
// that of the model on condition that the table accepts.
//
// A trained model can be saved, and used later on words, one a line, each of which gets a
// line of output:
//
//	go run ./examples/transliterate -save model.json -apply words.txt
//	go run ./examples/transliterate -load model.json -apply - -direction backward
//
// # Person names
//
// Of 63,246 names with their katakana (Merhav and Ash, "Design challenges in named entity
// transliteration", 2018), after 20 iterations, % of the 19,763 test pairs whose first
// candidate, or one of ten, is right:
//
//	go run ./examples/transliterate -data train.tsv.gz -test test.tsv.gz
//
//	                               to katakana          to letters
//	                               top 1    top 10      top 1    top 10
//	this cascade                   24.4     46.4        15.9     41.3
//	pair 8-grams, Phonetisaurus    42.6     78.6        21.2     43.1
//
// Training and both tests take 314 s of processor time and 670 MB. To katakana 37.4 % of
// the characters are wrong, to letters 29.2 %. A channel that looks at one letter alone
// cannot say how a vowel sounds, or that a consonant is silent, and to katakana nothing
// makes good for it; to letters the n-gram of letters does for most of it. The pair n-gram
// models of examples/g2p know the neighbours on both sides.
package main
