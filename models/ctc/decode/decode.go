package decode

import (
	"context"
	"math"
	"slices"

	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring/frames"
)

// Decode returns the n best texts of emissions, the best first. The weight of a text is the sum
// over its alignments. The list is shorter if there are fewer texts, and empty if there is no
// text of that length, which is not an error.
//
// Within the limits of Options.Beam, a search follows the best texts frame by frame: prefix beam
// search. Its sums are lower bounds; see Report. O(frames · width · arcs out of a state).
//
// Without limits it is exact: it builds the product of emissions and models, in which alignments
// merge if the models do not distinguish them, and searches it for the texts with the greatest
// sums. Memory is frames × states of the models; above frames.BeamOptions.MaxNodes,
// semiring.ErrLimit is returned. If Options.Work is not enough, the list continues with the texts
// of the best alignments, with their sums, and Report.Exact is false.
//
// The error wraps semiring.ErrShape if the emissions and the topology have different numbers of
// symbols. If ctx is done, it is the error of ctx.
func (d *Predictor) Decode(ctx context.Context, e *frames.Emissions, n int) ([]Text, *Report, error) {
	nonnil.Check("decode: Decode", "context", ctx, "emissions", e)
	if d.isExact() {
		list, report, err := d.exactly(ctx, e, n)
		if err != nil {
			return nil, nil, nested.Errorf("decode: %w", err)
		}
		return list, report, nil
	}
	s, err := d.stream(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := s.Push(e); err != nil {
		return nil, nil, err
	}
	return s.Close(n)
}

// merged returns the search of a product whose texts merge, after all frames.
func (d *Predictor) merged(ctx context.Context, e *frames.Emissions, o frames.BeamOptions) (*product, *frames.Beam, *frames.Lattice, error) {
	p := newProduct(d, true, nil)
	b, err := p.search(ctx, o)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := b.Push(ctx, e); err != nil {
		return nil, nil, nil, err
	}
	x, err := b.Lattice()
	return p, b, x, err
}

func (d *Predictor) exactly(ctx context.Context, e *frames.Emissions, n int) ([]Text, *Report, error) {
	p, b, x, err := d.merged(ctx, e, d.o.Beam)
	if err != nil {
		return nil, nil, err
	}
	report := &Report{Frames: b.Frames(), Exact: true, Kept: b.Kept(), Lost: b.Lost(), Size: b.Size()}
	if n <= 0 || math.IsInf(report.Kept, -1) {
		return nil, report, nil
	}
	symbols := make([]int32, len(x.Out))
	for k, out := range x.Out {
		if out > 0 {
			_, symbols[k] = p.event(out)
		}
	}
	var found [][]int32
	if d.o.Beam.Best {
		unique, err := graphs.UniqueBestPaths(x.Graph, symbols)
		if err != nil {
			return nil, nil, err
		}
		for y := range unique {
			if found = append(found, slices.Clone(y)); len(found) == n {
				break
			}
		}
	} else {
		list, exact, err := nbest.Best(x.Graph, symbols, n, d.o.Work)
		if err != nil {
			return nil, nil, err
		}
		report.Exact = exact
		for _, c := range list {
			found = append(found, c.Labels)
		}
	}
	s := &Stream{d: d, ctx: ctx, p: newProduct(d, false, newGuide(found))}
	if s.b, err = s.p.search(ctx, d.o.Beam); err != nil {
		return nil, nil, err
	}
	if err := s.b.Push(ctx, e); err != nil {
		return nil, nil, err
	}
	list, err := s.among(p, x, len(found))
	return list, report, err
}

// among returns the texts of s; confidences and posteriors are among all texts of a lattice x of
// another product.
func (s *Stream) among(p *product, x *frames.Lattice, n int) ([]Text, error) {
	all, err := ending(x, x.Graph.Finals())
	if err != nil {
		return nil, err
	}
	o, err := newOccurrences(p, all)
	if err != nil {
		return nil, err
	}
	own, err := s.b.Lattice()
	if err != nil {
		return nil, err
	}
	if own, err = ending(own, own.Graph.Finals()); err != nil {
		return nil, err
	}
	groups, _ := s.groups(own, false)
	var list []Text
	for _, g := range groups[:min(n, len(groups))] {
		t, err := s.textOf(own, g, o)
		if err != nil {
			return nil, err
		}
		t.LogProb = g.weight.Log()
		if t.Posterior, err = share(t.LogProb, o.total.Log(), 8*s.b.Frames()); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// BestPath returns the text of the single best alignment, within the limits of Options.Beam or,
// without limits, exactly. LogProb is the weight of the alignment, and Posterior its share of all
// alignments that were kept. The error wraps graph.ErrNoPath if there is no text; other errors
// are as for Decode.
//
// It takes less time and memory than Decode, because alignments merge if the models do not
// distinguish them.
func (d *Predictor) BestPath(ctx context.Context, e *frames.Emissions) (Text, *Report, error) {
	nonnil.Check("decode: BestPath", "context", ctx, "emissions", e)
	t, report, err := d.bestPath(ctx, e)
	if err != nil {
		return Text{}, nil, nested.Errorf("decode: best path: %w", err)
	}
	return t, report, nil
}

func (d *Predictor) bestPath(ctx context.Context, e *frames.Emissions) (Text, *Report, error) {
	o := d.o.Beam
	o.Best = true
	p, b, x, err := d.merged(ctx, e, o)
	if err != nil {
		return Text{}, nil, err
	}
	report := &Report{Frames: b.Frames(), Kept: b.Kept(), Lost: b.Lost(), Size: b.Size()}
	report.Exact = report.Lost < report.Kept || math.IsInf(report.Lost, -1)
	path, err := graphs.BestPath(x.Graph)
	if err != nil {
		return Text{}, nil, err
	}
	if path.Start < 0 {
		return Text{}, nil, errNoText
	}
	all, err := ending(x, x.Graph.Finals())
	if err != nil {
		return Text{}, nil, err
	}
	occurrences, err := newOccurrences(p, all)
	if err != nil {
		return Text{}, nil, err
	}
	var r reads
	r.extend(p, x, path, math.MaxInt)
	if err := occurrences.judge(&r, 0); err != nil {
		return Text{}, nil, err
	}
	t := d.text(&r)
	t.LogProb = path.Weight.Log()
	t.Posterior, err = share(t.LogProb, occurrences.total.Log(), 8*b.Frames())
	return t, report, err
}
