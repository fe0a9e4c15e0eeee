package grammar

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/batch"
)

// splitUniform is the probability that the words i … j−1 of n are a constituent of a tree
// that is split uniformly (Klein and Manning 2002).
func splitUniform(i, j, n int) float64 {
	l := float64(j - i)
	switch {
	case l == 1 || j-i == n:
		return 1
	case i > 0 && j < n:
		return 2 / (l * (l + 1))
	}
	return 1 / l
}

func TestSplitUniform(t *testing.T) {
	for n := 2; n <= 9; n++ {
		c, err := newChart(CCM, n)
		if err != nil {
			t.Fatal(err)
		}
		uses, err := c.expect(split, new(batch.Scratch))
		if err != nil {
			t.Fatal(err)
		}
		spans := 0
		for p, x := range c.parts {
			want := 1.0
			if x.what == yieldRatio || x.what == contextRatio {
				want = splitUniform(int(x.x), int(x.y), n)
				spans++
			}
			if math.Abs(uses[p]-want) > 1e-12 {
				t.Errorf("%d words: %+v is used %v times, want %v", n, x, uses[p], want)
			}
		}
		if want := 2 * (n*(n-1)/2 - 1); spans != want {
			t.Errorf("%d words: %d parts of spans, want %d", n, spans, want)
		}
	}
}

// TestContextStart: the CCM's first probabilities are those of counts of its closed form,
// empty spans included.
func TestContextStart(t *testing.T) {
	data := randomSentences(rand.New(rand.NewPCG(1, 1)), 12, 1, 7)
	for _, k := range []Kind{CCM, Product} {
		m := newTestModel(t, k, data, nil)
		yields, contexts := [2]map[int]float64{{}, {}}, [2]map[int]float64{{}, {}}
		for _, s := range data {
			tags, _ := m.tags.numbers(s)
			n := len(tags)
			if n == 1 {
				continue
			}
			for i := range n + 1 {
				for j := i; j <= n; j++ {
					p := 0.0
					if j > i {
						p = splitUniform(i, j, n)
					}
					y, x := m.ccm.table.yieldOf(tags[i:j]), m.ccm.table.contextOf(tags, i, j)
					yields[is][y] += p
					yields[isNot][y] += 1 - p
					contexts[is][x] += p
					contexts[isNot][x] += 1 - p
				}
			}
		}
		check := func(g *em.Group, counts map[int]float64, pseudo float64) {
			sum := 0.0
			for i := range g.Len() {
				sum += counts[i] + pseudo
			}
			for i, got := range g.In(m.Theta) {
				if want := (counts[i] + pseudo) / sum; math.Abs(got-want) > 1e-12 {
					t.Errorf("%v: %s is %v, want %v", k, g.Name(i), got, want)
				}
			}
		}
		for b, pseudo := range [2]float64{8, 2} {
			check(m.ccm.yields[b], yields[b], pseudo)
			check(m.ccm.contexts[b], contexts[b], pseudo)
		}
	}
}

// expectedUses returns counts of the DMV's parameters in random trees of sentences, given
// the weight of each.
func expectedUses(m *Model, data [][]string, weight func(tree) float64) []float64 {
	counts := make([]float64, m.Params.Len())
	for _, s := range data {
		tags, _ := m.tags.numbers(s)
		all, total := (&oracle{m, m.Theta, tags}).trees(), 0.0
		for _, x := range all {
			total += weight(x)
		}
		for _, x := range all {
			m.dmv.count(tags, x.heads, weight(x)/total, counts)
		}
	}
	return counts
}

// count adds the uses of the parameters in one tree.
func (d *dmv) count(tags []int32, heads []int, weight float64, counts []float64) {
	add := func(g *em.Group, i int) { g.In(counts)[i] += weight }
	for h, tag := range tags {
		if heads[h] < 0 {
			add(d.root, int(tag))
		}
		for side, step := range []int{-1, 1} {
			adjacent := true
			for a := h + step; a >= 0 && a < len(heads); a += step {
				if heads[a] == h {
					add(d.choice(tag, side, adjacent), going)
					add(d.arguments[tag][side], int(tags[a]))
					adjacent = false
				}
			}
			add(d.choice(tag, side, adjacent), stopping)
		}
	}
}

// checkStart compares the DMV's first probabilities with those of counts.
func checkStart(t *testing.T, m *Model, counts []float64) {
	t.Helper()
	for _, g := range m.dmv.groups() {
		sum := 0.0
		for _, c := range g.In(counts) {
			sum += c + startSmoothing
		}
		for i, got := range g.In(m.Theta) {
			if want := (g.In(counts)[i] + startSmoothing) / sum; math.Abs(got-want) > 1e-10 {
				t.Errorf("%s is %v, want %v", g.Name(i), got, want)
			}
		}
	}
}

