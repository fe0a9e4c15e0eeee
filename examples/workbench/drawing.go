package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/fst/fstio/svg"
)

// Drawings have at most these states and arcs: larger ones show no more, and take Graphviz long.
const (
	drawnStates = 60
	drawnArcs   = 180
	samples     = 12
)

// view is a machine as a panel shows it: drawn, or by its size and some of its paths.
type view struct {
	States  int      `json:"states"`
	Arcs    int      `json:"arcs"`
	Picture string   `json:"picture"` // SVG
	Note    string   `json:"note"`
	Samples []string `json:"samples"`
}

// show draws a machine. Posteriors, one for each arc, shade it unless they are nil.
func show[W any](ctx context.Context, m *fst.FST[W], posteriors []float64) (*view, error) {
	v := &view{States: m.NumStates(), Arcs: m.NumArcs()}
	if v.States == 0 {
		v.Note = "There are no strings."
		return v, nil
	}
	if v.States > drawnStates || v.Arcs > drawnArcs {
		v.Note = fmt.Sprintf("Too large to draw: machines of at most %d states and %d arcs are. Paths at random:", drawnStates, drawnArcs)
		var err error
		v.Samples, err = sample(m)
		return v, err
	}
	var source bytes.Buffer
	if err := fstio.WriteDOT(&source, m, &fstio.DOT{Digits: 3, Posterior: posteriors}); err != nil {
		return nil, err
	}
	var err error
	v.Picture, err = picture(ctx, source.Bytes())
	return v, err
}

func picture(ctx context.Context, source []byte) (string, error) {
	var b strings.Builder
	err := svg.Draw(ctx, &b, source)
	return b.String(), err
}

// sample returns some paths, by walks that choose among the arcs of a state uniformly. They are
// the same each time.
func sample[W any](m *fst.FST[W]) ([]string, error) {
	uniform, err := fst.Uniform(m, limit)
	if err != nil {
		return nil, err
	}
	sampler, err := fst.NewSampler(uniform, limit)
	if err != nil {
		return nil, err
	}
	src := rand.NewPCG(1, 1)
	var paths []string
	for range samples {
		p := sampler.Sample(src)
		in, out := spell(m.InSymbols(), p.In), spell(m.OutSymbols(), p.Out)
		if in != out {
			in += " → " + out
		}
		paths = append(paths, in)
	}
	return paths, nil
}

// spell returns the names of labels in a row, shortened if they are many.
func spell(names *fst.Symbols, labels []int32) string {
	const most = 60
	var b strings.Builder
	for i, label := range labels {
		if i == most {
			return b.String() + "…"
		}
		if name, ok := names.Name(label); ok {
			b.WriteString(name)
		} else {
			fmt.Fprintf(&b, "⟨%d⟩", label)
		}
	}
	return b.String()
}
