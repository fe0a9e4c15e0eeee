// Package linegrammar applies grammars to lines: machines of package fst that read a line and
// write another, with learnt probabilities.
//
// The idea: a model with weights over em.Params, mostly compiled by package fst/rx, becomes a
// tropical machine in which each chain of forced arcs is a single arc. Labels are code points,
// or bytes for characters that the machine does not name, so every line can be read. Apply
// finds the best readings of a line, piece by piece if it is long.
//
//	g, err := linegrammar.New("written-spoken", params, alphabet, model, false)
//	readings, err := g.Apply("at 2 a.m.", 3)
//
// Alternatives of the group "kind" are kinds of tokens. AddContexts makes their probabilities
// depend on the words around a token, and Train learns all probabilities from examples by EM,
// with the parse hidden. An Explainer names the alternatives of a reading.
//
// A grammar has three files: its parameters (SaveParameters), the machine that Apply uses
// (Keep, for Kept), and a machine between bytes for OpenFst and Pynini (Export). Import reads
// the machines of these programs.
package linegrammar
