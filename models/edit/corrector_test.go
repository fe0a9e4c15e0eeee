package edit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// randomWords returns distinct words with random weights.
func randomWords(rng *rand.Rand, n int) []Word {
	var words []Word
	for len(words) < n {
		w := randomString(rng, 8)
		if !slices.ContainsFunc(words, func(v Word) bool { return slices.Equal(v.Labels, w) }) {
			words = append(words, Word{w, rng.ExpFloat64()})
		}
	}
	return words
}

func memoryless(t testing.TB, data []Pair) *Model {
	t.Helper()
	m, err := NewConditional(letters, letters, em.Dirichlet{Alpha: 1.1})
	if err != nil {
		t.Fatal(err)
	}
	var examples []em.Example
	for _, d := range data {
		examples = append(examples, em.Example{X: em.Labels(d.Source...), Y: em.Labels(d.Target...)})
	}
	if _, err := m.Fit(t.Context(), em.Data{Examples: examples}, &em.Options{Iterations: 5}); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCorrect: without a beam, all words come in the order of their exact scores; with
// one, the scores are nearly exact and the best word is seldom missed.
func TestCorrect(t *testing.T) {
	var asked, missed int
	for seed := range trials.Seeds(2) {
		rng := rand.New(rand.NewPCG(seed, 8))
		data := randomPairs(rng, 200)
		simple, model := memoryless(t, data), contextual(t, data, few)
		words := randomWords(rng, 60)
		words = append(words, Word{[]int32{1, 7}, 1}) // has an unknown symbol
		s, err := model.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		for _, scout := range []*Model{nil, simple} {
			// One candidate less than words, for the lexicon to be searched.
			wide, err := NewCorrector(model, words, &CorrectorOptions{Scout: scout, Width: 1 << 20, Margin: 1e6, Prune: 1e-300, Candidates: 60})
			if err != nil {
				t.Fatal(err)
			}
			narrow, err := NewCorrector(model, words, &CorrectorOptions{Scout: scout, Width: 20, Candidates: 10})
			if err != nil {
				t.Fatal(err)
			}
			for range 10 {
				y := randomString(rng, 9)
				exact := map[int]float64{}
				for i, w := range words[:60] {
					p, err := s.LogProb(w.Labels, y)
					if err != nil {
						t.Fatal(err)
					}
					exact[i] = p + math.Log(w.Weight)
				}
				found, err := wide.Best(t.Context(), y, 1000)
				if err != nil || len(found) != 60 {
					t.Fatalf("%d words (%v), want 60", len(found), err)
				}
				near, err := narrow.Best(t.Context(), y, 3)
				if err != nil || len(near) > 3 {
					t.Fatalf("%d words (%v), want 3 at most", len(near), err)
				}
				for i, list := range [][]Correction{found, near} {
					for k, c := range list {
						if math.Abs(c.LogProb-exact[c.Word]) > []float64{1e-9, 1e-3}[i] {
							t.Errorf("seed %d: word %d scores %g, want %g", seed, c.Word, c.LogProb, exact[c.Word])
						}
						if k > 0 && c.LogProb > list[k-1].LogProb {
							t.Errorf("seed %d: scores are not in order", seed)
						}
					}
				}
				if asked++; len(near) == 0 || near[0].Word != found[0].Word {
					missed++
				}
			}
		}
	}
	if missed*10 > asked {
		t.Errorf("a beam of 20 misses the best word %d times in %d", missed, asked)
	}
}

// TestCorrectSmall: of a small lexicon Best returns the best words, whatever the options of the
// search, also those that are far behind the first; and Rank the same scores.
func TestCorrectSmall(t *testing.T) {
	for seed := range trials.Seeds(5) {
		rng := rand.New(rand.NewPCG(seed, 14))
		data := randomPairs(rng, 20)
		model := memoryless(t, data) // rare edits are far below Prune
		if seed%2 == 1 {
			model = contextual(t, data, few)
		}
		words := randomWords(rng, 1+rng.IntN(30))
		p, err := model.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		for _, opts := range []*CorrectorOptions{nil, {Width: 1, Margin: .1, Prune: .5}} {
			c, err := NewCorrector(model, words, opts)
			if err != nil {
				t.Fatal(err)
			}
			for range 10 {
				y := randomString(rng, min(9, c.Longest()))
				var want []Correction
				for i, w := range words {
					x, err := p.LogProb(w.Labels, y)
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, Correction{i, x + math.Log(w.Weight)})
				}
				slices.SortFunc(want, Correction.compare)
				n := 1 + rng.IntN(len(words))
				got, err := c.Best(t.Context(), y, n)
				if err != nil || len(got) != n {
					t.Fatalf("seed %d: %d words (%v), want %d", seed, len(got), err, n)
				}
				for k, g := range got {
					if g.Word != want[k].Word || math.Abs(g.LogProb-want[k].LogProb) > 1e-9 {
						t.Errorf("seed %d: the best of %v are %v, want %v", seed, y, got, want[:n])
						break
					}
				}
				if one, err := c.Rank(t.Context(), y, []int{got[n-1].Word}); err != nil || len(one) != 1 || math.Abs(one[0].LogProb-got[n-1].LogProb) > 1e-9 {
					t.Errorf("seed %d: Rank returns %v (%v), want %v", seed, one, err, got[n-1])
				}
			}
		}
	}
}

