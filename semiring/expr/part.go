package expr

import "example.org/pathsum/semiring"

// Subset is the set of expressions of a Space that a model uses: the added expressions and their
// subexpressions. An expression outside of the part, for example of a machine that was discarded,
// is not evaluated for the model. So it cannot cause errors or take time.
//
// A Subset and its forks must not be used by several goroutines while expressions are added.
type Subset struct {
	space *Space
	needs []bool // per handle, as far as it goes
	size  int    // number of expressions
	open  []W    // scratch
}

// NewSubset returns the Subset of s that contains Zero and One.
func (s *Space) NewSubset() *Subset {
	p := &Subset{space: s}
	p.Add(Zero, One)
	return p
}

// Add adds expressions of the Space and all of their subexpressions. It takes O(1) for each
// expression that is new to the part.
func (p *Subset) Add(ws ...W) {
	var t table
	for _, w := range ws {
		if p.Contains(w) {
			continue
		}
		if t.nodes == nil {
			t, _ = p.space.snapshot()
		}
		p.add(&t, w)
	}
}

func (p *Subset) add(t *table, w W) {
	if n := t.len(); n > len(p.needs) {
		p.needs = append(p.needs, make([]bool, n-len(p.needs))...)
	}
	p.needs[w] = true
	p.size++
	for p.open = append(p.open[:0], w); len(p.open) > 0; {
		w := p.open[len(p.open)-1]
		p.open = p.open[:len(p.open)-1]
		layer, n := t.at(w)
		if n.kind() == param {
			continue
		}
		for _, x := range layer.pairsOf(n) {
			if of := W(x.of); !p.needs[of] {
				p.needs[of] = true
				p.size++
				p.open = append(p.open, of)
			}
		}
	}
}

// Contains reports whether w is in the part.
func (p *Subset) Contains(w W) bool { return int(w) < len(p.needs) && p.needs[w] }

// All returns the expressions of the part in ascending order.
func (p *Subset) All() []W {
	var all []W
	for w, needed := range p.needs {
		if needed {
			all = append(all, W(w))
		}
	}
	return all
}

// Fork returns a fork of the Space in which operations on expressions of the part and on
// expressions made of them do not return expressions of the Space outside of the part. Instead,
// the fork makes a copy, which has a value even though Evaluate does not compute the original.
// Add all expressions to the part before Fork.
func (p *Subset) Fork() *Space {
	f := p.space.Fork()
	f.finds = p
	return f
}

// Evaluate is EvaluateTempered for the expressions of the part; other expressions have the value
// NaN. The error names an expression of the part.
func (p *Subset) Evaluate(dst, theta []semiring.ScaledFloat, beta float64) ([]semiring.ScaledFloat, error) {
	if p.size == p.space.Len() {
		return p.space.evaluate(dst, theta, beta, nil) // the part is the whole Space
	}
	return p.space.evaluate(dst, theta, beta, p)
}
