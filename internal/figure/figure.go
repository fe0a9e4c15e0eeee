// Package figure draws the figures of programs: curves, heat maps and other plots of
// gonum/plot.
package figure

import (
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Figure is a plot and its size on paper.
type Figure struct {
	*plot.Plot
	Width, Height vg.Length
}

// Write writes the figure to w in the given format, svg or png.
func (f *Figure) Write(w io.Writer, format string) error {
	picture, err := f.WriterTo(f.Width, f.Height, format)
	if err != nil {
		return err
	}
	_, err = picture.WriteTo(w)
	return err
}
