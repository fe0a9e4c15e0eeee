// Package svg draws graphs that are written in the language of Graphviz's dot, as
// fstio.WriteDOT and forest.WriteDOT write them, as pictures in SVG. It needs no program
// beside Go: the layout is Graphviz's own, run by a library in this process.
//
//	var source bytes.Buffer
//	err := fstio.WriteDOT(&source, machine, nil)
//	…
//	err = svg.Draw(ctx, os.Stdout, source.Bytes())
//
// It is a module of its own, so that who wants no pictures need not have the library:
//
//	go get example.org/pathsum/fst/fstio/svg
//
// # The pictures of this tree
//
// Every picture has its source beside it, FILE.dot beside FILE.svg. Tests make most sources,
// from the machines themselves; some are written by hand. Where one changes, a test of the
// command dot2svg fails until the pictures are drawn anew:
//
//	go -C fst/fstio/svg generate               # all sources and pictures of the tree
//	go -C fst/fstio/svg run ./dot2svg ../../.. # the pictures alone
//	go run ./dot2svg <x.dot >x.svg             # in this folder: one picture
//
// The first picture of a process costs half a second, to compile Graphviz; each further one
// of a small machine costs a few milliseconds.
package svg

//go:generate go -C ../../.. generate -run update ./fst/... ./semiring/...
//go:generate go run ./dot2svg ../../..
