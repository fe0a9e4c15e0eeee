// Package genomes has the code that program phylo and its experiments share: alignments of
// genomes, read or drawn from a tree of mammals, with some cells hidden for models to predict.
package genomes
