package edit

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/nbest"
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
	var examples []cascade.Example
	for _, d := range data {
		examples = append(examples, cascade.Example{X: cascade.Labels(d.Source...), Y: cascade.Labels(d.Target...)})
	}
	if _, err := m.Fit(t.Context(), cascade.Data{Examples: examples}, &em.Options{Iterations: 5}); err != nil {
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
			wide, err := NewCorrector(model, words, &CorrectorOptions{CandidateModel: scout, Width: 1 << 20, Margin: 1e6, Prune: 1e-300, Candidates: 60})
			if err != nil {
				t.Fatal(err)
			}
			narrow, err := NewCorrector(model, words, &CorrectorOptions{CandidateModel: scout, Width: 20, Candidates: 10})
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
					want = append(want, Correction{i, nbest.Candidate{Labels: w.Labels, LogProb: x + math.Log(w.Weight)}})
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

// TestCorrectorPosteriors: the probabilities of words given a string are those of all words one by
// one, divided by their sum, whatever the options of the search: in a lexicon that is ranked whole,
// and in one that is searched.
func TestCorrectorPosteriors(t *testing.T) {
	for seed := range trials.Seeds(4) {
		rng := rand.New(rand.NewPCG(seed, 16))
		data := randomPairs(rng, 20)
		model := memoryless(t, data)
		if seed%2 == 1 {
			model = contextual(t, data, few)
		}
		words := randomWords(rng, 40)
		words = append(words, Word{[]int32{1, 7}, 5}) // has an unknown symbol
		p, err := model.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		for _, opts := range []*CorrectorOptions{{Candidates: 100}, nil, {Width: 1, Margin: .1, Prune: .5, Candidates: 1, CandidateModel: memoryless(t, data)}} {
			c, err := NewCorrector(model, words, opts)
			if err != nil {
				t.Fatal(err)
			}
			for range 5 {
				y := randomString(rng, min(9, c.Longest()))
				want, total := make([]float64, len(words)), 0.
				for i, w := range words[:len(words)-1] {
					x, err := p.LogProb(w.Labels, y)
					if err != nil {
						t.Fatal(err)
					}
					want[i] = math.Exp(x) * w.Weight
					total += want[i]
				}
				all, err := c.Posteriors(t.Context(), y, len(words)+1)
				if err != nil || len(all) != len(words)-1 {
					t.Fatalf("seed %d: %d words (%v), want all but one", seed, len(all), err)
				}
				for k, w := range all {
					if math.Abs(w.Prob()-want[w.Word]/total) > 1e-10 || !slices.Equal(w.Labels, words[w.Word].Labels) {
						t.Errorf("seed %d: P(%v | %v) is %g, want %g", seed, w.Labels, y, w.Prob(), want[w.Word]/total)
					}
					if k > 0 && all[k-1].compare(w) > 0 {
						t.Errorf("seed %d: %v before %v", seed, all[k-1], w)
					}
				}
				if three, err := c.Posteriors(t.Context(), y, 3); err != nil || !reflect.DeepEqual(three, all[:3]) {
					t.Errorf("seed %d: %v (%v), want %v", seed, three, err, all[:3])
				}
			}
		}
	}
}

// TestCorrectorPosteriorsOfMany: so they are of a lexicon that is looked at in parts.
func TestCorrectorPosteriorsOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 17))
	words := syllables(rng, 4500)
	var labels []int32
	for l := range int32(20) {
		labels = append(labels, l+1)
	}
	m, err := NewConditional(labels, labels, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m.Theta = m.Params.Random(rng)
	p, err := m.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCorrector(m, words, nil)
	if err != nil {
		t.Fatal(err)
	}
	y := words[7].Labels
	all, err := c.Posteriors(t.Context(), y, len(words))
	if err != nil || len(all) != len(words) {
		t.Fatalf("%d words (%v), want %d", len(all), err, len(words))
	}
	total, want := 0., make([]float64, len(words))
	for i, w := range words {
		logp, err := p.LogProb(w.Labels, y)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = math.Exp(logp) * w.Weight
		total += want[i]
	}
	for k, w := range all {
		if want := want[w.Word] / total; !(math.Abs(w.Prob()-want) <= 1e-9*want) || k > 0 && all[k-1].compare(w) > 0 {
			t.Fatalf("%d-th word: P(%v | %v) is %g, want %g", k, w.Labels, y, w.Prob(), want)
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
				if got, err := c.Best(t.Context(), y, 5); err != nil || !reflect.DeepEqual(got, want[i]) {
					t.Errorf("%v: %v (%v), want %v", y, got, err, want[i])
				}
			}
		})
	}
	wg.Wait()
}

// TestCorrectNothing: where no word is asked for, or comes, the list is empty.
func TestCorrectNothing(t *testing.T) {
	m := contextual(t, []Pair{{Source: letters, Target: letters}}, nil)
	c, err := NewCorrector(m, []Word{{[]int32{1, 2}, 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := c.Best(t.Context(), []int32{1, 9}, 1); err != nil || len(found) > 0 {
		t.Errorf("unknown symbol: %v (%v)", found, err)
	}
	if found, err := c.Posteriors(t.Context(), []int32{1, 9}, 1); err != nil || len(found) > 0 {
		t.Errorf("posteriors, unknown symbol: %v (%v)", found, err)
	}
	for _, n := range []int{0, -1} {
		if found, err := c.Best(t.Context(), []int32{1, 2}, n); err != nil || len(found) > 0 {
			t.Errorf("%d words: %v (%v)", n, found, err)
		}
		if found, err := c.Posteriors(t.Context(), []int32{1, 2}, n); err != nil || len(found) > 0 {
			t.Errorf("posteriors, %d words: %v (%v)", n, found, err)
		}
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

// TestWords: words are found by the texts of a list, and the labels are those of cascade.Text.
func TestWords(t *testing.T) {
	list := []string{"écrit", "", "cri"}
	for i, w := range Words(list...) {
		if string(w.Labels) != list[i] || w.Weight != 1 {
			t.Errorf("word %d is %v", i, w)
		}
	}
}
