// Package wordalign has the code that program align and its experiments share: texts with their
// translations, reference alignments for tuning a threshold and scoring links, and the ways to
// train.
package wordalign
