package gold

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/align"
)

func mustParse(t testing.TB, line string) Reference {
	t.Helper()
	r, err := Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"":                      "",
		"2?3 0-0":               "0-0 2?3",
		"1-1\t1?1 1-1  0?2 0?2": "1-1 0?2",
		"4?4":                   "4?4",
	} {
		if got := mustParse(t, line); got.String() != want {
			t.Errorf("%q is read as %v, want %s", line, got, want)
		}
	}
	for _, line := range []string{"1", "1:2", "1-2?3", "?", "-1?2", "1-"} {
		if r, err := Parse(line); !errors.Is(err, align.ErrLink) {
			t.Errorf("%q: %v, %v", line, r, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("0-0 1?2")
	f.Add("1?1 1-1\u00a02?2")
	f.Fuzz(func(t *testing.T, line string) {
		var r Reference
		var err error
		memtest.Bound(t, len(line), 100, func() { r, err = Parse(line) })
		if err != nil {
			return
		}
		if again := mustParse(t, r.String()); again.String() != r.String() {
			t.Fatalf("%q: %v is read as %v", line, r, again)
		}
		if len(align.Intersection(r.Sure, r.Possible)) > 0 {
			t.Fatalf("%q: sets with common links in %v", line, r)
		}
	})
}

func TestRead(t *testing.T) {
	got, err := Collect(Read(strings.NewReader("0-0\n\n1?1 2-2"), "f"))
	if err != nil || len(got) != 3 || fmt.Sprint(got) != "[0-0  2-2 1?1]" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Collect(ReadFile(t.TempDir() + "/none")); err == nil {
		t.Error("no file: no error")
	}
}

func TestReadWPT(t *testing.T) {
	const wpt = "0002 1 1 S\n1 2 3 P 0.5\n\n1 2 3\r\n01 1 2 1e-3\n1 0 4 S\n1 4 0 P\n1 9 8 P"
	got, err := ReadWPT(strings.NewReader(wpt), "f", 3)
	if want := "[0-1 1-2 8?7 0-0 ]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v, want %s", got, err, want)
	}
}

func TestReadMemory(t *testing.T) {
	const size = 1 << 18
	for _, part := range []string{"0-0 ", "1?1\n", " ", "\n", "1 1 1\n", "999 1 1 S\n", "0"} {
		text := strings.Repeat(part, size/len(part))
		// An empty line is a reference of two slices.
		memtest.Bound(t, len(text), 400, func() { Collect(Read(strings.NewReader(text), "f")) })
		memtest.Bound(t, len(text), 100, func() { ReadWPT(strings.NewReader(text), "f", 1000) })
	}
}

func FuzzReadWPT(f *testing.F) {
	f.Add("0001 1 1 S\n0001 2 3 P 0.5\n")
	f.Add("2 0 3\n1 1 1 1")
	f.Fuzz(func(t *testing.T, text string) {
		const n = 4
		var all []Reference
		var err error
		memtest.Bound(t, len(text), 100, func() { all, err = ReadWPT(strings.NewReader(text), "f", n) })
		if err != nil {
			return
		}
		var out []byte
		for i, r := range all {
			out = AppendWPT(out, i, r)
		}
		again, err := ReadWPT(strings.NewReader(string(out)), "f", n)
		if d := cmp.Diff(all, again, cmpopts.EquateEmpty()); err != nil || d != "" {
			t.Fatalf("%q: %v, %s", text, err, d)
		}
	})
}

// sets counts with sets, as the definition says.
func sets(a align.Alignment, r Reference) (links, sure, sureHits, possibleHits int) {
	p := map[align.Link]bool{}
	for _, l := range slices.Concat(r.Sure, r.Possible) {
		p[l] = true
	}
	for _, l := range a {
		if slices.Contains(r.Sure, l) {
			sureHits++
		}
		if p[l] {
			possibleHits++
		}
	}
	return len(a), len(r.Sure), sureHits, possibleHits
}

