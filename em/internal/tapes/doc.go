// Package tapes composes the lattices of examples that are known on the tapes of a tree.
//
// A lattice is made leaf by leaf. What is known of a leaf is composed with the machines of its
// edge, and the projection to the other end is an acceptor of what is then known there. The
// string of a tape that was observed cuts the tree there: the parts are independent. A soft
// string is a set of strings with weights, which does not cut.
package tapes
