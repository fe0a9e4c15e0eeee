package forest_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/internal/erased"
)

func TestNewRefuses(t *testing.T) {
	type arrays struct{ edge, tail, tails []int32 }
	for _, test := range []struct {
		name string
		arrays
		weights, root int
		want          error
	}{
		{"no offsets", arrays{nil, []int32{0}, nil}, 0, 0, semiring.ErrShape},
		{"offsets that do not start at 0", arrays{[]int32{1, 1}, []int32{0, 0}, nil}, 1, 0, semiring.ErrShape},
		{"offsets that do not end with the edges", arrays{[]int32{0, 2}, []int32{0, 0}, nil}, 1, 0, semiring.ErrShape},
		{"decreasing offsets", arrays{[]int32{0, 2, 1}, []int32{0, 0}, nil}, 1, 0, semiring.ErrShape},
		{"a tail that is not a node", arrays{[]int32{0, 1}, []int32{0, 1}, []int32{1}}, 1, 0, semiring.ErrShape},
		{"too few weights", arrays{[]int32{0, 1}, []int32{0, 0}, nil}, 0, 0, semiring.ErrShape},
		{"a root that is not a node", arrays{[]int32{0, 1}, []int32{0, 0}, nil}, 1, 1, semiring.ErrShape},
	} {
		_, err := forest.New(semiring.Real{}, test.edge, test.tail, test.tails, make([]float64, test.weights),
			[]forest.Root[float64]{{Node: int32(test.root), Weight: 1}})
		if !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.want)
		}
	}
}

func TestEmpty(t *testing.T) {
	f, err := forest.New(semiring.Real{}, []int32{0}, []int32{0}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if sum := must(forest.TreeSum(f)); sum != 0 {
		t.Errorf("tree sum %v of no trees", sum)
	}
	in, out, err := forest.Outside(f)
	if len(in)+len(out) != 0 || err != nil {
		t.Errorf("inside %v, outside %v, %v", in, out, err)
	}
	p, err := forest.Posteriors(f)
	if err != nil || p.Total != 0 {
		t.Errorf("posteriors %v, %v", p, err)
	}
	best, err := forest.BestTree(forest.Map(f, semiring.Viterbi{}, semiring.NewScaled))
	if err != nil || best.Root != -1 || len(best.Edges) != 0 || !best.Weight.IsZero() {
		t.Errorf("best tree %v, %v", best, err)
	}
}

// ExampleFold writes the tree of a wide edge with brackets.
func ExampleFold() {
	// Nodes 0, 1, 2 are leaves; node 3 has one edge, number 3, to all of them.
	f, err := forest.New(semiring.Tropical{}, []int32{0, 1, 2, 3, 4}, []int32{0, 0, 0, 0, 3}, []int32{2, 0, 1},
		[]semiring.Cost{1, 2, 3, 4}, []forest.Root[semiring.Cost]{{Node: 3}})
	if err != nil {
		panic(err)
	}
	best, err := forest.BestTree(f)
	if err != nil {
		panic(err)
	}
	text := forest.Fold(f, best.Edges, func(edge int32, below []string) string {
		return fmt.Sprintf("%d%s", edge, below)
	})
	fmt.Println(best.Edges, best.Weight, text)
	// Output: [3 2 0 1] 10 3[2[] 0[] 1[]]
}

func TestFoldPanics(t *testing.T) {
	f, err := forest.New(semiring.Real{}, []int32{0, 1, 2, 3}, []int32{0, 0, 1, 1}, []int32{0}, []float64{1, 1, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, edges := range [][]int32{{1}, {0, 0}, {0, 1}, {1, 2}, {1, 1, 0, 0}} { // node 2 is no tail
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("edges %v pass for a tree", edges)
				}
			}()
			forest.Fold(f, edges, func(int32, []int) int { return 0 })
		}()
	}
}

