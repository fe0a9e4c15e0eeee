package program

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"example.org/pathsum/internal/figure"
)

// Figure declares a flag that names a file for a figure, which ends in .svg or .png; shows says
// what the figure shows.
func (p *Program) Figure(flag, shows string) *Output {
	o := p.Save(flag, "draw "+shows+" in `FILE`, .svg or .png")
	p.Check(func() error {
		if o.Given() && !strings.HasSuffix(o.name, ".svg") && !strings.HasSuffix(o.name, ".png") {
			return fmt.Errorf("-%s %s: want a name that ends in .svg or .png", flag, o.name)
		}
		return nil
	})
	return o
}

// Draw writes a figure in the format that the name of the output ends in. It takes the results
// of a function that returns an error, too, and returns that error.
func (o *Output) Draw(f *figure.Figure, err error) error {
	if err != nil {
		return err
	}
	return o.Write(func(w io.Writer) error {
		if err := f.Write(w, strings.TrimPrefix(filepath.Ext(o.name), ".")); err != nil {
			return fmt.Errorf("figure %s: %w", o.name, err)
		}
		return nil
	})
}
