package nbest_test

import (
	stdcmp "cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

type weight = semiring.ScaledFloat

var scaled = semiring.Scaled{}

// random returns an acyclic acceptor of ambiguous strings over 1, 2, 3, with ε-arcs, and
// the probabilities of all its strings.
func random(rng *rand.Rand) (*nbest.Lattice, map[string]float64, map[string][]int32) {
	b := fst.NewBuilder(scaled)
	n := 2 + rng.Int32N(5)
	b.AddStates(int(n))
	b.AddStart(0, scaled.One())
	for s := range n {
		for range rng.IntN(4) {
			if s+1 < n {
				l := rng.Int32N(4)
				b.AddArc(s, fst.Arc[weight]{In: l, Out: l, To: s + 1 + rng.Int32N(n-s-1), Weight: semiring.NewScaled(rng.Float64())})
			}
		}
		b.SetFinal(s, semiring.NewScaled(rng.Float64()))
	}
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	p, strings, total := map[string]float64{}, map[string][]int32{}, 0.0
	for path := range f.Paths() {
		k := fmt.Sprint(path.In)
		p[k] += path.Weight.Float64()
		strings[k] = slices.Clone(path.In)
		total += path.Weight.Float64()
	}
	for k := range p {
		p[k] /= total
	}
	return f, p, strings
}

// Lists are exact, or, after little work, go on with those of the best paths. A shorter
// list is the beginning of a longer one.
func TestBest(t *testing.T) {
	for seed := range trials.Seeds(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		f, p, strings := random(rng)
		total, err := graph.PathSum(f.Graph())
		if err != nil {
			t.Fatal(err)
		}
		for _, work := range []int{0, 3} {
			n := 1 + rng.IntN(5)
			list, exact, err := nbest.Best(f.Graph(), f.In(), n, work)
			if err != nil || len(list) != min(n, len(p)) || work == 0 && !exact {
				t.Fatalf("seed %d: %v, %v (%v), want %d of %d", seed, list, exact, err, n, len(p))
			}
			for k := range n {
				short, _, err := nbest.Best(f.Graph(), f.In(), k, work)
				if d := cmp.Diff(list[:min(k, len(list))], short, cmpopts.EquateEmpty()); err != nil || d != "" {
					t.Fatalf("seed %d, work %d: %d strings are not the first of %d: %v, %s", seed, work, k, n, err, d)
				}
			}
			last, left := math.Inf(1), len(list)
			sums := true // so far
			for _, c := range list {
				want := math.Log(p[fmt.Sprint(c.Labels)]) + total.Log()
				if sums = sums && math.Abs(c.LogProb-want) <= 1e-12; !exact && !sums {
					want = math.Inf(-1)
					for path := range f.Paths() {
						if slices.Equal(path.In, c.Labels) {
							want = max(want, path.Weight.Log())
						}
					}
				}
				if math.Abs(c.LogProb-want) > 1e-12 || c.LogProb > last+1e-9 {
					t.Fatalf("seed %d: %v after %g, want %g", seed, c, last, want)
				}
				last = c.LogProb
			}
			for k := range strings {
				if x := math.Log(p[k]) + total.Log(); exact && x > last+1e-9 {
					left--
				}
			}
			if left < 0 {
				t.Fatalf("seed %d: strings better than the last of %v are missing", seed, list)
			}
		}
	}
	empty := fst.FromString(scaled, nil)
	if _, _, err := nbest.Best(empty.Graph(), empty.In(), 1, 0); err != nil {
		t.Error(err)
	}
}

// Posteriors agree with the sum over all strings, and Decode has the least expected
// Hamming loss of all strings of those lengths.
func TestPosteriors(t *testing.T) {
	const n = 3
	for seed := range trials.Seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		f, p, strings := random(rng)
		got, err := nbest.Posteriors(f, n)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			want := map[int32]float64{}
			for k, s := range strings {
				if i < len(s) {
					want[s[i]] += p[k]
				} else {
					want[0] += p[k]
				}
			}
			for l := range int32(4) {
				x := got[i].Symbols[l]
				if l == 0 {
					x = got[i].End
				}
				if math.Abs(x-want[l]) > 1e-12 {
					t.Fatalf("seed %d: label %d at %d has %g, want %g", seed, l, i, x, want[l])
				}
			}
		}
		hamming := func(y []int32) (sum float64) {
			at := func(s []int32, i int) int32 {
				if i < len(s) {
					return s[i]
				}
				return 0
			}
			for k, s := range strings {
				for i := range n {
					if at(y, i) != at(s, i) {
						sum += p[k]
					}
				}
			}
			return sum
		}
		best := hamming(nbest.Decode(got))
		for y := range all(3, n) {
			if hamming(y) < best-1e-12 {
				t.Fatalf("seed %d: %v has loss %g, %v has %g", seed, nbest.Decode(got), best, y, hamming(y))
			}
		}
	}
	// A cycle: half of the strings go on, all of 1.
	b := fst.NewBuilder(scaled)
	b.AddState()
	b.AddStart(0, scaled.One())
	b.SetFinal(0, semiring.NewScaled(.5))
	b.AddArc(0, fst.Arc[weight]{In: 1, Out: 1, Weight: semiring.NewScaled(.5), To: 0})
	loop, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	got, err := nbest.Posteriors(loop, 3)
	if err != nil || math.Abs(got[2].Symbols[1]-.125) > 1e-15 || math.Abs(got[2].End-.875) > 1e-15 {
		t.Errorf("positions %v of a loop (%v)", got, err)
	}
	none, err := fst.Connect(fst.Map(loop, scaled, func(weight) weight { return weight{} }), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nbest.Posteriors(none, 1); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("error %v, want ErrUnderivable", err)
	}
}

