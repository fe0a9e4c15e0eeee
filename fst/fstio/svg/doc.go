// Package svg draws graphs that are written in the language of Graphviz's dot, as fstio.WriteDOT
// and forest.WriteDOT write them, as pictures in SVG. It needs no external program: a library runs
// Graphviz's own layout in this process.
//
//	var source bytes.Buffer
//	err := fstio.WriteDOT(&source, machine, nil)
//	…
//	err = svg.Draw(ctx, os.Stdout, source.Bytes())
//
// It is a separate module, so that other users do not depend on the library:
//
//	go get example.org/pathsum/fst/fstio/svg
//
// # The pictures of this tree
//
// Every picture FILE.svg has its source FILE.dot in the same folder. Tests generate most sources
// from the machines themselves; some are written by hand. If a source changes, a test of the
// command dot2svg fails until the pictures are drawn again:
//
//	go -C fst/fstio/svg generate               # all sources and pictures of the tree
//	go -C fst/fstio/svg run ./dot2svg ../../.. # the pictures alone
//	go run ./dot2svg <x.dot >x.svg             # in this folder: one picture
//
// The first picture of a process takes half a second, to compile Graphviz; each further picture of
// a small machine takes a few milliseconds.
package svg

//go:generate go -C ../../.. generate -run update ./fst/... ./semiring/...
//go:generate go run ./dot2svg ../../..
