package align

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/trials"
)

// randomJumps returns a law with several classes, a start, and counts of jumps from random
// places, none of them after hidden class without.
func randomJumps(seed uint64, without int) (l *jumpLaw, theta, counts []float64) {
	r := random(seed)
	l = &jumpLaw{jumps: jumps{reach: 1 + r.IntN(3), hidden: 3, seen: 2 + r.IntN(2)}, strength: 10 * r.Float64()}
	theta, counts = make([]float64, l.probabilities()), make([]float64, l.probabilities())
	l.Random(theta, r)
	for range 400 {
		n := 2 + r.IntN(6)
		from, pair := r.IntN(n), r.IntN(l.pairs())
		if pair/l.seen == without {
			continue
		}
		l.inner(counts, pair)[l.bucket(r.IntN(n)-from)] += r.Float64()
	}
	return l, theta, counts
}

// TestPooledFrequencies: a pair of classes has its own jumps, and strength more that are
// distributed as those of its hidden class. What was never seen stays as it was.
func TestPooledFrequencies(t *testing.T) {
	for seed := range trials.Seeds(100) {
		without := int(seed % 3)
		l, theta, counts := randomJumps(seed, without)
		before, counted := slices.Clone(theta), slices.Clone(counts)
		if err := l.Maximize(theta, counts); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(counts, counted) {
			t.Fatalf("seed %d: the counts have changed", seed)
		}
		for pair := range l.pairs() {
			class := pair / l.seen
			if class == without {
				if !slices.Equal(l.inner(theta, pair), l.inner(before, pair)) {
					t.Errorf("seed %d: pair %d has changed without counts", seed, pair)
				}
				continue
			}
			all := make([]float64, l.buckets())
			for p := range l.pairs() {
				if p/l.seen == class {
					floats.Add(all, l.inner(counts, p))
				}
			}
			own := l.inner(counts, pair)
			for b, got := range l.inner(theta, pair) {
				want := (own[b] + l.strength*all[b]/floats.Sum(all)) / (floats.Sum(own) + l.strength)
				if !near(got, want) {
					t.Errorf("seed %d: pair %d has bucket %d with %v, want %v", seed, pair, b, got, want)
				}
			}
		}
	}
}

// TestInfiniteStrength: with the strength +Inf all pairs of a hidden class have its jumps, the limit
// of great strengths: the relative frequencies of the jumps of the class.
func TestInfiniteStrength(t *testing.T) {
	for seed := range trials.Seeds(60) {
		without := int(seed % 3)
		l, theta, counts := randomJumps(seed, without)
		l.strength = math.Inf(1)
		before, near := slices.Clone(theta), slices.Clone(theta)
		if err := l.Maximize(theta, counts); err != nil {
			t.Fatal(err)
		}
		great := *l
		great.strength = 1e12
		if err := great.Maximize(near, counts); err != nil {
			t.Fatal(err)
		}
		for pair := range l.pairs() {
			p, class := l.inner(theta, pair), pair/l.seen
			if class == without {
				if !slices.Equal(p, l.inner(before, pair)) {
					t.Errorf("seed %d: pair %d has changed without counts", seed, pair)
				}
				continue
			}
			if !floats.EqualApprox(p, l.inner(near, pair), 1e-6) || math.Abs(floats.Sum(p)-1) > 1e-12 {
				t.Errorf("seed %d: pair %d has %v, want the limit of %v", seed, pair, p, l.inner(near, pair))
			}
			if !floats.EqualApprox(p, l.inner(theta, class*l.seen), 1e-12) {
				t.Errorf("seed %d: pairs of class %d differ: %v, %v", seed, class, p, l.inner(theta, class*l.seen))
			}
			want := make([]float64, l.buckets())
			for other := class * l.seen; other < (class+1)*l.seen; other++ {
				floats.Add(want, l.inner(counts, other))
			}
			floats.Scale(1/floats.Sum(want), want)
			if !floats.EqualApprox(p, want, 1e-12) {
				t.Errorf("seed %d: pair %d has %v, want %v", seed, pair, p, want)
			}
		}
	}
	r := random(1)
	c := randomCorpus(r, 30, 5)
	m := train(t, c, &setup{Stages: []Stage{{Model1, 2, Own, Separate}, {HMM, 4, Own, Separate}}, Classes: 2, Prior: Prior{Jumps: math.Inf(1)}})
	for _, x := range m.theta {
		if !(x >= 0 && x <= 1) {
			t.Fatalf("a parameter is %g", x)
		}
	}
}

