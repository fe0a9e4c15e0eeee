package em

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/typename"
)

// Part is one likelihood of a Sum.
type Part struct {
	// Name distinguishes its examples from those of other parts, in errors and in Skipped.Part.
	// It contains no slash (default: the index of the part, from 0).
	Name       string
	Likelihood Likelihood
	// Weight multiplies the log likelihood: a finite number > 0; the zero value of the field
	// means 1. It weights a kind of data, in addition to the weights of examples.
	Weight Multiplicity
}

// Sum returns Σ weight·ln P(data of the part), the likelihood of several kinds of data under one
// set of parameters: pairs and strings without partners, the output of a single stage, or the
// output of the whole cascade. Each part sums over its hidden variables.
//
// The parts have the same Params and separate data. The shards of the sum are the shards of
// the parts, one part after the other. The counts, times the weights, are added in one vector. So
// an E step costs as much as the E steps of the parts, and the M step is the one of the parameters'
// laws. It raises the weighted sum of the parts: a sum of lower bounds is a lower bound.
//
// The sum supports every feature that all parts support: temperatures, second derivatives, best
// paths, and the methods. It is a Heuristic if a part is. If a part is a Difference, the sum is a
// Difference, too: the sum of all added terms minus the sum of all subtracted terms. Its M
// step climbs both. A sum that contains a Risk is trained by gradient. A sum may be a part of
// another sum, of a Difference, or of a combination of package agree.
//
// The error wraps ErrInvalid if there are no parts, parts have different parameters, names are
// not unique or contain a slash, or weights are invalid.
func Sum(parts ...Part) (Likelihood, error) {
	s, err := newSum(parts)
	if err != nil {
		return nil, err
	}
	differences, own := false, false
	for _, p := range s.parts {
		if _, ok := p.Likelihood.(*Difference); ok {
			differences = true
		} else if _, ok := p.Likelihood.(maximizer); ok {
			own = true
		}
	}
	switch {
	case own:
		return stepless{s}, nil
	case differences:
		return s.difference()
	}
	return s, nil
}

func newSum(parts []Part) (*partSum, error) {
	if len(parts) == 0 {
		return nil, nested.Errorf("em: %w: a sum of no likelihoods", ErrInvalid)
	}
	s := &partSum{parts: slices.Clone(parts), first: []int{0}}
	names := map[string]bool{}
	for i := range s.parts {
		p := &s.parts[i]
		if p.Name == "" {
			p.Name = strconv.Itoa(i)
		}
		nonnil.Check("em: Sum", "likelihood "+p.Name, p.Likelihood)
		switch w := p.Weight.Float64(); {
		case strings.Contains(p.Name, "/") || names[p.Name]:
			return nil, nested.Errorf("em: %w: part %d of a sum has the name %q, want a unique name without a slash", ErrInvalid, i, p.Name)
		case !(w > 0) || math.IsInf(w, 1):
			return nil, nested.Errorf("em: %w: part %s of a sum has weight %g, want a finite number > 0", ErrInvalid, p.Name, w)
		case p.Likelihood.Params() != s.Params():
			return nil, nested.Errorf("em: %w: part %s of a sum has other parameters than part %s", ErrInvalid, p.Name, s.parts[0].Name)
		}
		names[p.Name] = true
		s.first = append(s.first, s.first[i]+p.Likelihood.Shards())
	}
	return s, nil
}

// partSum is a Sum of likelihoods that have no M steps of their own.
type partSum struct {
	parts []Part
	first []int // the first shard of each part, then the number of all shards
}

// Params returns the parameters of all parts.
func (s *partSum) Params() *Params { return s.parts[0].Likelihood.Params() }

// Shards returns the number of shards of all parts.
func (s *partSum) Shards() int { return s.first[len(s.parts)] }

// Heuristic reports whether any part is heuristic.
func (s *partSum) Heuristic() bool {
	return slices.ContainsFunc(s.parts, func(p Part) bool { return heuristic(p.Likelihood) })
}

// Fingerprint writes the parts and their weights.
func (s *partSum) Fingerprint(w io.Writer) {
	fmt.Fprintf(w, "sum %d\n", len(s.parts))
	for _, p := range s.parts {
		fmt.Fprintf(w, "%q %v\n", p.Name, p.Weight)
		p.Likelihood.Fingerprint(w)
	}
}

// Expect makes the E steps of the parts that contain some of the shards, one after the other.
func (s *partSum) Expect(ctx context.Context, q Query) (*Expectations, error) {
	return s.ExpectWithout(ctx, q, nil)
}

