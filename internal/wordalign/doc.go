// Package wordalign has what program align and its experiments share: texts with their
// translations, reference alignments by which a threshold is tuned and links are scored, and the
// ways to train.
package wordalign