// TestCorrectWidens: words to which only improbable edits lead are found where there are no
// better ones, in a lexicon that is too large to rank all of it.
func TestCorrectWidens(t *testing.T) {
	model := memoryless(t, randomPairs(rand.New(rand.NewPCG(1, 15)), 100))
	words := randomWords(rand.New(rand.NewPCG(2, 15)), 40)
	c, err := NewCorrector(model, words, &CorrectorOptions{Width: 4, Margin: 2, Prune: .9})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := c.Best(t.Context(), randomString(rand.New(rand.NewPCG(3, 15)), 6), 3); err != nil || len(found) == 0 {
		t.Errorf("%v (%v), want words", found, err)
	}
}

// TestCorrectTogether: many goroutines get the answers that one gets.
func TestCorrectTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	data := randomPairs(rng, 100)
	c, err := NewCorrector(contextual(t, data, few), randomWords(rng, 50), nil)
	if err != nil {
		t.Fatal(err)
	}
	queries := make([][]int32, 20)
	want := make([][]Correction, len(queries))
	for i := range queries {
		queries[i] = randomString(rng, 8)
		if want[i], err = c.Best(t.Context(), queries[i], 5); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, y := range queries {
				if got, err := c.Best(t.Context(), y, 5); err != nil || !slices.Equal(got, want[i]) {
					t.Errorf("%v: %v (%v), want %v", y, got, err, want[i])
				}
			}
		})
	}
	wg.Wait()
}

