package fst_test

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// A lexicon of spellings. The spelling of a word is its best one, unless another one is equally
// good.
func ExampleApply() {
	sounds := func(in, out string, cost semiring.Cost) fst.Path[semiring.Cost] {
		return fst.Path[semiring.Cost]{In: fst.RuneLabels(in), Out: fst.RuneLabels(out), Weight: cost}
	}
	lexicon := must2(fst.Expand(fst.StringMap(semiring.Tropical{}, []fst.Path[semiring.Cost]{
		sounds("nait", "knight", 2.5), sounds("nait", "night", 1), sounds("sait", "site", 1), sounds("sait", "sight", 1),
	}), nil))
	spell := func(word string) (best string, err error) {
		var least semiring.Cost
		for p, err := range fst.Apply(lexicon, fst.RuneLabels(word), nil) {
			switch {
			case err != nil:
				return "", err
			case best == "":
				best, least = string(p.Out), p.Weight
			case p.Weight == least:
				return "", fmt.Errorf("%s or %s", best, string(p.Out))
			default:
				return best, nil
			}
		}
		return best, nil // at most one output
	}
	for _, word := range []string{"nait", "sait", "rait"} {
		best, err := spell(word)
		fmt.Printf("%s %q %v\n", word, best, err)
	}
	// Output:
	// nait "night" <nil>
	// sait "" sight or site
	// rait "" <nil>
}

// take returns the first n outputs.
func take[W any](t testing.TB, n int, outputs iter.Seq2[fst.Path[W], error]) (all []fst.Path[W]) {
	t.Helper()
	for p, err := range outputs {
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, p); len(all) == n {
			break
		}
	}
	return all
}

// applied is an ordered ring from which the weights of random machines are drawn.
type applied[W any] struct {
	ring      semiring.Semiring[W]
	draw      func(*rand.Rand) W
	size      func(W) float64 // greater is better, 0 is Zero
	tolerance float64         // of sizes, relative
}

// checkApply compares Apply and Weight with the weights of all pairs of short strings, computed
// by definition.
func checkApply[W any](t *testing.T, z applied[W]) {
	const most = 20
	differs := func(a, b W) bool {
		x, y := z.size(a), z.size(b)
		return math.Abs(x-y) > z.tolerance*max(x, y)
	}
	arena := fst.NewArena(z.ring)
	several, endless := 0, 0
	for seed := range trials.Seeds(150) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		shape.Labels = min(shape.Labels, 2)
		f := weighted(r, z.ring, shape, func() W { return z.draw(r) })
		w := fsttest.NewWeigher(f)
		for range 4 {
			in := make([]int32, r.IntN(4))
			for i := range in {
				in[i] = r.Int32N(3) // including ε
			}
			read := slices.DeleteFunc(slices.Clone(in), func(l int32) bool { return l == fst.Epsilon })
			arena.Reset()
			got := take(t, most, arena.Apply(fsttest.Opaque[W]{Machine: f}, in, nil))
			found := map[string]bool{}
			last := math.Inf(1)
			for i, p := range got {
				k, size := fsttest.String(p.Out...), z.size(p.Weight)
				if want := w.Weight(read, p.Out); !slices.Equal(p.In, read) || found[k] || size == 0 || differs(p.Weight, want) || size > last*(1+1e-9) {
					t.Fatalf("seed %d, %v: output %d is %v after %v, want %v", seed, in, i, p, last, want)
				}
				found[k], last = true, size
			}
			if len(got) < most { // all outputs
				last = 0
			} else {
				endless++
			}
			if len(got) > 1 {
				several++
			}
			for _, out := range fsttest.Strings(2, 4) {
				want := w.Weight(read, out)
				if z.size(want) > last*(1+1e-9) && !found[fsttest.String(out...)] {
					t.Fatalf("seed %d, %v: %v of %v is missing; the last has %v", seed, in, out, want, last)
				}
				if weight := must(arena.Weight(f, in, out, nil))(t); differs(weight, want) {
					t.Fatalf("seed %d: (%v, %v) has %v, want %v", seed, in, out, weight, want)
				}
			}
		}
	}
	if several < 30 || endless < 10 {
		t.Errorf("%d times several outputs, %d times very many", several, endless)
	}
}

func TestApply(t *testing.T) {
	t.Run("Tropical", func(t *testing.T) {
		checkApply(t, applied[semiring.Cost]{costs, func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(5)) },
			func(c semiring.Cost) float64 { return math.Exp(-float64(c)) }, 0})
	})
	t.Run("Boolean", func(t *testing.T) {
		checkApply(t, applied[bool]{semiring.Boolean{}, func(*rand.Rand) bool { return true },
			func(b bool) float64 { return map[bool]float64{true: 1}[b] }, 0})
	})
	t.Run("Real", func(t *testing.T) { // at most 12 arcs leave a state
		checkApply(t, applied[float64]{reals, func(r *rand.Rand) float64 { return float64(1+r.IntN(4)) / 60 },
			func(p float64) float64 { return p }, 1e-9})
	})
	t.Run("Log", func(t *testing.T) {
		checkApply(t, applied[semiring.LogProb]{semiring.Log{}, func(r *rand.Rand) semiring.LogProb { return semiring.LogProb(-3 - r.Float64()) },
			func(p semiring.LogProb) float64 { return math.Exp(float64(p)) }, 1e-9})
	})
}

