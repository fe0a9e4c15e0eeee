// Package cells sums over the derivations of strings without a lattice for each.
//
// The idea: a cascade is compiled once, for all strings and every θ, to cells: numbers that are
// expressions over the parameters. An E step gives them their values at its θ, and summers sum
// over the derivations of strings by them. What they count are expected uses of cells. These
// are added up, and go to the parameters once.
//
// What cells are depends on what is known of a pair of strings. If one string is known, they
// are those of a matrix for each label, and the derivations are the paths of a trellis. If both
// are, they are the arcs of one machine, and the derivations are the paths of a grid. If one is a
// soft string, they are the arcs of an acceptor, which a frames.Graph reads.
package cells
