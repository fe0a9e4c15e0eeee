// Package part chooses parts of lattices that are too large to sum over, and bounds what is
// left out.
//
// The idea: a part is what a beam leaves of a lattice, or its best derivations. A derivation
// that is not in the part leaves it somewhere, and what goes on from there is at most what
// lies ahead. A lattice that is there as a whole knows what lies ahead. One that is searched
// has bounds of it by a Ceiling, a smaller lattice that weighs no less anywhere.
package part
