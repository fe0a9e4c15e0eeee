// Package table prepares data for Bayesian networks: comma-separated values, and bins of
// numbers.
//
// A Table is text, by rows and named columns. Its States and Numbers say what variables a
// network may have. RowsOf turns it into rows of a network, whose cells are matched by name.
//
//	rows, err := table.ReadRows(strings.NewReader(diary), "diary.csv", network)
//
// Which function:
//
//   - a file, with missing cells, as rows of a network: [ReadRows]; as text: [Read]
//   - the values of a column: [Table.States], [Table.Numbers]
//   - rows of a network: [Table.RowsOf]
//   - numbers cut into intervals that hold equally many: [EqualFrequency], [Bins.Of]
package table
