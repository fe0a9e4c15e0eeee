// Package figure writes the figures of example programs.
package figure

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/internal/program"
)

// Write writes p to the named file, whole or not at all, in the format that the
// name ends in, .svg or .png.
func Write(name string, p *plot.Plot, width, height vg.Length) error {
	w, err := p.WriterTo(width, height, strings.TrimPrefix(filepath.Ext(name), "."))
	if err != nil {
		return fmt.Errorf("figure %s: %w", name, err)
	}
	return program.WriteFile(name, func(out io.Writer) error {
		_, err := w.WriteTo(out)
		return err
	})
}