// If ⊗ is not commutative, weights of pairs are multiplied in path order.
func TestWeightOrder(t *testing.T) {
	pairs := 0
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		letter := 0
		f := fsttest.New(r, traces, fsttest.Shape{States: 5, Arcs: 9, Labels: 2, Epsilon: .3, Acyclic: true}, &letter)
		want := fsttest.RelationOf(f)
		for _, in := range fsttest.Strings(2, 3) {
			for _, out := range fsttest.Strings(2, 3) {
				p := fsttest.Pair{In: fsttest.String(in...), Out: fsttest.String(out...)}
				w := must(fst.Weight(f, in, out, nil))(t)
				if len(w) > 0 {
					pairs++
				}
				got := fsttest.Relation{}
				got.Add(p, w)
				one := fsttest.Relation{}
				one.Add(p, want[p])
				if d := fsttest.Diff(got, one); d != "" {
					t.Fatalf("seed %d: %s", seed, d)
				}
			}
		}
	}
	if pairs < 100 {
		t.Errorf("only %d pairs", pairs)
	}
}

// inserter copies the label 1 and inserts 2 anywhere, at a cost per inserted label.
func inserter(t *testing.T, cost semiring.Cost) *fst.FST[semiring.Cost] {
	b := fst.NewBuilder(costs)
	b.AddStart(b.AddState(), 0)
	b.SetFinal(0, 0)
	b.AddArc(0, fst.Arc[semiring.Cost]{In: 1, Out: 1, Weight: 0})
	b.AddArc(0, fst.Arc[semiring.Cost]{Out: 2, Weight: cost})
	return must(b.Freeze())(t)
}

// If there are infinitely many outputs, Apply returns the first ones, whether or not they get
// worse, for any machine and from any number of goroutines.
func TestApplyEndless(t *testing.T) {
	for _, p := range take(t, 100, fst.Apply(inserter(t, 0), []int32{1}, nil)) {
		if p.Weight != 0 {
			t.Errorf("%v", p)
		}
	}
	twice := fst.Compose(inserter(t, 1), inserter(t, 1))
	for range 2 { // a lazy machine, again
		outputs := fst.Apply(twice, []int32{1, 1}, nil) // 1 and 1 with n times 2: (n+1)(n+2)/2 outputs
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				n := []int{0, 0, 0, 0}
				for p, err := range outputs {
					if err != nil || p.Weight > 3 {
						break
					}
					n[int(p.Weight)]++
				}
				if !slices.Equal(n, []int{1, 3, 6, 10}) {
					t.Errorf("outputs of costs 0 to 3: %v", n)
				}
			})
		}
		group.Wait()
	}
}

