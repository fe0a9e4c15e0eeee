package fst_test

import (
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
)

// finder is a machine that finds arcs by label and counts those that it makes.
type finder struct {
	fst.Machine[series]
	made *int
}

func (f finder) AppendArcs(dst []fst.Arc[series], s int32) []fst.Arc[series] {
	n := len(dst)
	dst = f.Machine.AppendArcs(dst, s)
	*f.made += len(dst) - n
	return dst
}

func (f finder) AppendMatching(dst []fst.Arc[series], s int32, tape fst.Tape, label int32) []fst.Arc[series] {
	for _, a := range f.Machine.AppendArcs(nil, s) {
		if tape == fst.Input && a.In == label || tape == fst.Output && a.Out == label {
			dst = append(dst, a)
			*f.made++
		}
	}
	return dst
}

// A Finder is composed like the machine that it stands for, on either side and both.
func TestComposeFinder(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		letters, made := 0, 0
		a, b := fsttest.New(r, bags, shapes(r), &letters), fsttest.New(r, bags, shapes(r), &letters)
		want := fsttest.Join(bags, fsttest.RelationOf(a), fsttest.RelationOf(b))
		left, right := disguise(t, r, a), disguise(t, r, b)
		if seed%3 != 0 {
			left = finder{a, &made}
		}
		if seed%3 != 1 {
			right = finder{b, &made}
		}
		c := must(fst.Expand(fst.Compose(left, right), nil))(t)
		if d := fsttest.Diff(fsttest.RelationOf(c), want); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
}

// Beside a string, arcs of its labels alone are made.
func TestFinderMakesWhatIsAsked(t *testing.T) {
	b := fst.NewBuilder(bags)
	b.AddStates(1)
	b.AddStart(0, bags.One())
	b.SetFinal(0, bags.One())
	for l := range int32(1000) {
		b.AddArc(0, fst.Arc[series]{In: 1 + l, Out: 1 + l, Weight: bags.One()})
	}
	made := 0
	all := finder{must(b.Freeze())(t), &made}
	x := fst.FromString(bags, []int32{5, 700, 5})
	for _, chain := range [][2]fst.Machine[series]{{x, all}, {all, x}} {
		made = 0
		c := must(fst.Expand(fst.Compose(chain[0], chain[1]), nil))(t)
		if c.NumArcs() != 3 || made > 2 {
			t.Errorf("%d arcs, %d arcs made; want 3 and 2", c.NumArcs(), made)
		}
	}
}
