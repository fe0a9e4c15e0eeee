package fst_test

import (
	"errors"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

var allParts = []fst.Parts{fst.Labels, fst.Weights, fst.Labels | fst.Weights}

// Decoding undoes encoding; what is encoded has no other labels or weights.
func TestCodec(t *testing.T) {
	ring := semiring.Semiring[series](keyed{fsttest.Traces{Max: 5}})
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		letters := 0
		f := fsttest.New(r, ring, shapes(r), &letters)
		for _, parts := range allParts {
			c := must(fst.NewCodec(ring, parts))(t)
			g := must(c.Encode(f, nil))(t)
			for s := range int32(g.NumStates()) {
				for _, a := range g.AppendArcs(nil, s) {
					if a.In == fst.Epsilon || parts&fst.Labels != 0 && a.In != a.Out || parts&fst.Weights != 0 && a.Weight[""] != 1 {
						t.Fatalf("seed %d: parts %b of an arc are encoded as %v", seed, parts, a)
					}
				}
				if w := g.Final(s); parts&fst.Weights != 0 && len(w) > 0 && w[""] != 1 {
					t.Fatalf("seed %d: final weight %v", seed, w)
				}
			}
			check(t, seed, "decoded", must(c.Decode(g, nil))(t), fsttest.RelationOf(f))
		}
	}
}

// Transducers that are no functions can be determinized and minimized as encoded, and so
// can weights of no twins; equal arcs of two machines have equal labels.
func TestCodecDeterminize(t *testing.T) {
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		f := weighted(r, costs, shape, func() semiring.Cost { return semiring.Cost(r.IntN(3)) })
		c := must(fst.NewCodec(costs, fst.Labels|fst.Weights))(t)
		g := must(fst.Expand(fst.Determinize(must(c.Encode(f, nil))(t), nil), nil))(t)
		g = must(fst.Minimize(g, nil))(t)
		sameWeights(t, seed, "decoded", must(c.Decode(g, nil))(t), f)
	}
	c := must(fst.NewCodec(costs, fst.Labels))(t)
	a := must(c.Encode(fst.FromPair(costs, []int32{1, 2}, []int32{3, 3}), nil))(t)
	b := must(c.Encode(fst.FromPair(costs, []int32{2, 2}, []int32{3, 4}), nil))(t)
	if a.In()[1] != b.In()[0] || a.In()[0] == b.In()[1] {
		t.Errorf("codes %v and %v", a.In(), b.In())
	}
}

func TestCodecErrors(t *testing.T) {
	if _, err := fst.NewCodec(traces, fst.Weights); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("weights without keys: %v", err)
	}
	c := must(fst.NewCodec(traces, fst.Labels))(t)
	if _, err := c.Decode(fst.FromString(traces, []int32{1}), nil); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("a label of another codec: %v", err)
	}
	for _, do := range []func(fst.Machine[series], *fst.Options) (*fst.FST[series], error){c.Encode, c.Decode} {
		if _, err := do(fst.FromString(bags, nil), nil); !errors.Is(err, fst.ErrMismatch) {
			t.Errorf("another ring: %v", err)
		}
	}
}