func TestCounts(t *testing.T) {
	r := mustParse(t, "0-0 1-1 2?1 2?2")
	a, _ := align.ParseAlignment("0-0 2-1 3-3")
	c := Compare(a, r)
	if c != (Counts{Links: 3, Sure: 2, SureHits: 1, PossibleHits: 2}) {
		t.Errorf("%+v", c)
	}
	if c.Precision() != 2./3 || c.Recall() != .5 || c.AER() != 1-3./5 {
		t.Errorf("precision %g, recall %g, error rate %g", c.Precision(), c.Recall(), c.AER())
	}
	if d := c.Plus(c); d.AER() != c.AER() || d.Links != 6 {
		t.Errorf("%+v", d)
	}
	empty := Compare(nil, Reference{})
	for _, x := range []float64{empty.Precision(), empty.Recall(), empty.AER()} {
		if !math.IsNaN(x) {
			t.Errorf("%g of nothing, want NaN", x)
		}
	}
	if c := Compare(nil, r); c.AER() != 1 || c.Recall() != 0 {
		t.Errorf("no links: error rate %g", c.AER())
	}
	if c := Compare(r.Sure, r); c.AER() != 0 || c.Precision() != 1 {
		t.Errorf("the sure links: error rate %g", c.AER())
	}
}

func randomReference(rng *rand.Rand, e, f int) Reference {
	var sure, possible []align.Link
	for i := range e {
		for j := range f {
			switch rng.IntN(4) {
			case 0:
				sure = append(sure, align.Link{Source: i, Target: j})
			case 1:
				possible = append(possible, align.Link{Source: i, Target: j})
			}
		}
	}
	return newReference(sure, possible)
}

func randomPosterior(rng *rand.Rand, e, f int) *align.Posterior {
	p := align.NewPosterior(e, f)
	for i := range p.P {
		if p.P[i] = rng.Float64(); rng.IntN(2) == 0 {
			p.P[i] = float64(rng.IntN(8)) / 8
		}
	}
	return p
}

// TestSweep compares the curve with alignments at every posterior, and between.
func TestSweep(t *testing.T) {
	for seed := range trials.Seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var choices []align.Choice
		var references []Reference
		thresholds := []float64{1e-9, .2501, 2}
		for range rng.IntN(5) {
			e, f := rng.IntN(5), rng.IntN(5)
			p, q := randomPosterior(rng, e, f), randomPosterior(rng, e, f)
			thresholds = slices.Concat(thresholds, p.P, q.P)
			choices = append(choices, []align.Choice{p, align.Competitive{Posterior: p}, align.Symmetric{Forward: p, Backward: q, Combine: align.GrowDiagFinal}}[rng.IntN(3)])
			references = append(references, randomReference(rng, e, f))
		}
		score := func(threshold float64) Counts {
			var sum Counts
			for i, c := range choices {
				links, sure, sureHits, possibleHits := sets(c.Align(threshold), references[i])
				sum = sum.Plus(Counts{links, sure, sureHits, possibleHits})
			}
			return sum
		}
		curve, err := Sweep(choices, references)
		if err != nil {
			if most := score(1e-300); !errors.Is(err, ErrNoLinks) || most.Links > 0 {
				t.Fatalf("seed %d: %v with %d links", seed, err, most.Links)
			}
			continue
		}
		least := math.Inf(1)
		for _, x := range thresholds {
			if x == 0 {
				continue
			}
			want := Point{x, score(x)}
			if got := curve.At(x); got != want {
				t.Fatalf("seed %d: %+v, want %+v", seed, got, want)
			}
			if want.Links > 0 {
				least = min(least, want.AER())
			}
		}
		best := curve.Best()
		if best.AER() != least || best.Counts != score(best.Threshold) {
			t.Fatalf("seed %d: best %+v has error rate %g, want %g; at its threshold %+v", seed, best, best.AER(), least, score(best.Threshold))
		}
	}
}

// peaked returns a posterior that is sure of the links (i, i) and gives all others hardly any
// probability, as those of a model do.
func peaked(rng *rand.Rand, words int) *align.Posterior {
	p := align.NewPosterior(words, words)
	for i := range p.P {
		p.P[i] = 1e-9 * rng.Float64()
	}
	for i := range words {
		p.P[i*words+i] = 1 - rng.Float64()/2
	}
	return p
}

// TestSweepMemory: a sentence with a reference takes memory for its links, and with all
// thresholds for its pairs of words, but not much for each.
func TestSweepMemory(t *testing.T) {
	const sentences, words = 50, 60
	const link, threshold = int(unsafe.Sizeof(align.Link{})), int(unsafe.Sizeof(1.))
	rng := rand.New(rand.NewPCG(1, 1))
	choices, references := make([]align.Choice, sentences), make([]Reference, sentences)
	for i := range choices {
		choices[i] = peaked(rng, words)
		for w := range words {
			references[i].Sure = append(references[i].Sure, align.Link{Source: w, Target: w})
		}
	}
	var curve, all *Curve
	memtest.Bound(t, sentences*words*link, 20, func() {
		s := NewSweeper(1e-6)
		for i, c := range choices {
			if err := s.Add(c, references[i]); err != nil {
				t.Fatal(err)
			}
		}
		curve, _ = s.Curve()
	})
	memtest.Bound(t, sentences*words*words*threshold, 20, func() { all, _ = Sweep(choices, references) })
	if got, want := curve.Best(), all.Best(); got.Counts != want.Counts || got.AER() != 0 {
		t.Errorf("best %+v, want %+v", got, want)
	}
}

