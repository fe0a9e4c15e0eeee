package em

import (
	"fmt"

	"example.org/pathsum/em/internal/numbering"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Alternatives returns a function that creates parameters for groups of named
// alternatives: for the coins and choices of expressions, as rx.Compiler.Groups. The function adds
// one group to p for each. Its law is the result of law for the names of the group and of its
// alternatives. Parameters are called group[alternative]. If law returns nil, the group is
// not created; if law itself is nil, every group is Multinomial.
//
// A *LogLinear law must have one set of outcomes, the alternatives; its strengths are named by
// their indices. For groups that share features, use LogLinearAlternatives.
//
// If p already has a group of this name, it is reused, so that parameters of one name are
// tied in all machines, also of several compilers. The error wraps ErrParameter if it has other
// alternatives.
func Alternatives(p *Params, law func(group string, alternatives []string) Law) func([]string, [][]string) ([][]expr.W, error) {
	nonnil.Check("em: Alternatives", "parameters", p)
	if law == nil {
		law = func(string, []string) Law { return Multinomial{} }
	}
	return func(groups []string, alternatives [][]string) ([][]expr.W, error) {
		weights := make([][]expr.W, len(groups))
		for i, name := range groups {
			names := alternatives[i]
			l := law(name, names)
			if l == nil {
				continue
			}
			strengths, n := 0, len(names)
			if l, ok := l.(*LogLinear); ok {
				if sets := len(l.set) - 1; sets != 1 || l.outcomes() != n {
					return nil, nested.Errorf("em: %w: group %s has a law for %d sets of %d outcomes, want one of its %d alternatives", ErrParameter, name, sets, l.outcomes(), n)
				}
				strengths = l.d
			}
			g := p.Find(name)
			if g == nil {
				g = p.Distribution(name, strengths+n, l)
				g.SetNames(func(i int) string {
					if i < strengths {
						return fmt.Sprint(i)
					}
					return names[i-strengths]
				})
			} else if !g.has(strengths, names) {
				return nil, nested.Errorf("em: %w: the group %s exists already, with alternatives other than %q", ErrParameter, name, names)
			}
			for k := range names {
				weights[i] = append(weights[i], g.Weight(strengths+k))
			}
		}
		return weights, nil
	}
}

// has reports whether the parameters of g after the given number of strengths have these names.
func (g *Group) has(strengths int, names []string) bool {
	if g.Len() != strengths+len(names) {
		return false
	}
	for k, name := range names {
		if g.Name(strengths+k) != g.name+"["+name+"]" {
			return false
		}
	}
	return true
}

// Feature is a named property of an arc. All arcs that have it share its
// strength.
type Feature struct {
	Name string
	// Value is the number of times that it fires, any finite number; the zero value of the
	// field means once. A feature that fires 0 times, Times(0), is ignored.
	Value Multiplicity
}

// LogLinearAlternatives is like Alternatives, with one LogLinear law for all groups of one call:
// the probabilities of the alternatives of a group are proportional to the product of the
// strengths of their features. All parameters are in one group of p called name, as in
// cascade.JointLogLinear: strengths are named after their features, and outcomes are named
// group/alternative. Alternatives of different groups share the strengths of common features.
// The error wraps ErrParameter if p already has a group called name.
func LogLinearAlternatives(p *Params, name string, features func(group, alternative string) []Feature, options LogLinearOptions) func([]string, [][]string) ([][]expr.W, error) {
	nonnil.Check("em: LogLinearAlternatives", "parameters", p, "features", features)
	return func(groups []string, alternatives [][]string) ([][]expr.W, error) {
		var x numbering.Numbering
		var sets [][][]Term
		var outcomes []string
		for i, group := range groups {
			var set [][]Term
			for _, alternative := range alternatives[i] {
				set = append(set, terms(&x, features(group, alternative)))
				outcomes = append(outcomes, group+"/"+alternative)
			}
			sets = append(sets, set)
		}
		law, err := NewLogLinear(len(x.Names), sets, options)
		if err != nil {
			return nil, err
		}
		if p.Find(name) != nil {
			return nil, nested.Errorf("em: %w: the group %s exists already; give the group of features of these alternatives another name", ErrParameter, name)
		}
		g := p.Group(name, law.Len(), law)
		g.SetNames(func(i int) string {
			if i < len(x.Names) {
				return x.Names[i]
			}
			return outcomes[i-len(x.Names)]
		})
		weights := make([][]expr.W, len(groups))
		for s := range weights {
			for o := range alternatives[s] {
				weights[s] = append(weights[s], g.Weight(law.Outcome(s, o)))
			}
		}
		return weights, nil
	}
}

// terms returns the terms of these features, numbered by x.
func terms(x *numbering.Numbering, features []Feature) []Term {
	var terms []Term
	for _, feature := range features {
		if times := feature.Value.Float64(); times != 0 {
			terms = append(terms, Term{x.Of(feature.Name), times})
		}
	}
	return terms
}
