// Package fsttest makes random transducers for tests, reproducible by seed, over rings in which
// a weight records the arcs of its paths: comparing two relations over such a ring compares
// their paths one by one.
package fsttest
