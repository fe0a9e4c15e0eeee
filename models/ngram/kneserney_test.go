package ngram

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/trials"
)

// TestDiscountsByHand: of the symbols and the end, 2, 1, 1, 1 are seen 1, 2, 3, 4 times.
func TestDiscountsByHand(t *testing.T) {
	c := counter(t, 1, 5)
	if err := c.AddString([]int32{4, 3, 2, 3, 4, 1, 4, 2, 3, 4}, 1); err != nil {
		t.Fatal(err)
	}
	d, err := c.Discounts()
	if err != nil {
		t.Fatal(err)
	}
	// Y = 2/(2+2·1) = 1/2; 1 − 2Y·1/2, 2 − 3Y·1/1, 3 − 4Y·1/1.
	want := Discount{[4]float64{2, 1, 1, 1}, [3]float64{.5, .5, 1}, [3]bool{true, true, true}}
	if len(d) != 1 || d[0] != want {
		t.Errorf("discounts %v, want %v", d, want)
	}
	m := model(t, c, nil)
	free := (2*.5 + .5 + 1 + 1) / 11
	for w, kept := range []float64{.5, .5, 1.5, 2, 3, 0} {
		if got, want := m.Prob(nil, int32(w)), kept/11+free/6; math.Abs(got-want) > 1e-16 {
			t.Errorf("p(%d) is %v, want %v", w, got, want)
		}
	}
}

// TestBigramByHand is a bigram model where 1 and 2 are seen often, and 2 only after 1.
func TestBigramByHand(t *testing.T) {
	c := counter(t, 2, 3)
	for _, s := range [][]int32{{1, 2}, {1, 2}, {1, 2}, {3}, {1}} {
		if err := c.AddString(s, 1); err != nil {
			t.Fatal(err)
		}
	}
	// Bigrams: ^1 4, 12 3, 2$ 3, ^3 1, 3$ 1, 1$ 1: counts of counts 3, 0, 2, 1, Y = 1;
	// D₁ = 1 and D₂ = −∞ are none; D₃ = 3 − 4·1/2 = 1.
	// Different symbols before: 1 1, 2 1, 3 1, $ 3: counts of counts 3, 0, 1, 0: D₃ alone,
	// 3 − 4·0/1.
	want := []Discount{
		{Counts: [4]float64{3, 0, 1, 0}, D: [3]float64{.5, 1, 3}, Estimated: [3]bool{2: true}},
		{Counts: [4]float64{3, 0, 2, 1}, D: [3]float64{.5, 1, 1}, Estimated: [3]bool{2: true}},
	}
	d, err := c.Discounts()
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if d[i] != want[i] {
			t.Errorf("discounts of length %d: %v, want %v", i+1, d[i], want[i])
		}
	}
	m := model(t, c, nil)
	uni := func(kept float64) float64 { return kept/6 + (3*.5+3)/6/4 }
	for _, test := range []struct {
		history []int32
		w       int32
		want    float64
	}{
		{nil, 1, 3./5 + 1.5/5*uni(.5)},
		{nil, 2, 1.5 / 5 * uni(.5)},
		{nil, End, 1.5 / 5 * uni(0)},
		{[]int32{2, 1}, 2, 2./4 + 1.5/4*uni(.5)},
		{[]int32{1}, End, .5/4 + 1.5/4*uni(0)},
		{[]int32{2}, End, 2./3 + 1./3*uni(0)},
		{[]int32{1}, 4, 0},
		{[]int32{1}, -1, 0},
	} {
		if got := m.Prob(test.history, test.w); math.Abs(got-test.want) > 1e-15 {
			t.Errorf("p(%d | %v) is %v, want %v", test.w, test.history, got, test.want)
		}
	}
}

// TestWholeCounts compares with a trigram model that is computed from whole counts.
func TestWholeCounts(t *testing.T) {
	const V = 6
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		all, _ := random(rng, 30+rng.IntN(60), V)
		c3, c2, c1 := map[[3]int32]int{}, map[[2]int32]int{}, map[int32]int{}
		for _, s := range all {
			text := append(append([]int32{begin, begin}, s...), End)
			for i := 2; i < len(text); i++ {
				// ^ w is an n-gram of length 2, and ^ ^ w not one of length 3.
				if text[i-2] == begin && text[i-1] == begin {
					c2[[2]int32{begin, text[i]}]++
				} else {
					c3[[3]int32(text[i-2:i+1])]++
				}
			}
		}
		for g := range c3 {
			c2[[2]int32{g[1], g[2]}]++
		}
		for g := range c2 {
			c1[g[1]]++
		}
		d3, d2, d1 := chenGoodman(c3), chenGoodman(c2), chenGoodman(c1)
		prob := func(u, v, w int32) float64 {
			// Each level: counts c(h·) of the context, discounted, plus the rest.
			level := func(count int, total, freed float64, d func(int) float64, lower float64) float64 {
				if total == 0 {
					return lower
				}
				return (float64(count) - d(count) + freed*lower) / total
			}
			var t3, f3, t2, f2, t1, f1 float64
			for x := range int32(V + 1) {
				a, b, c := c3[[3]int32{u, v, x}], c2[[2]int32{v, x}], c1[x]
				t3, f3 = t3+float64(a), f3+d3(a)
				t2, f2 = t2+float64(b), f2+d2(b)
				t1, f1 = t1+float64(c), f1+d1(c)
			}
			p := level(c1[w], t1, f1, d1, 1./(V+1))
			p = level(c2[[2]int32{v, w}], t2, f2, d2, p)
			if u != begin || v != begin {
				p = level(c3[[3]int32{u, v, w}], t3, f3, d3, p)
			}
			return p
		}
		m := train(t, 3, V, all)
		for range 100 {
			h := [2]int32{1 + rng.Int32N(V), 1 + rng.Int32N(V)}
			w := rng.Int32N(V + 1)
			got := []float64{m.Prob([]int32{5, h[0], h[1]}, w), m.Prob(h[:1], w), m.Prob(nil, w)}
			want := []float64{prob(h[0], h[1], w), prob(begin, h[0], w), prob(begin, begin, w)}
			for i := range got {
				if math.Abs(got[i]-want[i]) > 1e-13 {
					t.Fatalf("seed %d: %d symbols before the last of %v %d: %v, want %v", seed, 2-i, h, w, got[i], want[i])
				}
			}
		}
	}
}

