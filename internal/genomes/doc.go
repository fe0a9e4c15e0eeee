// Package genomes has what program phylo and its experiments share: alignments of genomes, read or
// drawn from a tree of mammals, with some cells hidden, which models are to predict.
package genomes
