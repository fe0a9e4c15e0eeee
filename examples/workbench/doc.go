// Workbench is a page in the browser on which one writes grammars and channels, and sees
// their machines, lattices, parses and training.
//
//	go -C examples/workbench run .
//	go -C examples/workbench run . -address 127.0.0.1:8080 -browser=false
//
// It serves the page on this computer only, and prints its address. README.md describes the
// panels. The page sends the whole text with each request, and the server keeps no state between
// requests, so two tabs are independent of each other.
//
// Panels are outputs and lattices (reading.go), drawings (drawing.go), operations one after the
// other (steps.go), parses (parses.go) and EM (training.go) of definitions (grammar.go).
package main