func chenGoodman[K comparable](counts map[K]int) func(c int) float64 {
	var n [5]float64
	for _, c := range counts {
		if c <= 4 {
			n[c]++
		}
	}
	y := n[1] / (n[1] + 2*n[2])
	d := [4]float64{0, 1 - 2*y*n[2]/n[1], 2 - 3*y*n[3]/n[2], 3 - 4*y*n[4]/n[3]}
	for i := 1; i < 4; i++ {
		if third := i == 3 && d[i] == 3; !third && !(0 < d[i] && d[i] < float64(i)) { // 3 without n-grams of count 4
			d[i] = float64(i) / 2
		}
	}
	return func(c int) float64 { return d[min(c, 3)] }
}

// TestTally: the distribution of a count is that over all outcomes.
func TestTally(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		a, b := nothing, nothing
		var events []float64
		for range rng.IntN(9) {
			p := []float64{rng.Float64(), 1, 1e-12, 1 - 1e-9}[rng.IntN(4)]
			events = append(events, p)
			if rng.IntN(2) == 0 {
				a.add(p)
			} else {
				b.add(p)
			}
		}
		a.plus(&b)
		want := append(distribution(events), make([]float64, 6)...)
		for c, x := range want[6:] {
			want[5] += x
			want[6+c] = 0
		}
		for c, got := range a.of {
			if math.Abs(got-want[c]) > 1e-12*want[c]+1e-300 {
				t.Fatalf("%v: probability of %d is %v, want %v", events, c, got, want[c])
			}
		}
		if m := mean(distribution(events)); math.Abs(a.mean-m) > 1e-12*m {
			t.Fatalf("%v: mean %v, want %v", events, a.mean, m)
		}
	}
	for _, n := range []float64{0, .25, 1, 2, 2.5, 4, 5, 7.5, 37, 1000.25, 1e300} {
		for _, p := range []float64{1, .75, 1e-3, 1e-12} {
			got, want := nothing, nothing
			got.addTimes(p, n)
			rest := n
			for rest >= 1 && want.atLeast(5) < 1-1e-15 {
				if want.add(p); n > 1e6 { // whose events are beyond counting one by one
					want.of = [6]float64{5: 1}
				}
				rest--
			}
			if rest > 0 && rest < 1 {
				want.add(p * rest)
			}
			for c, x := range want.of {
				if math.Abs(got.of[c]-x) > 1e-12*x+1e-15 {
					t.Errorf("%v times %v: probability of %d is %v, want %v", n, p, c, got.of[c], x)
				}
			}
			if math.Abs(got.mean-p*n) > 1e-12*p*n {
				t.Errorf("%v times %v: mean %v", n, p, got.mean)
			}
		}
	}
}

// TestDiscountOfThree: with n-grams of count 3 and none of count 4, the estimate is
// 3 − 4·Y·0/n₃ = 3, which leaves nothing of a count of 3.
func TestDiscountOfThree(t *testing.T) {
	c := counter(t, 1, 6)
	// Seen once: 1, 2 and the end; twice: 3; three times: 4; five times: 5.
	if err := c.AddString([]int32{1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5}, 1); err != nil {
		t.Fatal(err)
	}
	d, err := c.Discounts()
	if err != nil {
		t.Fatal(err)
	}
	// Y = 3/5; 1 − 2Y·1/3, 2 − 3Y·1/1, 3 − 4Y·0/1.
	if n, want := d[0].Counts, [4]float64{3, 1, 1, 0}; n != want || math.Abs(d[0].D[0]-.6) > 1e-15 || math.Abs(d[0].D[1]-.2) > 1e-15 || d[0].D[2] != 3 || d[0].Estimated != [3]bool{true, true, true} {
		t.Errorf("discounts %v, want .6, .2 and 3 of %v", d[0], want)
	}
	free := (3*.6 + .2 + 3 + 3) / 13 / 7
	m := model(t, c, nil)
	for w, kept := range map[int32]float64{4: 0, 5: 2} {
		if got, want := m.Prob(nil, w), kept/13+free; math.Abs(got-want) > 1e-15 {
			t.Errorf("p(%d) is %v, want %v", w, got, want)
		}
	}
}