// TestTinyJumps: the jumps from a position sum to 1, and are the quotients of the probabilities of
// their buckets, however small all of them are that a sentence has room for.
func TestTinyJumps(t *testing.T) {
	values := []float64{0, 1, .25, 1e-12, 1e-300, 3e-308, 1e-310, 4e-320}
	for seed := range trials.Seeds(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		j := jumps{reach: 1 + rng.IntN(3), hidden: 1, seen: 1}
		p := make([]float64, j.probabilities())
		for i := range p {
			p[i] = values[rng.IntN(len(values))]
		}
		at := j.at(p)
		n := 1 + rng.IntN(6)
		cells := make([]float64, (n+1)*(n+1))
		at.transitions(cells, n, nil, []int32{0}, 1)
		least, most := at.within(n, 1)
		for _, x := range cells {
			if x != 0 && !(least <= x && x <= most) {
				t.Errorf("seed %d: a transition of %g, want it from %g to %g", seed, x, least, most)
			}
		}
		for from := -1; from < n; from++ {
			row := cells[(from+1)*(n+1)+1:][:n]
			// By definition, in numbers of any size.
			bucket, share := at.start(p), make([]int, 2*j.reach+1)
			if from >= 0 {
				bucket = at.inner(p, 0)
			}
			for i := range n {
				share[at.bucket(i-from)]++
			}
			z := new(big.Float)
			for b, positions := range share {
				if positions > 0 {
					z.Add(z, big.NewFloat(bucket[b]))
				}
			}
			sum := 0.0
			for i, got := range row {
				want := 1 / float64(n)
				if z.Sign() > 0 {
					q, _ := new(big.Float).Quo(big.NewFloat(bucket[at.bucket(i-from)]), z).Float64()
					want = q / float64(share[at.bucket(i-from)])
				}
				if sum += got; !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("seed %d: from %d to %d of %d: %g, want %g; buckets %v", seed, from, i, n, got, want, bucket)
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("seed %d: jumps from %d of %d sum to %g", seed, from, n, sum)
			}
		}
	}
}

// TestTransitionsOfClasses: the transitions for several classes of observed words, and the counts of
// their uses, are to the last bit those of one cell after the other: the sum of the buckets at hand,
// the quotient, and the count of a bucket in the order of positions.
func TestTransitionsOfClasses(t *testing.T) {
	for seed := range trials.Seeds(300) {
		rng := random(seed)
		l := &jumpLaw{jumps: jumps{reach: 1 + rng.IntN(4), hidden: 1 + rng.IntN(3), seen: 1 + rng.IntN(4)}}
		p := make([]float64, l.probabilities())
		l.Random(p, rng)
		j, n, move, factor := l.jumps.at(p), 1+rng.IntN(12), rng.Float64(), rng.Float64()
		var classes []int32
		if l.hidden > 1 || rng.IntN(2) == 0 {
			classes = make([]int32, n)
			for i := range classes {
				classes[i] = rng.Int32N(int32(l.hidden))
			}
		}
		var seen []int32
		for _, class := range rng.Perm(l.seen)[:1+rng.IntN(l.seen)] {
			seen = append(seen, int32(class))
		}
		square := (n + 1) * (n + 1)
		cells, of := make([]float64, len(seen)*square), make([]uses, len(seen))
		j.transitions(cells, n, classes, seen, move)
		got, want := make([]float64, len(p)), make([]float64, len(p))
		for k, class := range seen {
			if rng.IntN(4) > 0 {
				of[k].weights, of[k].divided = cells[k*square:][:square], randomNumbers(rng, square)
			}
			if rng.IntN(4) == 0 {
				of[k].direct = randomNumbers(rng, square)
			}
			for from := -1; from < n; from++ {
				pair, bucket, counts := 0, j.start(p), j.start(want)
				if from >= 0 {
					if pair = int(class); classes != nil {
						pair += int(classes[from]) * l.seen
					}
					bucket, counts = j.inner(p, pair), j.inner(want, pair)
				}
				at := (from+1)*(n+1) + 1 // the cell of position 0
				if cells[k*square+at-1] != 0 {
					t.Fatalf("seed %d: a transition back before the sentence", seed)
				}
				for i, x := range transitionsByHand(j, bucket, from, n, move) {
					if got := cells[k*square+at+i]; got != x {
						t.Fatalf("seed %d: class %d, from %d to %d of %d: %v, want %v", seed, class, from, i, n, got, x)
					}
				}
				if u := &of[k]; u.divided != nil {
					products := make([]float64, n)
					for i := range products {
						products[i] = u.weights[at+i] * u.divided[at+i]
					}
					countByHand(j, counts, from, products, factor)
				}
				if u := &of[k]; u.direct != nil {
					countByHand(j, counts, from, u.direct[at:][:n], factor)
				}
			}
		}
		j.count(got, of, n, classes, seen, factor)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: counts %v, want %v", seed, got, want)
		}
	}
}

