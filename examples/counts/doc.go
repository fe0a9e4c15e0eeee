// Counts learns to tag words from counts of tags in regions: of a few words in a row it
// is known how many are nouns, and not which.
//
// For each size of the regions it simulates an annotator, who counts the tags of one region of
// each sentence, or with -counted some tags only. It compares what package moments/counts makes
// of that:
//
//   - least squares, in one step
//   - least squares under the constraint that the estimates be distributions
//   - a conditional model of features of words and their neighbours (those of examples/tagging),
//     fitted to the statistics that the constrained estimates give them
//   - the same model by maximum likelihood of the counts, from weights of 0 and from there, by
//     beam search over the taggings
//   - a distribution for each word by EM, pass by pass, from uniform ones and from the constrained
//     estimates: by beam search, and over all taggings in regions of at most -exact words
//
// The estimates are moments and likelihood in trial.go, and the model of features is fit in
// features.go.
//
//	go run ./examples/counts
//	go run ./examples/counts -data train.txt.gz -test test.txt.gz -regions 1,10,20 -passes 3
//
// Without -data it makes up words and tags: the frequencies of words are Zipf's, and a
// word has one tag most of the time. A word that no region had is given the tag that was
// counted most, but by the model of features. -plot draws the test accuracy by pass of EM.
//
// # What to expect
//
// Estimates by moments are there at once, where EM needs the more passes the larger the regions
// are. Constraints gain some points over least squares, EM that starts there goes on for a
// little, and features gain most, because they say something of words that no region had. The
// likelihood of features is the most accurate and the slowest, where spelling and neighbours tell.
// PERFORMANCE.md has the table for a sample of the Penn treebank. What a moment estimate is,
// internal/experiments/countsgeometry draws.
//
// No other program is known that learns from such counts, so that nobody comes from one.
//
// There is no -save and no -apply: what is learnt here from counts that are drawn says how
// methods compare, and each region size has models of its own. A tagger for new text is
// examples/tagging; who has counts calls package moments/counts, and saves the crf.Predictor.
package main
