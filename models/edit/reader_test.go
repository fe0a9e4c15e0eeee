package edit

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// stages returns a contextual model of one of its windows, at random parameters.
func stages(t *testing.T, seed uint64) (*contextMachine, *rand.Rand) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	tr, err := newTrainer(letters, randomPairs(rng, 30), few)
	if err != nil {
		t.Fatal(err)
	}
	z, err := tr.machine(rng.IntN(len(few.Windows)))
	if err != nil {
		t.Fatal(err)
	}
	z.model.Theta = z.params.Random(rng)
	return z, rng
}

// TestReader: of each string over the alphabet there is one path, and it writes the labels.
func TestReader(t *testing.T) {
	counts := semiring.Real{}
	for seed := range trials.Seeds(6) {
		z, _ := stages(t, seed)
		read, err := reader(z.contexts, counts, machines.Of[float64]())
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range fsttest.Strings(int32(len(letters)), 4) {
			f, err := fst.Expand(fst.Compose(fst.FromString(counts, x), read), nil)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := z.model.Labels(x)
			paths := 0
			for p := range oracle.Paths(f.Graph(), len(x)+1) {
				var got []int32
				for _, e := range p.Arcs {
					got = append(got, f.Out()[e])
				}
				if paths++; !slices.Equal(got, want) || p.Weight != 1 {
					t.Errorf("seed %d: %v is read as %v with weight %g, want %v", seed, x, got, p.Weight, want)
				}
			}
			if paths != 1 {
				t.Errorf("seed %d: %v is read in %d ways", seed, x, paths)
			}
		}
	}
}

