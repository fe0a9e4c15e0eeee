// Counts learns to tag words from counts of tags in regions: of a few words in a row it
// is known how many are nouns, and not which.
//
// For each size of the regions it simulates an annotator, who counts the tags of one
// region of each sentence, and compares what package moments/counts makes of that: least
// squares, in one step; least squares under the constraint that the estimates be
// distributions; a conditional model of the spelling of words that is fitted to the
// latter; and maximum likelihood by EM, from uniform distributions and from the second
// estimate, pass by pass. EM sums over all taggings that have the counts for regions of
// at most -exact words, and over those of a beam for larger ones.
//
//	go run ./examples/counts
//	go run ./examples/counts -data train.txt.gz -test test.txt.gz -sizes 1,10,20 -iterations 3
//
// Without -data it makes up words and tags: the frequencies of words are Zipf's, and a
// word has one tag most of the time. A word that no region had is given the tag that was
// counted most.
package main
