// Spelling learns from misspelt words what becomes of letters, and corrects words through
// a lexicon.
//
// A word is corrected in two steps. A beam through the lazy composition lexicon ∘ channel ∘
// misspelt word finds candidates. A product of four models ranks them:
//
//	how often the word is used
//	the channel: a mixture, for each word, of what writers and what fingers do
//	n-grams of chunks of the misspelt word with those of the word (models/pairgram)
//	n-grams of the characters of words, against which the pairs are held
//
// Who does not know how a word is written writes what is heard. With -sounds, a dictionary of
// pronunciations adds three more:
//
//	what writers write for the sounds of a word: pair n-grams, in a mixture with slips
//	whether the misspelt word reads as the word sounds, by the words of the dictionary
//	whether the dictionary has the word
//
// A word that is not there sounds as its letters most probably do in words that are.
//
// What writers do is a channel in context, in which the fate of a letter depends on its
// neighbours, and letters change places (models/edit). What fingers do is a channel of a few
// features, such as how far apart two keys are: it knows no letter by itself. Nobody says which
// letter of a pair became which: expectation maximization sums over all the possibilities. How
// much of each channel there is, and the exponents of the product, are learnt from pairs that the
// models have not seen, and from one random slip in each of their words: handwriting shows
// mistakes, and who types makes slips as well. The exponents are those that make the right
// words most probable among the candidates (models/nbest).
//
// The steps that train the models are fit in train.go. Package internal/speller has what they make:
// the search and the product, how words sound, and the file of -save.
//
//	go run ./examples/spelling
//
// Without -data it learns from embedded pairs. Without -test every fifth correct word is held
// out, but for -apply, where there is no test. Without -dev every tenth of the others is held out,
// and without -lexicon the embedded words are suggested. Words need no counts. Case does not
// matter, nor do blanks around a word. It prints how often the right word comes first and among
// the first ten, beside a ranking by Levenshtein distance, equally near words in random order. A
// test pair of two different words says that the second is wrong: the second is not suggested,
// even if the lexicon has it. A pair of a word of the lexicon with itself is right.
//
// The channels by themselves, and random slips of fingers to test with, are the experiments
// internal/experiments/spellingparts and spellingslips.
//
// # In a pipeline, and coming from aspell
//
// A trained speller is saved with its lexicon. It answers lines, one word each: the word, and
// its corrections with their probabilities among the candidates, all with tabs between. A word
// of the lexicon is its own correction: -apply cannot know that it was written for another, as a
// test does, which prints how many such words it has. A line that is no word, has a character
// that the models do not know, or is more than twice as long as any word is reported, and its
// answer has nothing behind the word.
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
// Aspell answers faster and in less memory. It is right less often where people do not know
// how a word is written, and more often first where a finger slips in a short word:
// PERFORMANCE.md.
package main