// randomSet returns an acceptor with small weights; it has cycles.
func randomSet(t *testing.T, rng *rand.Rand) *fst.FST[semiring.ScaledFloat] {
	t.Helper()
	b := fst.NewBuilder(scaled)
	n := 1 + rng.IntN(3)
	b.AddStates(n)
	b.AddStart(0, semiring.NewScaled(1))
	for s := range int32(n) {
		b.SetFinal(s, semiring.NewScaled(rng.Float64()))
		for range 2 {
			l := rng.Int32N(int32(len(letters)) + 1) // ε too
			b.AddArc(s, fst.Arc[semiring.ScaledFloat]{In: l, Out: l, Weight: semiring.NewScaled(.008 * rng.Float64()), To: rng.Int32N(int32(n))})
		}
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// expectations returns the E step of a problem.
func expectations(t *testing.T, p cascade.Problem, theta []float64, x ...cascade.Example) *em.Expectations {
	t.Helper()
	l, err := p.Likelihood(cascade.Data{Examples: x, Underivable: em.Skip})
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.Expect(t.Context(), em.Query{Theta: theta})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestSources: the E step of a source that is one of a set, with cycles, is the sum over all
// its strings, each edited in every way; and the reader as a stage behind a machine of that set
// says the same.
func TestSources(t *testing.T) {
	for seed := range trials.Seeds(10) {
		z, rng := stages(t, seed)
		set, y := randomSet(t, rng), randomString(rng, 3)
		of := fsttest.NewWeigher(fsttest.Frozen(fst.Map(set, semiring.Real{}, semiring.ScaledFloat.Float64)))
		total, counts := 0.0, make([]float64, z.params.Len())
		for _, x := range fsttest.Strings(int32(len(letters)), 5) {
			w := of.Weight(x, x)
			if w == 0 {
				continue
			}
			p := w * (&fates{z, z.model.Theta, x}).read(-1, false, y)
			labels, _ := z.model.Labels(x)
			one := expectations(t, z.model.Problem, z.model.Theta, cascade.Example{X: cascade.Labels(labels...), Y: cascade.Labels(y...)})
			for i, c := range one.Counts {
				counts[i] += p * c
			}
			total += p
		}
		if total == 0 {
			continue
		}
		data := []Pair{{Sources: set, Target: y}}
		sides, err := z.sides(data)
		if err != nil {
			t.Fatal(err)
		}
		x, err := asExamples(z.params, data, sides)
		if err != nil {
			t.Fatal(err)
		}
		read, err := z.model.Reader()
		if err != nil {
			t.Fatal(err)
		}
		stages := cascade.Problem{Params: z.params, Stages: []cascade.Stage{cascade.Constants(z.params, set), read, z.model.Stages[0]}}
		targets := cascade.Problem{Params: z.params, Edges: []cascade.Edge{{From: 1, To: 0, Machines: stages.Stages}}}
		for name, e := range map[string]*em.Expectations{
			"as a side":  expectations(t, z.model.Problem, z.model.Theta, x[0]),
			"as a stage": expectations(t, stages, z.model.Theta, cascade.Example{Y: cascade.Labels(y...)}),
			"as an edge": expectations(t, targets, z.model.Theta, cascade.Example{Tapes: []cascade.Side{cascade.Labels(y...)}}),
		} {
			if math.Abs(e.LogLikelihood-math.Log(total)) > 1e-10 {
				t.Errorf("seed %d: the set %s: ln P = %.14g, want %.14g", seed, name, e.LogLikelihood, math.Log(total))
			}
			for i, c := range e.Counts {
				if math.Abs(c-counts[i]/total) > 1e-10 {
					t.Errorf("seed %d: the set %s: %s %.14g times, want %.14g", seed, name, z.params.Name(int32(i)), c, counts[i]/total)
				}
			}
		}
	}
}

// TestFitSets: training on sets of one string is training on strings.
func TestFitSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	strings := randomPairs(rng, 40)
	sets := slices.Clone(strings)
	for i := range sets {
		p := &sets[i]
		if i%2 == 0 {
			p.Sources, p.Source = fst.FromString(scaled, p.Source), nil
		}
		if i%3 == 0 {
			p.Targets, p.Target = fst.FromString(scaled, p.Target), nil
		}
	}
	var theta [2][]float64
	for i, data := range [][]Pair{strings, sets} {
		c, err := NewContextual(letters, strings, few)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Fit(t.Context(), data, &em.Options{Iterations: 5, Tolerance: -1}); err != nil {
			t.Fatal(err)
		}
		theta[i] = c.Theta
	}
	for i, p := range theta[0] {
		if math.Abs(p-theta[1][i]) > 1e-10 {
			t.Errorf("θ[%d] is %.12g, from sets %.12g", i, p, theta[1][i])
		}
	}
	c, err := NewContextual(letters, strings, few)
	if err != nil {
		t.Fatal(err)
	}
	both := []Pair{{Source: letters, Sources: fst.FromString(scaled, letters)}}
	if _, err := c.Fit(t.Context(), both, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("a string and a set: %v", err)
	}
	none := []Pair{{Sources: fst.FromString(scaled, []int32{9})}}
	if _, err := c.Fit(t.Context(), none, nil); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("a set without strings of the alphabet: %v", err)
	}
}

// TestReaderLimit: a reader too large for memory is refused; a memoryless model's copies.
func TestReaderLimit(t *testing.T) {
	var alphabet []int32
	for a := range int32(200) {
		alphabet = append(alphabet, a+1)
	}
	tr, err := newTrainer(alphabet, []Pair{{Source: alphabet}}, &ContextOptions{MinCount: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader(tr.contexts, scaled, machines.Scaled); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("200 symbols: %v", err)
	}
	m, err := NewJoint(letters, []int32{4}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Reader()
	if err != nil || f.NumStates() != 1 || !slices.Equal(f.In(), letters) || !slices.Equal(f.Out(), letters) {
		t.Errorf("reader of a memoryless model: %v, %v", f, err)
	}
}

// BenchmarkLabels: the labels of the contexts of a word of three syllables, looked up, and
// found by the reader of an alphabet of 20 symbols.
func BenchmarkLabels(b *testing.B) {
	words := syllables(rand.New(rand.NewPCG(1, 1)), 2000)
	alphabet := make([]int32, 20)
	for i := range alphabet {
		alphabet[i] = int32(i + 1)
	}
	var pairs []Pair
	for _, w := range words {
		pairs = append(pairs, Pair{Source: w.Labels})
	}
	t, err := newTrainer(alphabet, pairs, nil)
	if err != nil {
		b.Fatal(err)
	}
	read, err := reader(t.contexts, scaled, machines.Scaled)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("looked up", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			t.contexts.labels(words[n%len(words)].Labels)
		}
	})
	b.Run("read", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			if _, err := labelsOf(fst.FromString(scaled, words[n%len(words)].Labels), read); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(read.NumArcs()), "arcs")
	})
}
