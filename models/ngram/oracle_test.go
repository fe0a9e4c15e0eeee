package ngram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/trials"
)

// oracle computes p(w | history) from the formulas, with n-grams as texts: "^" is the
// beginning, "$" the end, "1", "2", … symbols. Every n-gram has the probabilities of its
// occurrences, and the distribution of its count is that over all outcomes.
type oracle struct {
	order, vocabulary int
	opts              Options
	events            map[string][]float64
}

func newOracle(order int, vocabulary int32, opts Options) *oracle {
	return &oracle{order, int(vocabulary), opts, map[string][]float64{}}
}

func name(w int32) string {
	if w == End {
		return "$"
	}
	return fmt.Sprint(w)
}

// add notes an occurrence of w after history.
func (o *oracle) add(history []int32, w int32, p float64) {
	gram := append(o.context(history), name(w))
	for i := range gram {
		o.events[strings.Join(gram[i:], " ")] = append(o.events[strings.Join(gram[i:], " ")], p)
	}
}

func (o *oracle) addString(s []int32, weight float64) {
	for i := range len(s) + 1 {
		w := int32(End)
		if i < len(s) {
			w = s[i]
		}
		rest := weight
		for ; rest >= 1; rest-- {
			o.add(s[:i], w, 1)
		}
		if rest > 0 {
			o.add(s[:i], w, rest)
		}
	}
}

func (o *oracle) context(history []int32) []string {
	h := []string{"^"}
	for _, x := range history {
		h = append(h, fmt.Sprint(x))
	}
	return slices.Clone(h[max(0, len(h)-o.order+1):])
}

// distribution returns the probabilities of 0, 1, … occurrences, by enumeration of the
// outcomes of up to 10 uncertain events, to which others are added one by one.
func distribution(events []float64) []float64 {
	d := make([]float64, len(events)+1)
	var uncertain []float64
	certain := 0
	for _, p := range events {
		if p == 1 {
			certain++
		} else {
			uncertain = append(uncertain, p)
		}
	}
	var rest []float64
	if len(uncertain) > 10 {
		uncertain, rest = uncertain[:10], uncertain[10:]
	}
	for outcome := range 1 << len(uncertain) {
		p, c := 1.0, certain
		for i, q := range uncertain {
			if outcome>>i&1 == 1 {
				p *= q
				c++
			} else {
				p *= 1 - q
			}
		}
		d[c] += p
	}
	for _, p := range rest {
		for c := len(d) - 1; c > 0; c-- {
			d[c] = d[c]*(1-p) + d[c-1]*p
		}
		d[0] *= 1 - p
	}
	return d
}

// counts returns, of the n-grams of a length, the distributions of their counts in the
// sense of the smoothing.
func (o *oracle) counts(length int) map[string][]float64 {
	all := map[string][]float64{}
	var longer map[string][]float64
	if o.opts.Smoothing == ModifiedKneserNey && length < o.order {
		longer = o.counts(length + 1)
	}
	for gram, events := range o.events {
		if strings.Count(gram, " ")+1 != length {
			continue
		}
		if longer != nil && gram[0] != '^' {
			events = nil // one for each different symbol before it
			for g, d := range longer {
				if _, rest, _ := strings.Cut(g, " "); rest == gram {
					events = append(events, positive(d))
				}
			}
		}
		all[gram] = distribution(events)
	}
	return all
}

func mean(d []float64) (sum float64) {
	for c, p := range d {
		sum += float64(c) * p
	}
	return sum
}

func positive(d []float64) (sum float64) {
	for _, p := range d[1:] {
		sum += p
	}
	return sum
}

// model returns p(w | h) for contexts of all lengths and all w.
func (o *oracle) model() func(history []int32, w int32) float64 {
	type share struct{ kept, freed float64 }
	shares := map[string]map[string]share{}
	for length := 1; length <= o.order; length++ {
		counts := o.counts(length)
		var n [5]float64
		for _, d := range counts {
			for c := 1; c <= 4 && c < len(d); c++ {
				n[c] += d[c]
			}
		}
		y := n[1] / (n[1] + 2*n[2])
		D := [4]float64{0, 1 - 2*y*n[2]/n[1], 2 - 3*y*n[3]/n[2], 3 - 4*y*n[4]/n[3]}
		for i := 1; i <= 3; i++ {
			if i == 3 && D[3] >= 3-3*negligible {
				D[3] = min(3, D[3])
				continue
			}
			if x := float64(i); !(D[i] > negligible*x && D[i] < x-negligible*x) {
				D[i] = float64(i) / 2
			}
		}
		if given := o.opts.Discounts; len(given) > 0 {
			copy(D[1:], given[min(length, len(given))-1][:])
		}
		for gram, d := range counts {
			words := strings.Fields(gram)
			h := strings.Join(words[:len(words)-1], " ")
			var s share
			if o.opts.Smoothing == WittenBell {
				s = share{mean(d), positive(d)}
			} else {
				for c, p := range d {
					s.freed += byLength(o.opts.DiscountScale, length, 1) * D[min(c, 3)] * p
				}
				s.freed = min(s.freed, mean(d))
				s.kept = mean(d) - s.freed
			}
			if mean(d) < byLength(o.opts.MinCount, length, 0) {
				s = share{0, s.kept + s.freed}
			}
			if shares[h] == nil {
				shares[h] = map[string]share{}
			}
			shares[h][words[len(words)-1]] = s
		}
	}
	var prob func(h []string, w string) float64
	prob = func(h []string, w string) float64 {
		lower := 1 / float64(o.vocabulary+1)
		if len(h) > 0 {
			lower = prob(h[1:], w)
		}
		kept, freed := 0.0, 0.0
		for _, s := range shares[strings.Join(h, " ")] {
			kept, freed = kept+s.kept, freed+s.freed
		}
		if kept+freed == 0 {
			return lower
		}
		return (shares[strings.Join(h, " ")][w].kept + freed*lower) / (kept + freed)
	}
	return func(history []int32, w int32) float64 { return prob(o.context(history), name(w)) }
}