// The outputs do not change if the caller's string changes or the Arena is used again.
func TestApplyArena(t *testing.T) {
	f, arena := inserter(t, 1), fst.NewArena(costs)
	in := []int32{1, 1}
	outputs := arena.Apply(f, in, nil)
	in[0] = 2
	first := take(t, 4, outputs)
	arena.Reset()
	take(t, 4, arena.Apply(f, []int32{1, 1, 1, 1, 1}, nil))
	slices.SortFunc(first, func(p, q fst.Path[semiring.Cost]) int {
		return cmp.Or(cmp.Compare(p.Weight, q.Weight), slices.Compare(p.Out, q.Out))
	})
	if got, want := fmt.Sprint(first), "[{[1 1] [1 1] 0 []} {[1 1] [1 1 2] 1 []} {[1 1] [1 2 1] 1 []} {[1 1] [2 1 1] 1 []}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// failure returns the error that ends outputs, nil if there is no error among the first 50.
func failure[W any](outputs iter.Seq2[fst.Path[W], error]) error {
	n := 0
	for _, err := range outputs {
		if n++; err != nil || n > 50 {
			return err
		}
	}
	return nil
}

// broken is a machine that fails.
type broken struct{ fst.Machine[semiring.Cost] }

var errBroken = errors.New("broken")

func (broken) Err() error { return errBroken }

func TestApplyErrors(t *testing.T) {
	gain := inserter(t, -1)
	insertion := func(p float64) *fst.FST[float64] { // with probability p
		return fsttest.Frozen(fst.Map(gain, reals, func(c semiring.Cost) float64 {
			if c == 0 {
				return 1
			}
			return p
		}))
	}
	viterbi := fst.NewArena(semiring.Viterbi{})
	counts := fst.FromString(semiring.Counting{}, []int32{1})
	scaled := fst.FromString(semiring.Scaled{}, []int32{1})
	loop := must(fst.Expand(fst.Star(fst.FromString(reals, []int32{0})), nil))(t)
	x := []int32{1}
	weight := func(_ any, err error) error { return err }
	for name, test := range map[string]struct{ err, want error }{
		"a ring without order":         {failure(fst.Apply(counts, x, nil)), semiring.ErrCapability},
		"another ring":                 {failure(viterbi.Apply(scaled, x, nil)), fst.ErrMismatch},
		"a limit":                      {failure(fst.Apply(gain, x, &fst.Options{Limit: 2 + 2})), semiring.ErrLimit},
		"just within the limit":        {failure(fst.Apply(inserter(t, 1), x, &fst.Options{Limit: 2 + 3})), nil},
		"a limit for sums":             {failure(fst.Apply(insertion(.25), x, &fst.Options{Limit: 9})), semiring.ErrLimit},
		"ever better":                  {failure(fst.Apply(gain, x, nil)), semiring.ErrDiverges},
		"sums that diverge":            {failure(fst.Apply(insertion(1), x, nil)), semiring.ErrDiverges},
		"negative probabilities":       {failure(fst.Apply(insertion(-.25), x, nil)), semiring.ErrNegative},
		"a machine that fails":         {failure(fst.Apply(broken{gain}, x, nil)), errBroken},
		"weight, another ring":         {weight(viterbi.Weight(scaled, x, x, nil)), fst.ErrMismatch},
		"weight, a limit":              {weight(fst.Weight(gain, x, x, &fst.Options{Limit: 2})), semiring.ErrLimit},
		"weight, an ε-cycle of mass 1": {weight(fst.Weight(loop, nil, nil, nil)), semiring.ErrDiverges},
		"weight, a machine that fails": {weight(fst.Weight(broken{gain}, x, x, nil)), errBroken},
		"weight, ever better outputs":  {weight(fst.Weight(gain, x, []int32{2, 1, 2}, nil)), nil},
	} {
		if !errors.Is(test.err, test.want) {
			t.Errorf("%s: %v, want %v", name, test.err, test.want)
		}
	}
	defer func() {
		if p := fmt.Sprint(recover()); !strings.Contains(p, "want none negative") {
			t.Errorf("panic %q", p)
		}
	}()
	fst.Apply(gain, []int32{-1}, nil)
}

// The sum over all paths, and over the paths of one string.
func ExamplePathSum() {
	ring := semiring.Real{}
	coin, err := fst.Expand(fst.OneState(ring, .5,
		fst.Arc[float64]{In: 'h', Out: 'h', Weight: .25}, fst.Arc[float64]{In: 't', Out: 't', Weight: .25}), nil)
	if err != nil {
		log.Fatal(err)
	}
	twoHeads := fst.Compose(coin, fst.FromString(ring, []rune("hh")))
	for _, m := range []fst.Machine[float64]{coin, twoHeads} {
		p, err := fst.PathSum(m, nil)
		fmt.Println(p, err)
	}
	// Output:
	// 1 <nil>
	// 0.03125 <nil>
}

func TestPathSumErrors(t *testing.T) {
	ring := semiring.Real{}
	one := fst.Arc[float64]{In: 'a', Out: 'a', Weight: 1}
	f, err := fst.Expand(fst.OneState(ring, 1, one), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := fst.PathSum(f, nil); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("1 + 1 + …: %g, %v", p, err)
	}
	long := fst.Concat(fst.FromString(ring, []rune("ab")), fst.FromString(ring, []rune("cd")))
	if p, err := fst.PathSum(long, &fst.Options{Limit: 2}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("beyond the limit: %g, %v", p, err)
	}
}

func ExampleApplyText() {
	costs := fst.NewBuilder(semiring.Tropical{})
	letters := fst.NewSymbols("a", "b", "ch")
	costs.SetSymbols(letters, letters)
	s := costs.AddState()
	costs.AddStart(s, 0)
	costs.SetFinal(s, 0)
	costs.AddArc(s, fst.Arc[semiring.Cost]{In: 1, Out: 3, To: s, Weight: 1})
	costs.AddArc(s, fst.Arc[semiring.Cost]{In: 1, Out: 2, To: s, Weight: 1})
	costs.AddArc(s, fst.Arc[semiring.Cost]{In: 2, Out: 2, To: s})
	f, err := costs.Freeze()
	if err != nil {
		panic(err)
	}
	for _, text := range []string{"bab", "bc"} {
		for out, err := range fst.ApplyText(f, text, nil) {
			if err != nil {
				fmt.Println(err)
				break
			}
			fmt.Println(text, out.Text, out.Weight)
		}
	}
	// Output:
	// bab bbb 1
	// bab bchb 1
	// fst: ApplyText(1 state and 3 arcs): symbols do not match: "c" at position 1 has no label
}
