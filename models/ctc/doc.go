// Package ctc relates the frames of a recognizer to the labels that they spell: topologies,
// losses with their gradients, and alignment.
package ctc