// TestTreeStarts compares the starts that count in trees with all trees.
func TestTreeStarts(t *testing.T) {
	for seed := range trials.Seeds(10) {
		data := randomSentences(rand.New(rand.NewPCG(seed, 2)), 4, 2, 5)
		m := newTestModel(t, DMV, data, &Options{Start: HarmonicTrees})
		checkStart(t, m, expectedUses(m, data, func(x tree) float64 {
			w := 1.0
			for a, h := range x.heads {
				if h >= 0 {
					w /= math.Abs(float64(a-h)) + 2
				}
			}
			return w
		}))
		m = newTestModel(t, DMV, data, &Options{Start: SplitUniform})
		checkStart(t, m, expectedUses(m, data, func(x tree) float64 {
			w := 1.0
			for _, s := range x.spans {
				if s.J-s.I < len(x.heads) {
					w /= float64(s.J - s.I - 1)
				}
			}
			return w
		}))
	}
}

// TestHarmonicCounts on a sentence of two words, by hand: either is the root with
// probability 1/2, and the argument of the other with the same.
func TestHarmonicCounts(t *testing.T) {
	m := newTestModel(t, DMV, [][]string{{"A", "B"}}, nil)
	p := func(g *em.Group, i int) float64 { return g.In(m.Theta)[i] }
	a, b := int32(0), int32(1)
	for _, x := range []struct {
		what      string
		got, want float64
	}{
		{"root A", p(m.dmv.root, 0), .5},
		{"A → B", p(m.dmv.arguments[a][1], 1), (.5 + startSmoothing) / (.5 + 2*startSmoothing)},
		{"A ← B", p(m.dmv.arguments[b][0], 0), (.5 + startSmoothing) / (.5 + 2*startSmoothing)},
		{"A stops at once to the left, where there is nothing", p(m.dmv.choice(a, 0, true), stopping), (1 + startSmoothing) / (1 + 2*startSmoothing)},
		// Of the one stop, .9 · .5 = .45 moves to the later choice, and from going on
		// there to the first one.
		{"A stops at once to the right", p(m.dmv.choice(a, 1, true), stopping), (.55 + startSmoothing) / (1 + 2*startSmoothing)},
		{"A stops later to the right", p(m.dmv.choice(a, 1, false), stopping), (.45 + startSmoothing) / (.5 + 2*startSmoothing)},
		{"A has no arguments to the left", p(m.dmv.choice(a, 0, false), stopping), .5},
	} {
		if math.Abs(x.got-x.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", x.what, x.got, x.want)
		}
	}
	// Of every word, arguments and root count 1.
	data := randomSentences(rand.New(rand.NewPCG(3, 3)), 9, 1, 8)
	m = newTestModel(t, DMV, data, nil)
	counts := make([]float64, m.Params.Len())
	tags, words := make([]float64, len(m.Tags())), make([]float64, len(m.Tags()))
	var all [][]int32
	for _, s := range data {
		x, _ := m.tags.numbers(s)
		all = append(all, x)
		for _, tag := range x {
			words[tag]++
		}
	}
	m.dmv.harmonicCounts(all, counts)
	for tag := range tags {
		tags[tag] = m.dmv.root.In(counts)[tag]
		for _, a := range m.dmv.arguments {
			tags[tag] += a[0].In(counts)[tag] + a[1].In(counts)[tag]
		}
		if math.Abs(tags[tag]-words[tag]) > 1e-10 {
			t.Errorf("words of tag %d count %v, want %v", tag, tags[tag], words[tag])
		}
	}
	for _, c := range counts {
		if c < 0 {
			t.Errorf("a count of %v", c)
		}
	}
}

// TestLikeliest: the start whose objective ends highest wins, and a Theta that was changed is
// the only one.
func TestLikeliest(t *testing.T) {
	winners := map[int]bool{}
	for seed := range trials.Seeds(6) {
		data := randomSentences(rand.New(rand.NewPCG(seed, 8)), 30, 2, 5)
		opts := &em.Options{Iterations: 12, Tolerance: -1}
		for _, k := range kinds {
			var alone []*em.Result
			for s := HarmonicCounts; s <= SplitUniform; s++ {
				alone = append(alone, must(newTestModel(t, k, data, &Options{Start: s}).Fit(t.Context(), data, opts)))
			}
			m := newTestModel(t, k, data, nil)
			r := must(m.Fit(t.Context(), data, opts))
			if k == CCM {
				alone = alone[:1]
			}
			if len(r.Starts) != len(alone) {
				t.Fatalf("seed %d, %v: %d starts", seed, k, len(r.Starts))
			}
			for i, x := range alone {
				if !slices.Equal(r.Starts[i].Objective, x.Objective) {
					t.Errorf("seed %d, %v: start %d has the objective %v, by itself %v", seed, k, i, r.Starts[i].Objective, x.Objective)
				}
				if last := len(x.Objective) - 1; x.Objective[last] > r.Objective[last] {
					t.Errorf("seed %d, %v: %g from start %d, %g in the end", seed, k, x.Objective[last], i, r.Objective[last])
				}
			}
			winners[r.Start] = true
			if again := must(m.Fit(t.Context(), data, &em.Options{Iterations: 2})); len(again.Starts) != 1 {
				t.Errorf("seed %d, %v: trained further from %d starts", seed, k, len(again.Starts))
			}
		}
	}
	if len(winners) < 2 {
		t.Errorf("start %v always wins", winners)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