// all yields the strings over 1 … labels of at most n symbols.
func all(labels int32, n int) func(func([]int32) bool) {
	return func(yield func([]int32) bool) {
		var grow func(s []int32) bool
		grow = func(s []int32) bool {
			if !yield(s) {
				return false
			}
			for l := int32(1); l <= labels && len(s) < n; l++ {
				if !grow(append(s[:len(s):len(s)], l)) {
					return false
				}
			}
			return true
		}
		grow(nil)
	}
}

// recursive is the edit distance by its definition.
func recursive(a, b []int32) float64 {
	if len(a) == 0 || len(b) == 0 {
		return float64(len(a) + len(b))
	}
	change := 1.0
	if a[0] == b[0] {
		change = 0
	}
	return min(recursive(a[1:], b)+1, recursive(a, b[1:])+1, recursive(a[1:], b[1:])+change)
}

func TestEditDistance(t *testing.T) {
	for seed := range trials.Seeds(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		draw := func() []int32 {
			s := make([]int32, rng.IntN(6))
			for i := range s {
				s[i] = rng.Int32N(3)
			}
			return s
		}
		a, b := draw(), draw()
		if got, err := nbest.EditDistance(a, b); err != nil || got != recursive(a, b) {
			t.Fatalf("distance of %v and %v is %g, want %g (%v)", a, b, got, recursive(a, b), err)
		}
	}
	long := make([]int32, 10000)
	if _, err := nbest.EditDistance(long, long); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want ErrLimit", err)
	}
}

// The most probable candidate is far from all others, which are near each other.
func TestMinimumRisk(t *testing.T) {
	list := []nbest.Candidate{{[]int32{1, 1, 1}, math.Log(.4)}, {[]int32{2, 2, 2}, math.Log(.3)}, {[]int32{2, 2, 3}, math.Log(.3)}}
	for i := range list {
		list[i].LogProb -= 1000
	}
	got, err := nbest.MinimumRisk(list, nbest.EditDistance)
	if err != nil || !slices.Equal(got[0].Labels, list[1].Labels) || math.Abs(got[0].Loss-(.4*3+.3)) > 1e-12 || math.Abs(got[2].Loss-.6*3) > 1e-12 {
		t.Errorf("risks %v (%v)", got, err)
	}
	exact := func(a, b []int32) (float64, error) {
		if slices.Equal(a, b) {
			return 0, nil
		}
		return 1, nil
	}
	if got, err = nbest.MinimumRisk(list, exact); err != nil || !slices.Equal(got[0].Labels, list[0].Labels) {
		t.Errorf("risks %v (%v)", got, err)
	}
}

// table is a model of the probabilities of some targets, of the source 1 alone.
type table map[int32]float64

func (m table) Best(_ context.Context, x []int32, n int) ([]nbest.Candidate, error) {
	if x[0] != 1 {
		return nil, nbest.ErrUnknown
	}
	var list []nbest.Candidate
	for y, p := range m {
		list = append(list, nbest.Candidate{Labels: []int32{y}, LogProb: math.Log(p)})
	}
	slices.SortFunc(list, func(a, b nbest.Candidate) int { return int(math.Copysign(1, b.LogProb-a.LogProb)) })
	return list[:min(n, len(list))], nil
}