// agree compares a model with the formulas on random histories.
func agree(t *testing.T, rng *rand.Rand, m *Model, o *oracle) {
	t.Helper()
	if err := m.Validate(0); err != nil {
		t.Fatal(err)
	}
	p := o.model()
	for range 12 {
		history := make([]int32, rng.IntN(6))
		for j := range history {
			history[j] = 1 + rng.Int32N(m.Vocabulary())
		}
		sum := 0.0
		for w := range m.Vocabulary() + 1 {
			got, want := m.Prob(history, w), p(history, w)
			// What a discount leaves of a count may be the difference of nearly equal numbers.
			if math.Abs(got-want) > 1e-12*want+1e-15 {
				t.Fatalf("order %d, %+v: p(%s | %v) is %v, want %v", o.order, o.opts, name(w), history, got, want)
			}
			sum += got
		}
		if math.Abs(sum-1) > 1e-13 {
			t.Fatalf("order %d: probabilities after %v sum to %v", o.order, history, sum)
		}
	}
}

// options returns random ones of a smoothing.
func options(rng *rand.Rand, smoothing Smoothing) Options {
	opts := Options{
		Smoothing: smoothing,
		MinCount:  [][]float64{nil, nil, {0, 1.4}, {.4, .9, .2}}[rng.IntN(4)],
	}
	if smoothing == ModifiedKneserNey {
		opts.DiscountScale = [][]float64{nil, {1, 1.2}, {.5, 3, 1}}[rng.IntN(3)]
		opts.Discounts = [][][3]float64{nil, nil, {{.75, .75, .75}}, {{0, .5, 1}, {1, 2, 3}}}[rng.IntN(4)]
	}
	return opts
}

// TestAgainstFormulas: strings with weights, by both smoothings.
func TestAgainstFormulas(t *testing.T) {
	for seed := range trials.Seeds(150) {
		rng := rand.New(rand.NewPCG(seed, 2))
		order, vocabulary := 1+int(seed)%5, 2+rng.Int32N(5)
		all, weights := random(rng, 1+rng.IntN(12), vocabulary)
		opts := options(rng, Smoothing(seed/5%2))
		o := newOracle(order, vocabulary, opts)
		for i, s := range all {
			o.addString(s, weights[i])
		}
		m, err := Fit(order, vocabulary, data(all, weights...), &opts)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, rng, m, o)
	}
}

// TestUncertain: occurrences with posteriors, the contexts of some of which were not
// counted.
func TestUncertain(t *testing.T) {
	for seed := range trials.Seeds(150) {
		rng := rand.New(rand.NewPCG(seed, 3))
		order, vocabulary := 1+int(seed)%4, 2+rng.Int32N(3)
		opts := options(rng, Smoothing(seed/4%2))
		o := newOracle(order, vocabulary, opts)
		c := counter(t, order, vocabulary)
		for range 1 + rng.IntN(10) {
			history := make([]int32, rng.IntN(5))
			for j := range history {
				history[j] = 1 + rng.Int32N(1+rng.Int32N(vocabulary))
			}
			var err error
			w, p := rng.Int32N(vocabulary+1), []float64{1, rng.Float64(), 1e-9}[rng.IntN(3)]
			if seed%2 == 0 {
				o.add(history, w, p)
				err = c.Add(history, w, p)
			} else {
				times := []float64{1, .5, 2, 3.25, 21}[rng.IntN(5)]
				for rest := times; rest > 0; rest-- {
					o.add(history, w, p*min(rest, 1))
				}
				k := c.Start()
				for _, s := range history {
					k = c.Step(k, s)
				}
				err = c.AddAt(k, w, p, times)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		agree(t, rng, model(t, c, &opts), o)
	}
}
