package fst

import (
	"fmt"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Edits are the weights of the ways in which a string may be changed: a label is
// kept, replaced by another, left out, or put in.
type Edits[W any] struct {
	Keep, Replace, Delete, Insert W
}

// Machine returns the transducer of all edits between strings over the labels in and
// strings over the labels out, any number of them: one state, which is final, with
// (len(in)+1)·(len(out)+1)−1 arcs. With costs 0, 1, 1, 1 in the tropical ring the best
// path of x ∘ Machine ∘ y costs the Levenshtein distance of x and y. The error wraps
// ErrInvalid for a label that is not positive or stands twice on its tape.
func (e Edits[W]) Machine(ring semiring.Semiring[W], in, out []int32) (*FST[W], error) {
	nonnil.Check("fst: Machine", "ring", ring)
	return e.machine(ring, in, out, nil)
}

// Within returns the transducer of at most limit edits, where to keep a label is none:
// limit+1 states, all final, each with the arcs of Machine. With a string x before it, it is
// the Levenshtein automaton of x. Errors are those of Machine, and one that wraps
// ErrInvalid for a negative limit.
func (e Edits[W]) Within(ring semiring.Semiring[W], in, out []int32, limit int) (*FST[W], error) {
	nonnil.Check("fst: Within", "ring", ring)
	if limit < 0 {
		return nil, fmt.Errorf("fst: %w: at most %d edits", ErrInvalid, limit)
	}
	return e.machine(ring, in, out, &limit)
}

// machine returns a machine whose states count edits; without a limit, one state
// that does not.
func (e Edits[W]) machine(ring semiring.Semiring[W], in, out []int32, limit *int) (*FST[W], error) {
	if err := errorsOfAlphabets(in, out); err != nil {
		return nil, err
	}
	b := NewBuilder(ring)
	last, step := int32(0), int32(0)
	if limit != nil {
		last, step = int32(*limit), 1
	}
	b.AddStates(int(last) + 1)
	b.AddStart(0, ring.One())
	for s := range last + 1 {
		b.SetFinal(s, ring.One())
		edit := func(i, o int32, w W) {
			if s+step <= last {
				b.AddArc(s, Arc[W]{In: i, Out: o, To: s + step, Weight: w})
			}
		}
		for _, o := range out {
			edit(Epsilon, o, e.Insert)
		}
		for _, i := range in {
			edit(i, Epsilon, e.Delete)
			for _, o := range out {
				if i == o {
					b.AddArc(s, Arc[W]{In: i, Out: o, To: s, Weight: e.Keep})
				} else {
					edit(i, o, e.Replace)
				}
			}
		}
	}
	return b.Freeze()
}

func errorsOfAlphabets(tapes ...[]int32) error {
	for _, tape := range tapes {
		seen := map[int32]bool{}
		for _, l := range tape {
			if l <= Epsilon || seen[l] {
				return fmt.Errorf("fst: %w: label %d is not positive or stands twice in the alphabet", ErrInvalid, l)
			}
			seen[l] = true
		}
	}
	return nil
}