func TestCorrectorComplaints(t *testing.T) {
	m := contextual(t, []Pair{{Source: letters, Target: letters}}, nil)
	one := Word{[]int32{1, 2}, 1}
	for name, c := range map[string]struct {
		words []Word
		opts  *CorrectorOptions
	}{
		"equal words":     {[]Word{one, {[]int32{3}, 1}, one}, nil},
		"weight 0":        {[]Word{{[]int32{1}, 0}}, nil},
		"infinite weight": {[]Word{{[]int32{1}, math.Inf(1)}}, nil},
		"width":           {[]Word{one}, &CorrectorOptions{Width: -1}},
		"margin":          {[]Word{one}, &CorrectorOptions{Margin: math.NaN()}},
		"prune":           {[]Word{one}, &CorrectorOptions{Prune: -1}},
		"candidates":      {[]Word{one}, &CorrectorOptions{Candidates: -1}},
	} {
		if _, err := NewCorrector(m, c.words, c.opts); !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, err := NewCorrector(m, []Word{one}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Best(t.Context(), make([]int32, 5), 1); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("too long: %v", err)
	}
	if found, err := c.Best(t.Context(), []int32{1, 9}, 1); err != nil || len(found) > 0 {
		t.Errorf("unknown symbol: %v (%v)", found, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Best(ctx, []int32{1, 2}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	empty, err := NewCorrector(m, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := empty.Best(t.Context(), nil, 1); err != nil || len(found) > 0 {
		t.Errorf("no lexicon: %v (%v)", found, err)
	}
}

// distance is the Levenshtein distance by its recursive definition.
func distance(x, y []int32) int {
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, a := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, b := range y {
			d := diagonal
			if a != b {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}

// TestNearest compares with the distances of all words.
func TestNearest(t *testing.T) {
	for seed := range trials.Seeds(10) {
		rng := rand.New(rand.NewPCG(seed, 10))
		words := randomWords(rng, 40)
		s, err := NewNearest(words)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			y, n := randomString(rng, 9), 1+rng.IntN(45)
			if rng.IntN(4) == 0 {
				y = append(y, 8) // a symbol of no word
			}
			var all []Neighbour
			for i, w := range words {
				all = append(all, Neighbour{i, distance(w.Labels, y)})
			}
			slices.SortStableFunc(all, func(a, b Neighbour) int { return a.Distance - b.Distance })
			k := min(n, len(all))
			for k < len(all) && all[k].Distance == all[k-1].Distance {
				k++
			}
			got, err := s.Best(t.Context(), y, n)
			if err != nil || !slices.Equal(got, all[:k]) {
				t.Errorf("seed %d: the %d nearest to %v are %v (%v), want %v", seed, n, y, got, err, all[:k])
			}
		}
	}
}

// TestCorrectorPosteriors: by the probability of each word by itself, in a lexicon that is ranked
// whole; in a larger one they are shares of what Best finds.
func TestCorrectorPosteriors(t *testing.T) {
	for seed := range trials.Seeds(10) {
		rng := rand.New(rand.NewPCG(seed, 31))
		m := memoryless(t, randomPairs(rng, 100))
		p, err := m.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		words := randomWords(rng, 40)
		for _, candidates := range []int{40, 15} {
			c, err := NewCorrector(m, words, &CorrectorOptions{Candidates: candidates})
			if err != nil {
				t.Fatal(err)
			}
			y := randomString(rng, 5)
			found, err := c.Posteriors(t.Context(), y, len(words))
			if err != nil {
				t.Fatal(err)
			}
			weight, all, sum := make([]float64, len(words)), 0.0, 0.0
			for i, w := range words {
				logp, err := p.LogProb(w.Labels, y)
				if err != nil {
					t.Fatal(err)
				}
				weight[i] = w.Weight * math.Exp(logp)
			}
			ranked, err := c.Best(t.Context(), y, len(words))
			if err != nil || len(ranked) != len(found) || len(found) > candidates {
				t.Fatalf("seed %d: %d words, %d with posteriors, %v", seed, len(ranked), len(found), err)
			}
			if candidates == len(words) {
				all = floats.Sum(weight)
			} else {
				for _, r := range ranked {
					all += weight[r.Word]
				}
			}
			for i, f := range found {
				sum += f.Prob()
				if f.Word != ranked[i].Word || math.Abs(f.Prob()-weight[f.Word]/all) > 1e-4 {
					t.Errorf("seed %d, %d candidates: word %d has %g, want %g", seed, candidates, f.Word, f.Prob(), weight[f.Word]/all)
				}
			}
			if len(found) > 0 && math.Abs(sum-1) > 1e-12 {
				t.Errorf("seed %d: they sum to %g", seed, sum)
			}
			some, err := c.Posteriors(t.Context(), y, 2)
			if err != nil || !slices.Equal(some, found[:min(2, len(found))]) {
				t.Errorf("seed %d: the first two are %v, %v", seed, some, err)
			}
		}
	}
	m := memoryless(t, []Pair{{Source: letters, Target: letters}})
	if _, err := NewCorrector(m, []Word{{letters[:2], 1}, {letters[:1], 1}, {letters[:2], 1}}, nil); err == nil || !strings.HasSuffix(err.Error(), "words 0 and 2 of the lexicon are equal, [1 2]") {
		t.Error(err)
	}
	if got := spelled([]int32("zoë")); got != `"zoë"` {
		t.Error(got)
	}
}

// Words that are equally good come in the order of the lexicon, and no more of them are
// ranked than there are candidates.
func TestCorrectTies(t *testing.T) {
	m, err := NewConditional(letters, letters, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	words := []Word{{[]int32{letters[1]}, 1}, {[]int32{letters[0]}, 1}}
	for _, candidates := range []int{1, 2, 0} {
		c, err := NewCorrector(m, words, &CorrectorOptions{Candidates: candidates, Prune: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		want := []int{0, 1}
		if candidates > 0 {
			want = want[:candidates]
		}
		found, err := c.Best(t.Context(), letters[2:], 10)
		var got []int
		for _, f := range found {
			got = append(got, f.Word)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d candidates: %v (%v), want the words %v", candidates, found, err, want)
		}
	}
}

// TestWords: words are found by the texts of a list, and the labels are those of em.Text.
func TestWords(t *testing.T) {
	list := []string{"écrit", "", "cri"}
	for i, w := range Words(list...) {
		if string(w.Labels) != list[i] || w.Weight != 1 {
			t.Errorf("word %d is %v", i, w)
		}
	}
}
