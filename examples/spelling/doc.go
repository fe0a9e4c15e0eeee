// Spelling learns a model of spelling mistakes from misspelt words, and corrects words with a
// lexicon.
//
//	go run ./examples/spelling
//
// Without -data it learns from embedded pairs. Without -test every fifth correct word is held
// out, except with -apply, which does not test. Without -dev every tenth of the others is held
// out, and without -lexicon the embedded words are suggested. Words need no counts. Case and
// blanks around a word are ignored. The program prints how often the right word comes first and
// among the first ten, and the same for a ranking by Levenshtein distance, with equally near
// words in random order. A test pair of two different words states that the second is wrong: it
// is not suggested, even if the lexicon has it. For a pair of a lexicon word with itself, the
// word is right.
//
// fit in train.go trains the models in steps. Package internal/speller has the results: the
// search and the product, the pronunciation of words, and the file of -save.
//
// # The model
//
// A word is corrected in two steps. A beam through the lazy composition lexicon ∘ channel ∘
// misspelt word finds candidates. A product of four models ranks them:
//
//	how often the word is used
//	the channel: a mixture, for each word, of what writers and what fingers do
//	n-grams of chunks of the misspelt word with those of the word (models/pairgram)
//	n-grams of the characters of words, against which the pairs are held
//
// Writers who do not know the spelling of a word write its sound. With -sounds, a dictionary of
// pronunciations adds three factors:
//
//	what writers write for the sounds of a word: pair n-grams, in a mixture with slips
//	whether the misspelt word reads as the word sounds, by the words of the dictionary
//	whether the dictionary has the word
//
// A word that is not in the dictionary gets its most probable pronunciation given the words
// that are.
//
// The channel of writers is a channel in context, in which the probabilities of a letter depend
// on its neighbours, and letters may be transposed (models/edit). The channel of fingers has a
// few features, such as the distance between two keys, and no parameters for single letters.
// Pairs are not aligned: expectation maximization sums over all alignments. The weights of the
// two channels and the exponents of the product are learnt from held-out pairs, and from one
// random slip in each of their words: handwriting shows mistakes, and people who type also make
// slips. The exponents maximize the probability of the right words among the candidates
// (models/nbest).
//
// The channels by themselves, and random slips of fingers to test with, are the experiments
// internal/experiments/spellingparts and spellingslips.
//
// # In a pipeline, and coming from aspell
//
// A trained speller is saved with its lexicon. It answers lines, one word each: the word, and
// its corrections with their probabilities among the candidates, separated by tabs. A word of
// the lexicon is its own correction: unlike a test, -apply cannot detect that another word was
// meant; the test prints the number of such words. A line is reported if it is not a word, has
// a character that the models do not have, or is more than twice as long as any word. Its
// answer has no corrections.
//
//	go run ./examples/spelling -data pairs.tsv -lexicon words.tsv -save speller
//	go run ./examples/spelling -data pairs.tsv -lexicon words.tsv -sounds cmudict.tsv -save speller
//	go run ./examples/spelling -load speller -apply - -n 5 <words.txt
//
//	aspell -d en_US -a <words.txt          the like by aspell, in its own format
//	hunspell -d en_US -a <words.txt        and by hunspell
//	aspell -d en_US dump master            a lexicon, to be used with -lexicon
//
//	aspell --lang=en create master ./ours.rws <words       a dictionary of our words, and
//	aspell -a --lang=en --master=./ours.rws <words.txt     corrections by that
//
// Aspell answers faster and in less memory. It is right less often if people do not know the
// spelling of a word, and more often first if a finger slips in a short word: see
// PERFORMANCE.md.
package main
