package program

import (
	"fmt"
	"io"
	"strings"
)

// WriteTable writes rows in columns, and an empty line. Columns are as wide as a
// terminal shows them, where katakana take two cells each.
func WriteTable(w io.Writer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-width(cell)+3))
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintln(w, b.String())
}

// width returns the number of cells of a terminal that text takes: katakana take
// two each.
func width(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r >= 0x3000 && r < 0x3100 {
			n++
		}
	}
	return n
}
