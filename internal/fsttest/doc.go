// Package fsttest makes random transducers for tests, the same ones for the same
// seed, over rings in which a weight tells which arcs a path took: comparing two
// relations over such a ring compares the paths behind them, one by one.
package fsttest