// Forests that share a topology, fresh and without caches, are asked by several
// goroutines at once.
func TestConcurrentUse(t *testing.T) {
	f := foresttest.New(graphtest.Rand(3), semiring.Real{}, small, unit)
	viterbi := forest.Map(f, semiring.Viterbi{}, semiring.NewScaled)
	log := forest.Map(f, semiring.Log{}, semiring.Log{}.FromLog)
	trees, err := forest.BestTrees(viterbi)
	if err != nil {
		t.Fatal(err)
	}
	sampler := must(forest.NewSampler(f))
	var group sync.WaitGroup
	totals, counts := make([]float64, 8), make([]int, 8)
	for n := range totals {
		group.Go(func() {
			p, err := forest.Posteriors(f)
			if err != nil {
				t.Error(err)
				return
			}
			totals[n] = p.Total
			if _, _, err := forest.Outside(log); err != nil {
				t.Error(err)
			}
			if _, err := forest.Entropy(f); err != nil {
				t.Error(err)
			}
			if tree := sampler.Sample(graphtest.Rand(uint64(n))); tree.Root < 0 {
				t.Error("no tree is drawn")
			}
			for range trees {
				counts[n]++
			}
		})
	}
	group.Wait()
	for n := range totals {
		if totals[n] != totals[0] || counts[n] != counts[0] || counts[n] == 0 {
			t.Errorf("totals %v, numbers of trees %v", totals, counts)
		}
	}
}

// sameList compares lists; trailing zeros may be omitted.
func sameList(a, b []float64) bool {
	for len(a) < len(b) {
		a = append(slices.Clip(a), 0)
	}
	for len(b) < len(a) {
		b = append(slices.Clip(b), 0)
	}
	return slices.EqualFunc(a, b, near)
}

func TestSumsInRingsOfLists(t *testing.T) {
	cost := func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(9)) }
	for _, k := range []int{1, 3} {
		ring := must(semiring.KBest(semiring.Tropical{}, k))
		tryErased(t, ring, 300, func(r *rand.Rand) semiring.Ranked[semiring.Cost] {
			list := make(semiring.Ranked[semiring.Cost], 1+r.IntN(k))
			for i := range list {
				list[i] = cost(r)
			}
			slices.Sort(list)
			return list
		}, func(a, b semiring.Ranked[semiring.Cost]) bool { return slices.Equal(a, b) })
	}
	tryErased(t, must(semiring.KBest(words{}, 3)), 300, func(r *rand.Rand) semiring.Ranked[word] {
		return semiring.Ranked[word]{{float64(r.IntN(3)), string(rune('a' + r.IntN(3)))}}
	}, func(a, b semiring.Ranked[word]) bool { return slices.Equal(a, b) })

	tryErased(t, semiring.Series(semiring.Real{}, 4), 300, func(r *rand.Rand) semiring.Polynomial[float64] {
		return semiring.Polynomial[float64]{r.Float64(), r.Float64(), 0, r.Float64()}[:1+r.IntN(4)]
	}, func(a, b semiring.Polynomial[float64]) bool { return sameList(a, b) })
}

func TestSumsInRingsOfPairs(t *testing.T) {
	type counted = semiring.Pair[semiring.Cost, *big.Int]
	tryErased(t, must(semiring.Lex(semiring.Tropical{}, semiring.Counting{})), 300,
		func(r *rand.Rand) counted {
			return counted{First: semiring.Cost(r.IntN(3)), Second: big.NewInt(int64(1 + r.IntN(3)))}
		}, func(a, b counted) bool { return a.First == b.First && a.Second.Cmp(b.Second) == 0 })

	type best = semiring.Pair[semiring.ScaledFloat, semiring.Expected[float64, float64]]
	tryErased(t, semiring.ViterbiExpectation(semiring.Real{}, semiring.Scalar(semiring.Real{})), 300,
		func(r *rand.Rand) best {
			p := 1 / float64(int(1)<<r.IntN(3)) // products are exact, and ties happen
			return best{First: semiring.NewScaled(p), Second: semiring.Expected[float64, float64]{P: p, V: p * r.Float64()}}
		}, func(a, b best) bool {
			return a.First == b.First && near(a.Second.P, b.Second.P) && near(a.Second.V, b.Second.V)
		})

	type second = semiring.Expected2[float64, float64, float64, float64]
	tryErased(t, must(semiring.Expectation2(semiring.Real{}, semiring.ScalarProduct(semiring.Real{}))), 300,
		func(r *rand.Rand) second {
			return second{P: r.Float64(), R: r.Float64(), S: r.Float64(), T: r.Float64()}
		}, func(a, b second) bool {
			return near(a.P, b.P) && near(a.R, b.R) && near(a.S, b.S) && near(a.T, b.T)
		})
}

