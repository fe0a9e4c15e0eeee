// Package table prepares data for Bayesian networks: it reads comma-separated values and bins
// numbers.
//
// A Table is text in rows and named columns. Its States and Numbers help to define the variables of
// a network. RowsOf converts it to rows of a network and matches cells by name: it returns an error
// if a column is not a variable or a cell is not a state.
//
//	t, err := table.Read(strings.NewReader(diary), "diary.csv", nil)
//	network, err := t.Network("rain; grass | rain")
//	rows, err := t.RowsOf(network)
//
// Which function:
//
//   - a network of the columns of a file: [Read], [Table.Network], [Table.RowsOf]
//   - a file with missing cells as rows of an existing network: [ReadRows]
//   - some of the columns: [Table.Select]
//   - the values of a column: [Table.States], [Table.Numbers]; [Missing] cells
//   - intervals with equal numbers of values: [EqualFrequency], [Bins.Of]
package table
