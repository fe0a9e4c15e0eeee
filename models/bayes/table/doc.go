// Package table prepares data for Bayesian networks: comma-separated values, and bins of
// numbers.
//
// A Table is text, by rows and named columns. Its States and Numbers say what variables a
// network may have. RowsOf turns it into rows of a network, whose cells are matched by name:
// a column that is no variable and a cell that is no state are errors.
//
//	t, err := table.Read(strings.NewReader(diary), "diary.csv", nil)
//	network, err := t.Network("rain; grass | rain")
//	rows, err := t.RowsOf(network)
//
// Which function:
//
//   - a network of the columns of a file: [Read], [Table.Network], [Table.RowsOf]
//   - a file, with missing cells, as rows of a network that there is: [ReadRows]
//   - some of the columns: [Table.Select]
//   - the values of a column: [Table.States], [Table.Numbers]; [Missing] cells
//   - numbers cut into intervals that hold equally many: [EqualFrequency], [Bins.Of]
package table