// ExpectWithout leaves out some examples, whose Part names their part.
func (s *partSum) ExpectWithout(ctx context.Context, q Query, without []Skipped) (*Expectations, error) {
	q, err := q.Complete(s)
	if err != nil {
		return nil, err
	}
	total := &Expectations{Counts: q.Counts, Curvature: q.Curvature}
	if total.Counts == nil {
		total.Counts = make([]float64, s.Params().Len())
	}
	if q.Tangent != nil && total.Curvature == nil {
		total.Curvature = make([]float64, s.Params().Len())
	}
	for i, p := range s.parts {
		lo, hi := max(q.Lo, s.first[i]), min(q.Hi, s.first[i+1])
		if lo >= hi {
			continue
		}
		of := q
		of.Lo, of.Hi = lo-s.first[i], hi-s.first[i]
		of.Counts, of.Curvature = total.Counts, total.Curvature
		of.Weight *= p.Weight.Float64()
		e, err := p.expect(ctx, of, within(without, p.Name))
		if err != nil {
			return nil, nested.Errorf("em: part %s: %w", p.Name, err)
		}
		total.LogLikelihood += p.Weight.Float64() * e.LogLikelihood
		total.Examples += e.Examples
		total.Gap += p.Weight.Float64() * e.Gap
		for _, x := range e.Bounds {
			x.Part = join(p.Name, x.Part)
			total.Bounds = append(total.Bounds, x)
		}
		total.Arcs += e.Arcs
		total.WithoutLattice += e.WithoutLattice
		for _, remark := range e.Remarks {
			total.Remarks = append(total.Remarks, "part "+p.Name+": "+remark)
		}
		for _, x := range e.Skipped {
			x.Part = join(p.Name, x.Part)
			total.Skipped = append(total.Skipped, x)
		}
	}
	return total, nil
}

// expect makes an E step of the part and leaves out some of its examples.
func (p *Part) expect(ctx context.Context, q Query, without []Skipped) (*Expectations, error) {
	if len(without) == 0 {
		return p.Likelihood.Expect(ctx, q)
	}
	l, ok := p.Likelihood.(Excluder)
	if !ok {
		return nil, nested.Errorf("em: %w: %v, which %s cannot leave out", ErrUnderivable, without[0], typename.Of(p.Likelihood))
	}
	return l.ExpectWithout(ctx, q, without)
}

// within returns the examples of a sum that are in the part called name, with Part relative to
// that part.
func within(all []Skipped, name string) []Skipped {
	var some []Skipped
	for _, x := range all {
		if first, rest, _ := strings.Cut(x.Part, "/"); first == name {
			x.Part = rest
			some = append(some, x)
		}
	}
	return some
}

// join returns the name of a nested part; rest is "" if the part is not nested.
func join(name, rest string) string {
	if rest == "" {
		return name
	}
	return name + "/" + rest
}

// stepless is a Sum with a part whose own M step does not apply to the sum.
type stepless struct{ *partSum }

func (stepless) maximize(context.Context, Query, *Expectations) ([]float64, error) {
	return nil, nested.Errorf("em: M step: %w to a sum with an expected loss", ErrMethod)
}

// difference returns the sum of the added terms minus the sum of the subtracted terms.
func (s *partSum) difference() (*Difference, error) {
	plus, minus, steps := slices.Clone(s.parts), slices.Clone(s.parts), 0
	for i, p := range s.parts {
		if d, ok := p.Likelihood.(*Difference); ok {
			nonnil.Check("em: Difference", "Plus", d.Plus, "Minus", d.Minus)
			plus[i].Likelihood, minus[i].Likelihood = d.Plus, d.Minus
			steps = max(steps, d.Steps)
		} else {
			minus[i].Likelihood = nothing{p.Likelihood}
		}
	}
	added, err := Sum(plus...)
	if err != nil {
		return nil, err
	}
	taken, err := Sum(minus...)
	if err != nil {
		return nil, err
	}
	return &Difference{Plus: added, Minus: taken, Steps: steps}, nil
}

// nothing is a likelihood that is constantly 0, with the shards of another.
type nothing struct{ of Likelihood }

func (n nothing) Params() *Params { return n.of.Params() }

func (n nothing) Shards() int { return n.of.Shards() }

func (nothing) Fingerprint(w io.Writer) { fmt.Fprintln(w, "nothing") }

func (n nothing) Expect(ctx context.Context, q Query) (*Expectations, error) {
	return n.ExpectWithout(ctx, q, nil)
}

func (n nothing) ExpectWithout(_ context.Context, q Query, _ []Skipped) (*Expectations, error) {
	q, err := q.Complete(n)
	if err != nil {
		return nil, err
	}
	e := &Expectations{Counts: make([]float64, n.Params().Len())}
	if q.Tangent != nil {
		e.Curvature = make([]float64, n.Params().Len())
	}
	q.Deliver(e)
	return e, nil
}