// short is a model that finds few of its targets.
type short struct {
	table
	most int
}

func (m short) Best(ctx context.Context, x []int32, n int) ([]nbest.Candidate, error) {
	return m.table.Best(ctx, x, min(n, m.most))
}

func (m table) LogProb(_, y []int32) (float64, error) { return math.Log(m[y[0]]), nil }

// together is a model that scores the targets of one source together.
type together struct{ table }

func (m together) LogProbs(_ context.Context, x []int32, ys [][]int32) ([]float64, error) {
	if x[0] != 1 {
		return nil, nbest.ErrUnknown
	}
	all := make([]float64, len(ys))
	for i, y := range ys {
		all[i] = math.Log(m.table[y[0]])
	}
	return all, nil
}

// A product asks what scores targets together, and answers what it would ask one by one.
func TestRescorer(t *testing.T) {
	a, b := table{1: .5, 2: .3, 3: .2}, table{2: .5, 3: .4, 4: .1}
	var lists [][]nbest.Candidate
	for i, second := range []nbest.Predictor{b, together{b}} {
		p, err := nbest.NewProduct(nbest.Factor{a, 2}, nbest.Factor{second, 1})
		if err != nil {
			t.Fatal(err)
		}
		list, err := p.Best(t.Context(), []int32{1}, 5)
		if err != nil || len(list) != 2 {
			t.Fatal(list, err)
		}
		lists = append(lists, list)
		if logp, err := p.LogProb([]int32{2}, []int32{2}); err != nil || i == 1 && !math.IsInf(logp, -1) {
			t.Errorf("a source that a factor does not know: %v, %v", logp, err)
		}
	}
	if d := cmp.Diff(lists[0], lists[1]); d != "" {
		t.Error(d)
	}
}

// A mixture is the sum of its models, the ones that know the source.
func TestMixture(t *testing.T) {
	a, b := table{1: .5, 2: .3, 3: .2}, table{2: .5, 3: .4, 4: .1}
	m, err := nbest.NewMixture(nbest.Factor{a, .25}, nbest.Factor{together{b}, .75})
	if err != nil {
		t.Fatal(err)
	}
	list, err := m.Best(t.Context(), []int32{1}, 4)
	if err != nil || len(list) != 4 {
		t.Fatal(list, err)
	}
	for i, want := range []nbest.Candidate{
		{Labels: []int32{2}, LogProb: math.Log(.25*.3 + .75*.5)}, {Labels: []int32{3}, LogProb: math.Log(.25*.2 + .75*.4)},
		{Labels: []int32{1}, LogProb: math.Log(.25 * .5)}, {Labels: []int32{4}, LogProb: math.Log(.75 * .1)},
	} {
		if d := cmp.Diff(want, list[i], cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Error(d)
		}
		if logp, err := m.LogProb([]int32{1}, want.Labels); err != nil || math.Abs(logp-want.LogProb) > 1e-12 {
			t.Errorf("%v has ln p %v by itself (%v)", want, logp, err)
		}
	}
	if short, err := m.Best(t.Context(), []int32{1}, 1); err != nil || len(short) != 1 || short[0].Labels[0] != 2 {
		t.Error(short, err)
	}
	if none, err := m.LogProb([]int32{1}, []int32{9}); err != nil || !math.IsInf(none, -1) {
		t.Error(none, err)
	}
	if _, err := m.Best(t.Context(), []int32{2}, 2); !errors.Is(err, nbest.ErrUnknown) {
		t.Errorf("error %v, want ErrUnknown", err)
	}
}

func TestProduct(t *testing.T) {
	ctx := context.Background()
	a, b := table{1: .5, 2: .3, 3: .2}, table{2: .5, 3: .4, 4: .1}
	p, err := nbest.NewProduct(nbest.Factor{a, 2}, nbest.Factor{b, 1})
	if err != nil {
		t.Fatal(err)
	}
	p.Candidates = 1 // of each at first
	if got, err := p.Best(ctx, []int32{1}, 1); err != nil || got[0].Labels[0] != 2 {
		t.Errorf("product %v (%v)", got, err)
	}
	p.Candidates = 0
	got, err := p.Best(ctx, []int32{1}, 2)
	if err != nil || len(got) != 2 || got[0].Labels[0] != 2 || got[1].Labels[0] != 3 || math.Abs(got[0].LogProb-math.Log(.3*.3*.5)) > 1e-12 {
		t.Errorf("product %v (%v)", got, err)
	}
	if _, err := p.Best(ctx, []int32{2}, 2); !errors.Is(err, nbest.ErrUnknown) {
		t.Errorf("error %v, want ErrUnknown", err)
	}
	p.Candidates = -1
	if _, err := p.Best(ctx, []int32{1}, 2); !errors.Is(err, nbest.ErrInvalid) {
		t.Errorf("error %v of -1 candidates, want ErrInvalid", err)
	}
}