// TestSweeper compares the curve down to a threshold with that of all.
func TestSweeper(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p, q := randomPosterior(rng, 4, 3), randomPosterior(rng, 4, 3)
		r := randomReference(rng, 4, 3)
		for _, c := range []align.Choice{p, align.Competitive{Posterior: p}, align.Symmetric{Forward: p, Backward: q, Combine: align.GrowDiagFinal}} {
			all, err := Sweep([]align.Choice{c}, []Reference{r})
			if err != nil {
				t.Fatal(err)
			}
			const least = .3
			s := NewSweeper(least)
			if err := s.Add(c, r); err != nil {
				t.Fatal(err)
			}
			curve, err := s.Curve()
			if err != nil {
				continue // no posterior is that great
			}
			for _, x := range append(slices.Concat(p.P, q.P), least, 1) {
				if got, want := curve.At(max(x, least)), all.At(max(x, least)); got != want {
					t.Fatalf("seed %d: %+v, want %+v", seed, got, want)
				}
			}
			lowest := math.Inf(1)
			for _, x := range append(slices.Concat(p.P, q.P), least) {
				if x >= least && all.At(x).Links > 0 {
					lowest = min(lowest, all.At(x).AER())
				}
			}
			if best := curve.Best(); best.AER() != lowest || best.Threshold < least || all.At(best.Threshold) != best {
				t.Fatalf("seed %d: best %+v, error rate %g, want %g", seed, best, best.AER(), lowest)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a threshold below the least: no panic")
		}
	}()
	(&Curve{least: .5}).At(.4)
}

func TestSweepErrors(t *testing.T) {
	p := randomPosterior(rand.New(rand.NewPCG(1, 2)), 2, 3)
	for _, test := range []struct {
		choices    []align.Choice
		references []Reference
		want       error
	}{
		{[]align.Choice{p}, nil, align.ErrInvalid},
		{[]align.Choice{p}, []Reference{mustParse(t, "2-0")}, ErrRange},
		{[]align.Choice{p}, []Reference{mustParse(t, "0?3")}, ErrRange},
		{nil, nil, ErrNoLinks},
		{[]align.Choice{align.NewPosterior(2, 3)}, []Reference{mustParse(t, "1-2")}, ErrNoLinks},
	} {
		if _, err := Sweep(test.choices, test.references); !errors.Is(err, test.want) {
			t.Errorf("error %v, want %v", err, test.want)
		}
	}
}

// TestAdjacentPosteriors: two that no number lies between.
func TestAdjacentPosteriors(t *testing.T) {
	p := &align.Posterior{Source: 1, Target: 2, P: []float64{.5, math.Nextafter(.5, 0)}}
	curve, err := Sweep([]align.Choice{p}, []Reference{mustParse(t, "0-0")})
	if err != nil {
		t.Fatal(err)
	}
	if best := curve.Best(); best.Threshold != .5 || best.AER() != 0 {
		t.Errorf("%+v", best)
	}
}

func BenchmarkSweep(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, choice := range map[string]func(p, q *align.Posterior) align.Choice{
		"posterior":   func(p, _ *align.Posterior) align.Choice { return p },
		"competitive": func(p, _ *align.Posterior) align.Choice { return align.Competitive{Posterior: p} },
		"symmetric": func(p, q *align.Posterior) align.Choice {
			return align.Symmetric{Forward: p, Backward: q, Combine: align.GrowDiagFinalAnd}
		},
	} {
		b.Run(name, func(b *testing.B) {
			var choices []align.Choice
			var references []Reference
			for range 10 {
				choices = append(choices, choice(randomPosterior(rng, 16, 17), randomPosterior(rng, 16, 17)))
				references = append(references, randomReference(rng, 16, 17))
			}
			for b.Loop() {
				if _, err := Sweep(choices, references); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/10, "µs/sentence")
		})
	}
}
