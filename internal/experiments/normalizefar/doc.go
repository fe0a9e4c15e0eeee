// Normalizefar applies a machine made by Thrax, Pynini or OpenFst to lines, as
// examples/normalize applies its grammars. Labels are bytes or code points.
//
//	go run ./internal/experiments/normalizefar -grammar all.far -key written-spoken -apply lines.txt
package main
