// Symmetrize combines the word alignments of two directions, as written by other programs, and
// scores the result by reference alignments. Och and Ney 2003, section 5, compare
// symmetrizations in this way.
//
//	go run ./internal/experiments/symmetrize -links fwd -reverse rev -combine union -o links
//	go run ./internal/experiments/symmetrize -links fwd -reverse rev -test-gold gold
//	go run ./internal/experiments/symmetrize -links fwd -invert
//
// It is the counterpart of atools for fast_align. Lines are links such as 0-0 1-2, E first and
// positions from 0 in both files, or links with posteriors, 0-0:.9 1-2:.3, to which -threshold
// applies. The symmetrizations are the functions of package models/align that examples/align
// uses for -combine, on posteriors.
package main
