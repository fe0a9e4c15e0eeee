// Package cells sums over the derivations of strings without making a lattice for each.
//
// The idea: a cascade is compiled once, for all strings and every θ, to cells: numbers that are
// expressions over the parameters. An E step evaluates them at its θ, and summers sum
// over the derivations of strings with these values. They count the expected uses of cells. These
// counts are added up and backpropagated to the parameters once.
//
// The kind of cells depends on which strings of a pair are known. If one string is known, cells
// are the entries of a matrix for each label, and the derivations are the paths of a trellis. If
// both are known, cells are the arcs of one machine, and the derivations are the paths of a grid.
// If one is a soft string, cells are the arcs of an acceptor, which a frames.Graph reads.
package cells
