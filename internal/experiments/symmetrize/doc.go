// Symmetrize combines the word alignments of two directions, as other programs write them, and
// scores the result by reference alignments, as symmetrizations are compared by Och and Ney 2003,
// section 5.
//
//	go run ./internal/experiments/symmetrize -links fwd -reverse rev -combine union -o links
//	go run ./internal/experiments/symmetrize -links fwd -reverse rev -test-gold gold
//	go run ./internal/experiments/symmetrize -links fwd -invert
//
// It does what atools does for fast_align. Lines are links such as 0-0 1-2, E first and positions
// from 0 in both files, or with posteriors, 0-0:.9 1-2:.3, for -threshold to choose from.
// The symmetrizations are those of package models/align, which examples/align has as
// -combine, of posteriors.
package main