// The k best weights are the weights of the k best trees.
func TestKBestIsBestTrees(t *testing.T) {
	const k = 10
	ring := must(semiring.KBest(semiring.Tropical{}, k))
	long := 0
	for seed := range trials.Seeds(600) {
		f := merged(foresttest.New(graphtest.Rand(seed), semiring.Tropical{}, shapes[seed%3],
			func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(20)) }))
		var want semiring.Ranked[semiring.Cost]
		for tree := range must(forest.BestTrees(f)) {
			if want = append(want, tree.Weight); len(want) == k {
				long++
				break
			}
		}
		ranked := forest.Map(f, ring, func(c semiring.Cost) semiring.Ranked[semiring.Cost] {
			if (semiring.Tropical{}).IsZero(c) {
				return nil
			}
			return semiring.Ranked[semiring.Cost]{c}
		})
		if got := must(forest.TreeSum(ranked)); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, best trees weigh %v", seed, got, want)
		}
	}
	if long < 100 {
		t.Errorf("only %d forests of %d trees", long, k)
	}
}

func randomWord(r *rand.Rand) semiring.Word {
	labels := make([]int32, r.IntN(3))
	for i := range labels {
		labels[i] = r.Int32N(2)
	}
	return semiring.NewWord(labels...)
}

func anyWord(r *rand.Rand) any { return randomWord(r) }

func refusesSide(t *testing.T, what string, err error, side string) {
	t.Helper()
	if !errors.Is(err, semiring.ErrCapability) || !strings.Contains(err.Error(), "want "+side) {
		t.Fatalf("%s: error %v, want one that asks for %s", what, err, side)
	}
}

// What distributes from the left has sums of derivations as long as there is nothing to
// the right of a tail, and never sums of contexts.
func TestOneSidedRings(t *testing.T) {
	unary, refused := 0, 0
	for seed := range trials.Seeds(600) {
		shape := shapes[seed%2]
		left := foresttest.New(graphtest.Rand(seed), erased.Of(semiring.LeftString{}), shape, anyWord)
		sum, err := forest.TreeSum(left)
		inside, insideErr := forest.Inside(left)
		if unaryOnly(left) {
			if err != nil || insideErr != nil || sum != oracle.TreeSum(left) {
				t.Fatalf("seed %d: %v (%v, %v), want %v", seed, sum, err, insideErr, oracle.TreeSum(left))
			}
			checkSlices(t, "inside", inside, oracle.Inside(left), equal)
			unary++
		} else {
			refusesSide(t, "tree sum", err, "both sides")
			refusesSide(t, "inside", insideErr, "both sides")
			refused++
		}
		_, _, err = forest.Through(left)
		refusesSide(t, "through", err, "both sides")
		if _, _, err = forest.Outside(left); unaryOnly(left) {
			refusesSide(t, "outside", err, "both sides")
		} else if !errors.Is(err, semiring.ErrCapability) {
			t.Fatalf("seed %d: outside: %v", seed, err)
		}
		if _, err := forest.Posteriors(left); !errors.Is(err, semiring.ErrCapability) {
			t.Fatalf("seed %d: posteriors: %v", seed, err)
		}

		right := foresttest.New(graphtest.Rand(seed), erased.Of(semiring.RightString{}), shapes[0], anyWord)
		_, err = forest.TreeSum(right)
		refusesSide(t, "tree sum", err, "the left")
		_, err = forest.Inside(forest.Map(right, erased.Of(semiring.Gallic(semiring.Tropical{})), func(w any) any {
			return semiring.Pair[semiring.Word, semiring.Cost]{First: w.(semiring.Word)}
		}))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if unary < 100 || refused < 100 {
		t.Errorf("%d forests summed, %d refused", unary, refused)
	}
}