func randomNumbers(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.Float64()
	}
	return x
}

// transitionsByHand returns move times the probabilities of jumps from a position to each of n.
func transitionsByHand(j *jumps, bucket []float64, from, n int, move float64) []float64 {
	sharing := make([]int, j.buckets())
	for i := range n {
		sharing[j.bucket(i-from)]++
	}
	behind, ahead := 0.0, 0.0
	for b := j.reach; b >= 0; b-- {
		if sharing[b] > 0 {
			behind += bucket[b]
		}
	}
	for b := j.reach + 1; b < j.buckets(); b++ {
		if sharing[b] > 0 {
			ahead += bucket[b]
		}
	}
	z := behind + ahead
	w := make([]float64, n)
	for i := range w {
		b := j.bucket(i - from)
		if w[i] = move / z * bucket[b]; sharing[b] > 1 {
			w[i] /= float64(sharing[b])
		}
	}
	return w
}

// countByHand adds weight times the uses of jumps from a position to counts. Uses beyond reach are
// added up first.
func countByHand(j *jumps, counts []float64, from int, uses []float64, weight float64) {
	far := make([]float64, j.buckets())
	for i, x := range uses {
		if i-from < -j.reach || i-from > j.reach {
			far[j.bucket(i-from)] += x
		}
	}
	for b, x := range far {
		counts[b] += weight * x
	}
	for i, x := range uses {
		if i-from >= -j.reach && i-from <= j.reach {
			counts[j.bucket(i-from)] += weight * x
		}
	}
}

// TestLongTraining: the buckets of jumps that hardly any sentence makes lose their probability over
// many iterations; sentences of one word, which have but one bucket, stay possible.
func TestLongTraining(t *testing.T) {
	for seed := range trials.Seeds(12) {
		rng := rand.New(rand.NewPCG(seed, 6))
		c := NewCorpus()
		for range 3 + rng.IntN(20) {
			var s Sentence
			for range 1 + rng.IntN(5) {
				k := rng.IntN(4)
				s.Source, s.Target = append(s.Source, string(rune('a'+k))), append(s.Target, string(rune('w'+k)))
			}
			if err := c.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		m, err := New(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, strength := range []float64{0, 1} {
			o := &FitOptions{Prior: Prior{Jumps: strength}, Stages: []Stage{{Positions: Model1, Iterations: 30}, {Positions: HMM, Iterations: 40}}}
			if _, err := m.Fit(t.Context(), c, o); err != nil {
				t.Fatalf("seed %d, %v: %v", seed, strength, err)
			}
			for _, x := range m.theta {
				if !(x >= 0 && x <= 1) {
					t.Fatalf("seed %d, %v: a parameter is %g", seed, strength, x)
				}
			}
		}
	}
}
