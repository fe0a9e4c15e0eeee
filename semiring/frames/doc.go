// Package frames sums over the readings of soft strings, such as the outputs of a neural
// network that recognizes speech or handwriting.
//
// A recognizer weighs every symbol in every frame. These emissions are a string that is not
// certain. An acceptor of symbols, a Graph, reads it: the weight of a path multiplies the
// weights of its arcs and the emissions of the symbols that it reads, one in each frame.
// The product of both has frames × arcs arcs, and none of them is stored.
package frames
