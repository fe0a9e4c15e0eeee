package program

import (
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// WriteTable writes rows in columns, and an empty line. Columns are aligned for a terminal, on
// which katakana take two cells each.
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

// Deviation is a mean and a standard deviation, as in the JSON object.
type Deviation struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// NewDeviation returns the mean and deviation of numbers; the deviation of a single number is
// 0.
func NewDeviation(x []float64) Deviation {
	mean, sd := stat.MeanStdDev(x, nil)
	if math.IsNaN(sd) {
		sd = 0
	}
	return Deviation{mean, sd}
}

// String returns mean ± deviation, with three decimals.
func (d Deviation) String() string { return fmt.Sprintf("%.3f ± %.3f", d.Mean, d.SD) }