// Models that agree on no target do not silence each other: the first that has one answers.
func TestProductOfStrangers(t *testing.T) {
	ctx := t.Context()
	a, b, none := table{1: .75, 2: .25}, table{3: .9, 4: .1}, table{}
	for i, x := range []struct {
		factors []nbest.Factor
		want    []nbest.Candidate
	}{
		{[]nbest.Factor{{a, 2}, {b, 1}}, []nbest.Candidate{{Labels: []int32{1}, LogProb: 2 * math.Log(.75)}, {Labels: []int32{2}, LogProb: 2 * math.Log(.25)}}},
		{[]nbest.Factor{{b, 1}, {a, 2}}, []nbest.Candidate{{Labels: []int32{3}, LogProb: math.Log(.9)}, {Labels: []int32{4}, LogProb: math.Log(.1)}}},
		{[]nbest.Factor{{none, 1}, {a, 1}}, []nbest.Candidate{{Labels: []int32{1}, LogProb: math.Log(.75)}, {Labels: []int32{2}, LogProb: math.Log(.25)}}},
		{[]nbest.Factor{{none, 1}, {none, 1}}, nil},
		// One common target is enough for the others to be left out.
		{[]nbest.Factor{{a, 1}, {table{2: .5, 3: .5}, 1}}, []nbest.Candidate{{Labels: []int32{2}, LogProb: math.Log(.25) + math.Log(.5)}}},
	} {
		p, err := nbest.NewProduct(x.factors...)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			got, err := p.Best(ctx, []int32{1}, n)
			if d := cmp.Diff(x.want[:min(n, len(x.want))], got, cmpopts.EquateEmpty(), cmpopts.EquateApprox(1e-12, 0)); err != nil || d != "" {
				t.Errorf("case %d, %d targets: %v, %s", i, n, err, d)
			}
		}
	}
}

// What a product answers does not depend on how many answers are asked for: a shorter list
// is the beginning of a longer one. All targets are found in the end, and as many as there
// are Candidates are in order.
func TestProductListsBeginAlike(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		targets := 1 + rng.IntN(60)
		var factors []nbest.Factor
		for range 1 + rng.IntN(3) {
			m := table{}
			for y := range int32(targets) {
				m[y+1] = math.Exp(-10 * rng.Float64())
			}
			factors = append(factors, nbest.Factor{Predictor: m, Weight: .1 + rng.Float64()})
		}
		// The last finds less, and the others go on.
		if last := len(factors) - 1; last > 0 {
			factors[last].Predictor = short{factors[last].Predictor.(table), 1 + rng.IntN(15)}
		}
		p, err := nbest.NewProduct(factors...)
		if err != nil {
			t.Fatal(err)
		}
		first := 10
		if rng.IntN(2) == 0 {
			first = 1 + rng.IntN(70)
			p.Candidates = first
		}
		all, err := p.Best(t.Context(), []int32{1}, 1000)
		if err != nil || len(all) != targets {
			t.Fatalf("seed %d: %d of %d targets, %v", seed, len(all), targets, err)
		}
		for n := range targets {
			got, err := p.Best(t.Context(), []int32{1}, n)
			if d := cmp.Diff(all[:n], got, cmpopts.EquateEmpty()); err != nil || d != "" {
				t.Fatalf("seed %d: %d targets are not the first of all: %v, %s", seed, n, err, d)
			}
		}
		if !slices.IsSortedFunc(all[:min(first, targets)], func(a, b nbest.Candidate) int { return stdcmp.Compare(b.LogProb, a.LogProb) }) {
			t.Errorf("seed %d: the first are not in order: %v", seed, all)
		}
	}
}

// Of symbols and lengths that are as good the lesser is taken, whatever the order of a map.
func TestDecodeTies(t *testing.T) {
	for range 20 {
		got := nbest.Decode([]nbest.Position{{Symbols: map[int32]float64{3: .4, 1: .4, 2: .1}, End: .1}, {Symbols: map[int32]float64{1: .5}, End: .5}})
		if !slices.Equal(got, []int32{1}) {
			t.Fatalf("%v, want [1]", got)
		}
	}
}
