package gold

import (
	"fmt"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/align"
)

// First returns the position of first words in the references of a text, 0 or 1, and whether it is
// known. It is 0 if some link has position 0, or there are no links. It is 1 if all positions are
// positive, at most the number of words of their sentence on that side, and some position equals
// this number. Otherwise First returns 0 and false. words returns the numbers of words of sentence
// i; if it is nil, the second case is not recognized.
func First(references []Reference, words func(i int) (source, target int)) (first int, known bool) {
	links, last, beyond := 0, false, false
	for i, r := range references {
		for _, set := range []align.Alignment{r.Sure, r.Possible} {
			for _, l := range set {
				if l.Source == 0 || l.Target == 0 {
					return 0, true
				}
				links++
				if words != nil {
					source, target := words(i)
					last = last || l.Source == source || l.Target == target
					beyond = beyond || l.Source > source || l.Target > target
				}
			}
		}
	}
	if last && !beyond {
		return 1, true
	}
	return 0, links == 0
}

// FromOne converts references whose positions count from 1 to positions from 0. The error wraps
// ErrRange and contains the index of the reference, from 1, if a position is 0.
func FromOne(references []Reference) ([]Reference, error) {
	all := make([]Reference, len(references))
	for i, r := range references {
		sure, err := lowered(r.Sure)
		if err != nil {
			return nil, nested.Errorf("reference %d: %w", i+1, err)
		}
		possible, err := lowered(r.Possible)
		if err != nil {
			return nil, nested.Errorf("reference %d: %w", i+1, err)
		}
		all[i] = Reference{sure, possible}
	}
	return all, nil
}

// lowered returns the links with positions reduced by 1, in the same order.
func lowered(links align.Alignment) (align.Alignment, error) {
	var all align.Alignment
	for _, l := range links {
		if l.Source == 0 || l.Target == 0 {
			return nil, fmt.Errorf("%w: %d-%d, want positions from 1", ErrRange, l.Source, l.Target)
		}
		all = append(all, align.Link{Source: l.Source - 1, Target: l.Target - 1})
	}
	return all, nil
}
