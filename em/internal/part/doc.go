// Package part chooses parts of lattices that are too large to sum over, and bounds the
// remainder.
//
// The idea: a part consists of the paths within a beam, or of the best derivations. A derivation
// outside the part leaves it at some node, and the bound of its continuation is the sum of all
// continuations from there. For a whole lattice this sum is known. For a searched lattice it is
// bounded by a Ceiling, a smaller lattice whose weights are at least as large.
package part
