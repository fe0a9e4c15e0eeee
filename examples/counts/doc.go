// Counts learns to tag words from counts of tags in regions: for a few consecutive words it is
// known how many are nouns, but not which.
//
//	go run ./examples/counts
//	go run ./examples/counts -data train.txt.gz -test test.txt.gz -regions 1,10,20 -passes 3
//
// For each size of the regions it simulates an annotator, who counts the tags of one region of
// each sentence, or with -counted some tags only. It compares these estimates of package
// moments/counts:
//
//   - least squares, in one step
//   - least squares with the estimates constrained to be distributions
//   - a conditional model of features of words and their neighbours (the features of
//     examples/tagging), fitted to the statistics that the constrained estimates give them
//   - the same model by maximum likelihood of the counts, from weights of 0 and from the fitted
//     weights, by beam search over the taggings
//   - a distribution for each word by EM, pass by pass, from uniform ones and from the constrained
//     estimates: by beam search, and over all taggings in regions of at most -exact words
//
// moments and likelihood in trial.go compute the estimates, and fit in features.go trains the
// model of features.
//
// Without -data it simulates words and tags: the frequencies of words are Zipf's, and a word
// has one tag most of the time. A word that occurs in no region gets the tag with the largest
// count, except by the model of features. -plot draws the test accuracy by pass of EM.
//
// # What to expect
//
// Moment estimates take one step; the larger the regions are, the more passes EM needs.
// Constraints gain some points over least squares, EM that starts there improves for a few
// passes, and features gain most, because they also describe words that occur in no region. The
// likelihood of features is the most accurate and the slowest method if spelling and neighbours
// are informative. PERFORMANCE.md has the table for a sample of the Penn treebank.
// internal/experiments/countsgeometry illustrates moment estimates.
//
// No other program that learns from such counts is known, so there is no section on coming from
// one.
//
// There is no -save and no -apply: learning from simulated counts serves to compare methods,
// and each region size has its own models. A tagger for new text is examples/tagging; to learn
// from your own counts, call package moments/counts and save the crf.Predictor.
package main
