package channel_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/semiring"
)

// randomStage returns a constant machine over 0, 1, 2 on both sides, with cycles.
func randomStage(t testing.TB, p *em.Params, rng *rand.Rand) cascade.Stage {
	t.Helper()
	b := fst.NewBuilder(semiring.Real{})
	const states = 2
	for range states {
		b.SetFinal(b.AddState(), .2+.5*rng.Float64())
	}
	b.AddStart(0, 1)
	for range 5 {
		b.AddArc(rng.Int32N(states), fst.Arc[float64]{In: rng.Int32N(3), Out: rng.Int32N(3), Weight: .002 + .01*rng.Float64(), To: rng.Int32N(states)})
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return cascade.Constants(p, f)
}

// relation returns the weight of each pair of strings, by all paths of up to 6 arcs in each stage.
func relation(t testing.TB, p *em.Params, stages []cascade.Stage) map[[2]string]float64 {
	t.Helper()
	all := map[[2]string]float64(nil)
	for _, s := range stages {
		f, err := cascade.Instantiate(p, s, p.Start(), semiring.Real{})
		if err != nil {
			t.Fatal(err)
		}
		own := map[[2]string]float64{}
		for path := range oracle.Paths(f.Graph(), 6) {
			var in, out []int32
			for _, e := range path.Arcs {
				in, out = append(in, f.In()[e]), append(out, f.Out()[e])
			}
			own[[2]string{spelt(in), spelt(out)}] += path.Weight
		}
		if all == nil {
			all = own
			continue
		}
		both := map[[2]string]float64{}
		for l, v := range all {
			for r, w := range own {
				if l[1] == r[0] {
					both[[2]string{l[0], r[1]}] += v * w
				}
			}
		}
		all = both
	}
	return all
}

// spelt returns labels without ε as a text.
func spelt(labels []int32) string {
	var s strings.Builder
	for _, l := range labels {
		if l != fst.Epsilon {
			fmt.Fprint(&s, l)
		}
	}
	return s.String()
}

// TestBetween: what is between two stages has the probabilities of all their paths, whatever is
// seen at the ends and of a branch.
func TestBetween(t *testing.T) {
	checked := 0
	for seed := range uint64(30) {
		rng := fsttest.Rand(seed)
		p := em.NewParams()
		var stages []cascade.Stage
		for range 2 + rng.IntN(2) {
			stages = append(stages, randomStage(t, p, rng))
		}
		branch := []cascade.Stage{randomStage(t, p, rng)}
		predictor, err := channel.NewBranching(p, stages, branch).Predictor(nil)
		if err != nil {
			t.Fatal(err)
		}
		k := 1 + rng.IntN(len(stages)-1)
		before, after, beyond := relation(t, p, stages[:k]), relation(t, p, stages[k:]), relation(t, p, branch)
		some := func() []int32 { // is or is not observed
			all := [][]int32{nil, {}, {1}, {2}, {1, 2}}
			return all[rng.IntN(len(all))]
		}
		for range 5 {
			q := channel.Query{Source: some(), Target: some(), Branches: [][]int32{some()}}
			seen := func(labels []int32, s string) bool { return labels == nil || spelt(labels) == s }
			want, total := map[string]float64{}, 0.0
			for l, u := range before {
				for r, v := range after {
					if l[1] != r[0] || !seen(q.Source, l[0]) || !seen(q.Target, r[1]) {
						continue
					}
					if q.Branches[0] == nil {
						want[l[1]] += u * v
						total += u * v
						continue
					}
					w := beyond[[2]string{r[1], spelt(q.Branches[0])}]
					want[l[1]] += u * v * w
					total += u * v * w
				}
			}
			got, err := predictor.Posteriors(q, channel.Between(k), 4)
			if errors.Is(err, channel.ErrInvalid) || err != nil && strings.Contains(err.Error(), "unknown symbol") {
				continue // no arc of the random stages has the label
			}
			if err != nil {
				t.Fatalf("seed %d: %+v: %v", seed, q, err)
			}
			if (len(got) == 0) != (total == 0) {
				t.Errorf("seed %d: %+v: %v, want a total of %g", seed, q, got, total)
			}
			last, listed := math.Inf(1), map[string]bool{}
			for _, c := range got {
				s := spelt(c.Labels)
				if len(s) > 2 {
					last, listed[s] = c.LogProb, true // longer paths matter, too
					continue
				}
				if w := want[s] / total; listed[s] || c.LogProb > last || !(math.Abs(c.Prob()-w) <= 1e-6*w) {
					t.Errorf("seed %d: %+v: %s has the probability %g, want %g", seed, q, s, c.Prob(), w)
				}
				last, listed[s] = c.LogProb, true
				checked++
			}
			for s, w := range want { // nothing better is missing
				if !listed[s] && len(s) <= 2 && len(got) > 0 && math.Log(w/total) > last+1e-6 {
					t.Errorf("seed %d: %+v: %s, of the probability %g, is not in the list", seed, q, s, w/total)
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d strings checked: too few", checked)
	}
}

// TestNotBetween: a side that a cascade does not have is an error that says its name.
func TestNotBetween(t *testing.T) {
	p := em.NewParams()
	predictor, err := channel.New(p, source(t, p), source(t, p)).Predictor(nil)
	if err != nil {
		t.Fatal(err)
	}
	for side, name := range map[channel.Side]string{
		channel.Between(2): "string between stages 2 and 3", channel.Between(0): "Between(0)", channel.Between(-1): "Between(0)", channel.Side(-1): "Side(-1)",
	} {
		_, err := predictor.Best(channel.Query{}, side, 1)
		if !errors.Is(err, channel.ErrInvalid) || !strings.Contains(err.Error(), name+" of a cascade of 2 stages") {
			t.Errorf("error %v, want ErrInvalid and %q", err, name)
		}
	}
}

// What was in between? Children spell words as they sound: pairs of a word and what a child wrote
// say what each stage does, and nobody writes the sounds down.
func ExampleBetween() {
	params := em.NewParams()
	compiler, err := rx.Load(params.Space(), `
words = "read":{read: past = "rEd" | present = "rid"} | "bee":"bi";
sound = {E: e = E:e | ea = E:"ea"} | {i: ee = i:"ee" | ea = i:"ea"} | r | d | b;
spelling = @sound*;`)
	if err != nil {
		log.Fatal(err)
	}
	compiler.Groups = em.Alternatives(params, nil)
	words, err := compiler.Machine("words")
	if err != nil {
		log.Fatal(err)
	}
	spelling, err := compiler.Machine("spelling")
	if err != nil {
		log.Fatal(err)
	}
	model := channel.New(params, words, spelling)
	data := cascade.Pairs([][2]string{{"read", "red"}, {"read", "reed"}, {"read", "read"}, {"read", "red"}, {"bee", "bee"}, {"bee", "bea"}, {"bee", "bee"}, {"bee", "bee"}})
	if _, err := model.Fit(context.Background(), data, &em.Options{Tolerance: 1e-12}); err != nil {
		log.Fatal(err)
	}
	predictor, err := model.Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, written := range []string{"read", "red"} {
		seen := channel.Query{Source: fst.RuneLabels("read"), Target: fst.RuneLabels(written)}
		heard, err := predictor.Posteriors(seen, channel.Between(1), 2)
		if err != nil {
			log.Fatal(err)
		}
		for _, c := range heard {
			fmt.Printf("%s sounds %s with probability %.2f\n", written, c.Text(), c.Prob())
		}
	}
	// Output:
	// read sounds rEd with probability 0.67
	// read sounds rid with probability 0.33
	// red sounds rEd with probability 1.00
}
