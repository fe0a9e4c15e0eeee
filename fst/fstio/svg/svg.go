package svg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/goccy/go-graphviz"
)

// ErrFormat is returned, wrapped, for a text that is not a graph.
var ErrFormat = errors.New("no graph in the language of dot")

// Graphviz has built-in letter widths only for a font with this name.
const font = "Helvetica"

// defaults precede the statements of every graph, which can override them.
const defaults = `graph [fontname=` + font + ` bgcolor=transparent]; node [fontname=` + font + `]; edge [fontname=` + font + `]; `

// one serializes drawing: the library runs a single Graphviz instance with one memory.
var one sync.Mutex

// Draw writes a picture of the graphs of a source in the language of Graphviz's dot, as SVG.
// Several graphs are arranged from left to right, in several rows if the picture would become wider
// than 800 pixels. The picture has a white background, so it can be read on any page; one point of
// Graphviz is one pixel. The same source gives the same bytes.
//
// The error wraps ErrFormat for a source without graphs or with invalid text, and the error of ctx
// if it is done between graphs; other errors come from Graphviz or w. Pictures are made in memory,
// one at a time: concurrent calls wait for each other.
func Draw(ctx context.Context, w io.Writer, source []byte) error {
	graphs, err := split(source)
	if err != nil {
		return fmt.Errorf("svg: %w", err)
	}
	one.Lock()
	defer one.Unlock()
	engine, err := graphviz.New(ctx)
	if err != nil {
		return fmt.Errorf("svg: %w", err)
	}
	defer engine.Close()
	drawings := make([]drawing, len(graphs))
	for i, g := range graphs {
		if drawings[i], err = draw(ctx, engine, g); err != nil {
			return fmt.Errorf("svg: graph %d of %d: %w", i+1, len(graphs), err)
		}
	}
	if _, err := w.Write(picture(drawings)); err != nil {
		return fmt.Errorf("svg: %w", err)
	}
	return nil
}

// draw draws one graph.
func draw(ctx context.Context, engine *graphviz.Graphviz, g graph) (drawing, error) {
	if err := ctx.Err(); err != nil {
		return drawing{}, err
	}
	parsed, err := graphviz.ParseBytes([]byte(g.head + defaults + g.body))
	if err != nil {
		return drawing{}, fmt.Errorf("%w: %v", ErrFormat, err)
	}
	defer parsed.Close()
	var b bytes.Buffer
	if err := engine.Render(ctx, parsed, graphviz.SVG, &b); err != nil {
		return drawing{}, err
	}
	return readDrawing(&b)
}
