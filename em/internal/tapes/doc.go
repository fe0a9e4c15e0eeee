// Package tapes composes the lattices of examples whose strings are on the tapes of a tree.
//
// A lattice is composed leaf by leaf. The acceptor of a leaf is composed with the machines of its
// edge, and the projection to the other end is an acceptor of the other tape. An observed string
// cuts the tree at its tape: the parts are independent. A soft
// string is a set of strings with weights, which does not cut.
package tapes
