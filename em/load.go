package em

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// Load reads a model that Model.Save wrote: Theta is what was saved, and so is the
// start of its parameters. Time and memory are in proportion to the text.
//
// The error wraps ErrFormat for a text that is no such model, and says which group,
// weight or machine is wrong.
func Load(r io.Reader) (*Model, error) {
	var s savedModel
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return nil, fmt.Errorf("em: %w: %w", ErrFormat, err)
	}
	if !slices.Contains(modelFormats, s.Format) {
		return nil, fmt.Errorf("em: %w: format %q, want %q", ErrFormat, s.Format, modelFormats[0])
	}
	m, err := s.load()
	if err != nil {
		return nil, fmt.Errorf("em: %w: %w", ErrFormat, err)
	}
	return m, nil
}

func (s *savedModel) load() (*Model, error) {
	l := &loader{params: NewParams()}
	m := &Model{Problem: Problem{Params: l.params}}
	for i, g := range s.Groups {
		if g.Law.Law == nil {
			return nil, fmt.Errorf("group %d (%s): no law", i, g.Name)
		}
		group := l.params.Group(g.Name, len(g.Theta), g.Law.Law)
		group.SetStart(g.Theta)
		m.Theta = append(m.Theta, g.Theta...) // no law is asked before Check
		if g.Names != nil {
			if len(g.Names) != len(g.Theta) {
				return nil, fmt.Errorf("group %d (%s): %d names for %d parameters", i, g.Name, len(g.Names), len(g.Theta))
			}
			group.SetNames(func(i int) string { return g.Names[i] })
		}
	}
	if err := l.params.Check(m.Theta); err != nil {
		return nil, err
	}
	var err error
	if l.weights, err = l.params.space.ParseRows(s.Weights); err != nil {
		return nil, err
	}
	if _, err := l.params.space.Evaluate(nil, l.params.Values(m.Theta)); err != nil {
		return nil, err // a parameter that is in no group, too
	}
	if m.Cascade, err = l.machines("the cascade", s.Cascade); err != nil {
		return nil, err
	}
	for b, ms := range s.Branches {
		branch, err := l.machines(fmt.Sprintf("branch %d", b), ms)
		if err != nil {
			return nil, err
		}
		m.Branches = append(m.Branches, branch)
	}
	return m, m.check()
}

// loader makes machines.
type loader struct {
	params  *Params
	weights []expr.W
}

func (l *loader) machines(name string, saved []savedMachine) ([]*fst.FST[expr.W], error) {
	out := make([]*fst.FST[expr.W], len(saved))
	for i, s := range saved {
		f, err := l.machine(s)
		if err != nil {
			return nil, fmt.Errorf("machine %d of %s: %w", i, name, err)
		}
		out[i] = f
	}
	return out, nil
}

func (l *loader) machine(s savedMachine) (*fst.FST[expr.W], error) {
	b := fst.NewBuilder[expr.W](l.params.space)
	b.AddStates(len(s.Final))
	var err error
	weight := func(i int32) expr.W {
		if i < 0 || int(i) >= len(l.weights) {
			err = fmt.Errorf("weight %d of %d", i, len(l.weights))
			return expr.Zero
		}
		return l.weights[i]
	}
	for p, w := range s.Final {
		b.SetFinal(int32(p), weight(w))
	}
	for _, x := range s.Starts {
		b.AddStart(x[0], weight(x[1]))
	}
	for _, a := range s.Arcs {
		b.AddArc(a[0], fst.Arc[expr.W]{In: a[1], Out: a[2], Weight: weight(a[3]), To: a[4]})
	}
	in, errIn := s.In.load()
	out, errOut := s.Out.load()
	b.SetSymbols(in, out)
	for _, err := range []error{err, errIn, errOut} {
		if err != nil {
			return nil, err
		}
	}
	return b.Freeze()
}

func (s *symbols) load() (*fst.Symbols, error) {
	if s == nil {
		return nil, nil
	}
	if len(s.Labels) != len(s.Names) {
		return nil, fmt.Errorf("%d symbols for %d labels", len(s.Names), len(s.Labels))
	}
	t := new(fst.Symbols)
	for i, l := range s.Labels {
		if err := t.Set(s.Names[i], l); err != nil {
			return nil, err
		}
	}
	return t, nil
}
