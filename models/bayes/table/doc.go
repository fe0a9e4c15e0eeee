// Package table prepares data for Bayesian networks: comma-separated values, and bins of
// numbers.
//
// The idea: a Table is text, by rows and named columns. Its States and Numbers say what
// variables a network may have; RowsOf turns it into rows of a network, whose cells are
// matched by name. Bins cut a column of numbers into intervals that hold equally many.
//
//	t, err := table.Read(r, "name.csv", nil)
//	rows, err := t.RowsOf(network)
package table
