package em

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// ErrSymmetric is returned by models for a start from which training can
// never distinguish two hidden states: they are symmetric, and every step preserves
// the symmetry.
var ErrSymmetric = errors.New("symmetric start")

// stepRounding bounds the relative difference that a step may introduce between equal numbers.
const stepRounding = 1e-9

// CheckStart returns an error that wraps ErrSymmetric if hidden choices of a model are alike at
// theta, and still are after a step of EM. A prior, for instance, may distinguish them. It is for
// the Fit of models that know their hidden choices; Fit itself looks for groups that are alike,
// and adds a remark (Result.Remarks).
//
// alike returns the names of two choices that are indistinguishable at a θ, or "" if there are no
// such choices. Numbers are alike if they differ by at most tolerance, relative to the greater one.
// It is called for theta with tolerance 0. If it returns names, it is called again after an
// iteration of Fit.
//
// For an invalid theta, CheckStart returns the error of Params.Check. It returns nil if no
// parameter is estimated, and if the iteration fails: then training fails, too.
func CheckStart(ctx context.Context, l Likelihood, theta []float64, alike func(theta []float64, tolerance float64) (names string)) error {
	nonnil.Check("em: CheckStart", "context", ctx, "likelihood", l, "alike", alike)
	p := l.Params()
	if err := p.Check(theta); err != nil {
		return err
	}
	fixed := func(g *Group) bool { _, ok := g.law.(Fixed); return ok }
	if !slices.ContainsFunc(p.groups, func(g *Group) bool { return !fixed(g) }) || alike(theta, 0) == "" {
		return nil
	}
	r, err := Fit(ctx, l, &Options{Start: theta, Iterations: 1, Tolerance: -1})
	if err != nil || r.Status == Canceled {
		return nil
	}
	if names := alike(r.Theta, stepRounding); names != "" {
		return nested.Errorf("%w: %s have equal parameters and would keep them", ErrSymmetric, names)
	}
	return nil
}

// groupHash identifies the values of a group.
type groupHash struct {
	hash  uint64
	group int32
}

var hashSeed = maphash.MakeSeed()

// hashes returns hashes of the law, the size and the values of each group that is estimated and
// has a choice. Values that differ only by rounding almost always have the same hash.
func (p *Params) hashes(theta []float64) []groupHash {
	var all []groupHash
	for i, g := range p.groups {
		if _, fixed := g.law.(Fixed); !fixed && g.n > 1 {
			all = append(all, groupHash{g.hash(theta), int32(i)})
		}
	}
	return all
}

// hash returns a hash of the law, the size and the values of a group.
func (g *Group) hash(theta []float64) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	maphash.WriteComparable(&h, reflect.TypeOf(g.law))
	maphash.WriteComparable(&h, g.n)
	for _, x := range g.In(theta) {
		maphash.WriteComparable(&h, float32(x))
	}
	return h.Sum64()
}

// classes returns the groups of each hash that several groups share, in ascending order.
func classes(all []groupHash) (sets [][]int32) {
	slices.SortFunc(all, func(a, b groupHash) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.group, b.group))
	})
	for lo := 0; lo < len(all); {
		hi := lo + 1
		for hi < len(all) && all[hi].hash == all[lo].hash {
			hi++
		}
		if hi > lo+1 {
			var set []int32
			for _, x := range all[lo:hi] {
				set = append(set, x.group)
			}
			sets = append(sets, set)
		}
		lo = hi
	}
	slices.SortFunc(sets, slices.Compare)
	return sets
}

// mostChecked is the largest number of parameters for which Fit looks for symmetry, as the check
// takes another vector of their length. Larger tables rarely contain only hidden choices.
const mostChecked = 100_000

// startsAlike returns the hashes of the groups at theta if some of them begin alike. It returns
// nil if there are further starts, too many parameters to look for symmetry, or a Heuristic,
// whose counts do not show whether it can distinguish groups.
func (t *Trainer) startsAlike(theta []float64) []groupHash {
	if t.opts.starts() > 1 || t.params.n > mostChecked || heuristic(t.likelihood) {
		return nil
	}
	all := t.params.hashes(theta)
	if len(classes(slices.Clone(all))) == 0 {
		return nil
	}
	return all
}

// counted removes groups whose counts are all 0, as they give no evidence.
func (t *Trainer) counted(all []groupHash, counts []float64) []groupHash {
	return slices.DeleteFunc(all, func(x groupHash) bool { return floats.Norm(t.params.groups[x.group].In(counts), 1) == 0 })
}

// symmetric returns a remark on groups that began alike, by hashes of the start, and still are
// after a step, at theta. These are hidden choices that training does not distinguish, unless
//
//   - their counts are also proportional at random values: the observations are the same for them
//   - the data do not distinguish them at all: the likelihood at random values does not change if
//     each group gets the mean of all
//
// It takes two E steps if there are such groups. It returns "" if these fail.
func (t *Trainer) symmetric(ctx context.Context, start []groupHash, theta []float64) string {
	both := slices.Clone(start)
	for i, x := range start {
		both[i].hash = t.params.groups[x.group].hash(theta) ^ x.hash*0x9e3779b97f4a7c15
	}
	sets := classes(both)
	if len(sets) == 0 {
		return ""
	}
	random := t.params.Random(rand.NewPCG(1, 2))
	apart, err := t.probe(ctx, random)
	if err != nil {
		return ""
	}
	sets = slices.DeleteFunc(sets, func(set []int32) bool {
		first := t.params.groups[set[0]].In(apart.Counts)
		return !slices.ContainsFunc(set[1:], func(g int32) bool {
			return !inProportion(first, t.params.groups[g].In(apart.Counts))
		})
	})
	if len(sets) == 0 {
		return ""
	}
	for _, set := range sets {
		first := t.params.groups[set[0]].In(random)
		for _, g := range set[1:] {
			floats.Add(first, t.params.groups[g].In(random))
		}
		floats.Scale(1/float64(len(set)), first)
		for _, g := range set[1:] {
			copy(t.params.groups[g].In(random), first)
		}
	}
	mean, err := t.probe(ctx, random)
	if err != nil || math.Abs(mean.LogLikelihood-apart.LogLikelihood) <= stepRounding*(1+math.Abs(mean.LogLikelihood)) {
		return ""
	}
	names := fmt.Sprintf("groups %s and %s", t.params.groups[sets[0][0]], t.params.groups[sets[0][1]])
	total := 0
	for _, set := range sets {
		total += len(set)
	}
	if total > 2 {
		names += fmt.Sprintf(" (the first of %d)", total)
	}
	return fmt.Sprintf("the start is symmetric: %s have equal parameters at the start and would keep them; for different groups, start from Params.Random or use Restarts", names)
}

// probe makes an E step that is not a part of training.
func (t *Trainer) probe(ctx context.Context, theta []float64) (*Expectations, error) {
	q := t.query(theta)
	q.EStep = Marginal
	if err := t.params.Check(theta); err != nil {
		return nil, err
	}
	return t.likelihood.Expect(ctx, q)
}

// inProportion reports whether a and b are the same up to a factor, or one of them is 0.
func inProportion(a, b []float64) bool {
	x, y := floats.Norm(a, 1), floats.Norm(b, 1)
	if x == 0 || y == 0 {
		return true
	}
	for i := range a {
		if math.Abs(a[i]/x-b[i]/y) > stepRounding {
			return false
		}
	}
	return true
}
