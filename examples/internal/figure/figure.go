// Package figure writes the figures of example programs.
package figure

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/examples/internal/program"
)

// Write writes p in the format that the name of the output ends in, .svg or .png.
func Write(to *program.Output, p *plot.Plot, width, height vg.Length) error {
	w, err := p.WriterTo(width, height, strings.TrimPrefix(filepath.Ext(to.Name()), "."))
	if err != nil {
		return fmt.Errorf("figure %s: %w", to.Name(), err)
	}
	return to.Write(func(out io.Writer) error {
		_, err := w.WriteTo(out)
		return err
	})
}
