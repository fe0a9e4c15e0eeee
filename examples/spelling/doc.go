// Spelling learns from misspelt words what becomes of letters, and corrects words through
// a lexicon.
//
// The model is a noisy channel: the correct word is drawn from the lexicon by its
// frequency, raised to the power .55, and then edited letter by letter, with probabilities
// that depend on the letters before and after, and with transpositions. Nobody says which
// letter of a pair became which: expectation maximization sums over all the possibilities
// (package models/edit). A memoryless model, trained likewise, looks for words by a beam
// through the lazy composition lexicon ∘ channel ∘ misspelt word, and the model in context
// ranks what it finds.
//
//	go run ./examples/spelling
//
// Without -data it learns from embedded pairs, without -test every fifth correct word is
// held out, and without -lexicon the embedded words are suggested. Case does not matter,
// and the misspelt word itself is never suggested. It prints how often the right word
// comes first and among the first ten, beside a ranking by Levenshtein distance, equally
// near words in random order, and the memoryless model.
//
// With -correct it corrects words, one a line, and writes one line for each: the word
// itself if it is in the lexicon, otherwise suggestions, best first, separated by tabs. A
// line that is no word, has a character that no training pair or lexicon has, or is more
// than twice as long as any word is reported and gets an empty line.
//
//	go run ./examples/spelling -model spelling.model -correct - <words.txt
//
// # Results
//
// Misspellings from Roger Mitton's collections. The lexicon is Debian's wamerican without
// possessives, with the correct words of the data, 74,082 words, and their counts in the
// English side of the Canadian Hansards:
//
//	{ grep -v "'s$" /usr/share/dict/american-english
//	  zcat birkbeck.train.tsv.gz birkbeck.test.tsv.gz wikipedia.tsv.gz | cut -f1
//	} | sed 's/.*/\L&/' | sort -u >words
//	zcat train.e.gz | tr ' ' '\n' | sort | uniq -c |
//	  awk 'NR==FNR {c[$2]=$1; next} {print $0 "\t" c[$0]+0}' - words >lexicon.tsv
//
//	go run ./examples/spelling -data birkbeck.train.tsv.gz -lexicon lexicon.tsv \
//	  -model spelling.model -test birkbeck.test.tsv.gz
//	go run ./examples/spelling -data birkbeck.train.tsv.gz -lexicon lexicon.tsv \
//	  -model spelling.model -test wikipedia.tsv.gz
//
// Percentages of words corrected, at 1 and among 10. Trained on birkbeck.train alone;
// settings were chosen on birkbeck.dev.
//
//	                    birkbeck.test     wikipedia
//	aspell              34.2   57.4       80.2   93.8
//	hunspell            27.2   42.8       75.0   92.9
//	nearest by edits    27.2   52.0       64.9   89.0
//	memoryless          47.0   70.4       80.8   97.4
//	in context          49.8   72.6       84.2   97.2
//
// A word takes 4 to 5 ms of processor time, by the memoryless model alone 3 to 4, and the
// comparison with the nearest words 30 to 45: misspellings that are far from every word
// have many that are equally near.
package main
