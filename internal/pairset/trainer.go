package pairset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/models/pairgram"
)

// Kind is a kind of model: the sizes of its chunks, and whether it reads words from the end.
type Kind struct {
	Sizes    []pairgram.Size
	Reversed bool
}

// Directions of reading words, as values of a flag.
const (
	Forward  = "forward"
	Backward = "backward"
	Both     = "both" // a model for each
)

// ParseKinds returns the kinds of a list such as 10,01,11:both+10,11,12,21. Kinds without a
// direction get the given one.
func ParseKinds(list, direction string) ([]Kind, error) {
	var all []Kind
	for _, part := range strings.Split(list, "+") {
		sizes, own, found := strings.Cut(part, ":")
		if !found {
			own = direction
		}
		if own != Forward && own != Backward && own != Both {
			return nil, fmt.Errorf("%s: %q is not a direction, want forward, backward or both", list, own)
		}
		var k Kind
		for _, s := range strings.Split(sizes, ",") {
			if len(s) != 2 || s[0] < '0' || s[0] > '9' || s[1] < '0' || s[1] > '9' {
				return nil, fmt.Errorf("%s: %q is not a size, want two digits", list, s)
			}
			k.Sizes = append(k.Sizes, pairgram.Size{Source: int(s[0] - '0'), Target: int(s[1] - '0')})
		}
		if own != Backward {
			all = append(all, k)
		}
		if k.Reversed = true; own != Forward {
			all = append(all, k)
		}
	}
	return all, nil
}

// Trainer trains models of several kinds on the same pairs.
type Trainer struct {
	Kinds []Kind
	// Recipe makes the models, except for the settings of their kinds.
	Recipe pairgram.Recipe
	// Aligners are the aligners of the kinds, one for all kinds with the same sizes, in order;
	// Fits has the results of their training.
	Aligners []*pairgram.Aligner
	Fits     []*em.Result
}

// Inventories returns the distinct sizes of the kinds. There is an aligner for each.
func (t *Trainer) Inventories() [][]pairgram.Size {
	var all [][]pairgram.Size
	for _, k := range t.Kinds {
		if !slices.ContainsFunc(all, func(sizes []pairgram.Size) bool { return slices.Equal(sizes, k.Sizes) }) {
			all = append(all, k.Sizes)
		}
	}
	return all
}

// Align trains the aligners on pairs. The options of aligner i are options(i). If ctx is done,
// Fits has the results so far.
func (t *Trainer) Align(ctx context.Context, pairs []pairgram.Pair, options func(i int) *em.Options) error {
	for i, sizes := range t.Inventories() {
		o := t.Recipe.Aligner
		o.Sizes = sizes
		a, err := pairgram.NewAligner(pairs, &o)
		if err != nil {
			return err
		}
		fit, err := a.Fit(ctx, pairs, options(i))
		if fit != nil {
			t.Aligners, t.Fits = append(t.Aligners, a), append(t.Fits, fit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Of returns the recipe of a kind, and its aligner.
func (t *Trainer) Of(k Kind) (pairgram.Recipe, *pairgram.Aligner) {
	r := t.Recipe
	r.Aligner.Sizes, r.Count.Reversed = k.Sizes, k.Reversed
	i := slices.IndexFunc(t.Inventories(), func(sizes []pairgram.Size) bool { return slices.Equal(sizes, k.Sizes) })
	return r, t.Aligners[i]
}

// Joint returns a joint model for each kind and for the pairs of each class; without classes,
// for all pairs. Align must be called first.
func (t *Trainer) Joint(ctx context.Context, classes []float64, pairs ...[]pairgram.Pair) (*Set, error) {
	s := &Set{Classes: classes}
	for _, k := range t.Kinds {
		recipe, a := t.Of(k)
		for _, of := range pairs {
			m, err := recipe.FitAligned(ctx, a, of)
			if err != nil {
				return nil, err
			}
			s.Joint = append(s.Joint, m)
		}
	}
	return s, nil
}
