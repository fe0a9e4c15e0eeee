package channel_test

import (
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// way is what is known of all ways with the same strings on all tapes.
type way struct{ best, sum float64 }

// ways returns the ways through stages, by the strings on all tapes, whose paths have up to arcs
// arcs in each stage.
func ways(t testing.TB, p *em.Params, stages []cascade.Stage, arcs int) map[string]way {
	t.Helper()
	all := map[string]way{}
	for i, s := range stages {
		f, err := cascade.Instantiate(p, s, p.Start(), semiring.Real{})
		if err != nil {
			t.Fatal(err)
		}
		own := map[[2]string]way{}
		for path := range oracle.Paths(f.Graph(), arcs) {
			var in, out []int32
			for _, e := range path.Arcs {
				in, out = append(in, f.In()[e]), append(out, f.Out()[e])
			}
			k := [2]string{spelt(in), spelt(out)}
			own[k] = way{max(own[k].best, path.Weight), own[k].sum + path.Weight}
		}
		longer := map[string]way{}
		for k, w := range own {
			if i == 0 {
				longer[k[0]+"/"+k[1]] = w
				continue
			}
			for tapes, before := range all {
				if tapes[strings.LastIndex(tapes, "/")+1:] == k[0] {
					longer[tapes+"/"+k[1]] = way{before.best * w.best, before.sum * w.sum}
				}
			}
		}
		all = longer
	}
	return all
}

// tapes returns what is on the tapes of a derivation.
func tapes(d channel.Derivation) string {
	s := spelt(d.Source)
	for _, h := range d.Hidden {
		s += "/" + spelt(h)
	}
	return s + "/" + spelt(d.Target)
}

// fits reports whether tapes have what a query has observed of the ends.
func fits(q channel.Query, tapes string) bool {
	all := strings.Split(tapes, "/")
	return (q.Source == nil || spelt(q.Source) == all[0]) && (q.Target == nil || spelt(q.Target) == all[len(all)-1])
}

// TestDerivations: the best derivations are those of an enumeration of the paths of all stages,
// whatever has been observed.
func TestDerivations(t *testing.T) {
	checked := 0
	for seed := range uint64(40) {
		rng := fsttest.Rand(seed)
		p := em.NewParams()
		var stages []cascade.Stage
		for range 1 + rng.IntN(3) {
			stages = append(stages, randomStage(t, p, rng))
		}
		branch := []cascade.Stage{randomStage(t, p, rng)}
		predictor, err := channel.NewBranching(p, stages, branch).Predictor(nil)
		if err != nil {
			t.Fatal(err)
		}
		all, beyond := ways(t, p, stages, 5), ways(t, p, branch, 5)
		some := func() []int32 {
			all := [][]int32{nil, {}, {1}, {2}, {1, 2}}
			return all[rng.IntN(len(all))]
		}
		for range 5 {
			q := channel.Query{Source: some(), Target: some(), Branches: [][]int32{some()}}
			want := map[string]float64{}
			for tapes, w := range all {
				factor := 1.0
				if z := q.Branches[0]; z != nil {
					factor = beyond[tapes[strings.LastIndex(tapes, "/")+1:]+"/"+spelt(z)].best
				}
				if fits(q, tapes) && factor > 0 {
					want[tapes] = w.best * factor
				}
			}
			const n = 4
			got, err := predictor.Derivations(q, n)
			if errors.Is(err, nbest.ErrUnknown) {
				continue // no arc of the random stages has the label
			}
			if err != nil {
				t.Fatalf("seed %d: %+v: %v", seed, q, err)
			}
			if len(got) < min(n, len(want)) {
				t.Errorf("seed %d: %+v: %d derivations, want %d", seed, q, len(got), min(n, len(want)))
			}
			last, listed := math.Inf(1), map[string]bool{}
			for _, d := range got {
				k := tapes(d)
				if len(d.Hidden) != len(stages)-1 || listed[k] || d.LogProb > last+1e-9 {
					t.Errorf("seed %d: %+v: %v: not the next of a cascade of %d stages", seed, q, d, len(stages))
				}
				last, listed[k] = d.LogProb, true
				if w := want[k]; len(k) < 8 && !(math.Abs(d.Prob()-w) <= 1e-9*w) {
					t.Errorf("seed %d: %+v: %s has the probability %g, want %g", seed, q, k, d.Prob(), w)
				}
				checked++
			}
			for k, w := range want {
				if !listed[k] && len(got) > 0 && math.Log(w) > last+1e-9 {
					t.Errorf("seed %d: %+v: %s, of the probability %g, is not in the list", seed, q, k, w)
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d derivations checked: too few", checked)
	}
}

// loose returns a constant machine over 0, 1, 2 of which longer strings are not rare.
func loose(t testing.TB, p *em.Params, rng *rand.Rand) cascade.Stage {
	t.Helper()
	b := fst.NewBuilder(semiring.Real{})
	b.AddStates(2)
	b.AddStart(0, 1)
	for s := range int32(2) {
		b.SetFinal(s, .3+.4*rng.Float64())
		for range 3 {
			b.AddArc(s, fst.Arc[float64]{In: rng.Int32N(3), Out: rng.Int32N(3), Weight: .04 + .08*rng.Float64(), To: rng.Int32N(2)})
		}
		b.AddArc(s, fst.Arc[float64]{In: s + 1, Out: 2 - s, Weight: .1, To: s})
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return cascade.Constants(p, f)
}

// TestSample: derivations come as often as the sum over their ways says, as the sum over all with
// the same ends says, and the same ones from the same source of numbers.
func TestSample(t *testing.T) {
	const draws = 20_000
	for seed := range uint64(4) {
		rng := fsttest.Rand(seed)
		p := em.NewParams()
		stages := []cascade.Stage{loose(t, p, rng), loose(t, p, rng)}[:1+seed%2]
		// What is pruned is drawn none the less.
		predictor, err := channel.New(p, stages...).Predictor(&channel.PredictorOptions{Prune: .09})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []channel.Query{{}, {Source: []int32{1}}, {Target: []int32{2}}, {Source: []int32{2}, Target: []int32{1}}} {
			logp, err := predictor.LogProb(q)
			if err != nil {
				t.Fatal(err)
			}
			drawn, err := predictor.Sample(q, draws, fsttest.Rand(seed))
			if errors.Is(err, em.ErrUnderivable) && math.IsInf(logp, -1) {
				continue
			}
			if err != nil || len(drawn) != draws {
				t.Fatalf("seed %d: %+v: %d derivations, %v", seed, q, len(drawn), err)
			}
			again, err := predictor.Sample(q, 3, fsttest.Rand(seed))
			if err != nil || fmt.Sprint(again) != fmt.Sprint(drawn[:3]) {
				t.Errorf("seed %d: %+v: %v from the same numbers, want %v (%v)", seed, q, again, drawn[:3], err)
			}
			want, often, all := map[string]float64{}, map[string]float64{}, 0.0
			for k, w := range ways(t, p, stages, 6) {
				if fits(q, k) {
					want[k] = w.sum / math.Exp(logp)
					all += want[k]
				}
			}
			if all < .98 || all > 1+1e-9 {
				t.Fatalf("seed %d: %+v: the enumeration has %g of the probability", seed, q, all)
			}
			for _, d := range drawn {
				if !fits(q, tapes(d)) {
					t.Fatalf("seed %d: %+v: drew %v", seed, q, d)
				}
				often[tapes(d)] += 1. / draws
				if w := want[tapes(d)]; w > 0 && d.LogProb-logp > math.Log(w)+1e-9 {
					t.Errorf("seed %d: %+v: a way of %s has %g of the probability, all have %g", seed, q, tapes(d), math.Exp(d.LogProb-logp), w)
				}
			}
			for k, w := range want {
				if got := often[k]; math.Abs(got-w) > 6*math.Sqrt(w/draws)+.001 {
					t.Errorf("seed %d: %+v: %s was drawn with the frequency %.4f, want %.4f", seed, q, k, got, w)
				}
			}
		}
	}
}

// TestNothingDerived: where the model allows nothing, a list is empty, and one answer an error.
func TestNothingDerived(t *testing.T) {
	p := em.NewParams()
	predictor, err := channel.New(p, spelling(t, p)).Predictor(nil)
	if err != nil {
		t.Fatal(err)
	}
	impossible := channel.Query{Source: []int32{1}, Target: []int32{6}}
	if list, err := predictor.Derivations(impossible, 3); err != nil || len(list) > 0 {
		t.Errorf("derivations %v, error %v, want none", list, err)
	}
	if list, err := predictor.Best(impossible, channel.Source, 3); err != nil || len(list) > 0 {
		t.Errorf("sources %v, error %v, want none", list, err)
	}
	if _, err := predictor.Sample(impossible, 1, rand.NewPCG(1, 1)); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("error %v, want ErrUnderivable", err)
	}
	if _, err := predictor.Sample(channel.Query{}, 1, rand.NewPCG(1, 1)); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("any source: error %v, want ErrDiverges", err)
	}
	for _, n := range []int{0, -1} {
		list, err := predictor.Derivations(channel.Query{Source: []int32{1}}, n)
		if err != nil || len(list) > 0 {
			t.Errorf("%d derivations: %v, error %v, want none", n, list, err)
		}
	}
	for name, q := range map[string]channel.Query{"symbol": {Source: []int32{9}}, "branch": {Branches: [][]int32{{1}}}} {
		_, err := predictor.Derivations(q, 1)
		_, other := predictor.Sample(q, 1, rand.NewPCG(1, 1))
		if want := map[string]error{"symbol": nbest.ErrUnknown, "branch": channel.ErrInvalid}[name]; !errors.Is(err, want) || !errors.Is(other, want) {
			t.Errorf("%s: errors %v and %v, want %v", name, err, other, want)
		}
	}
	// Work bounds the ways to strings that are known already: 12 is read once as 7.
	few, err := channel.New(p, spelling(t, p)).Predictor(&channel.PredictorOptions{Work: 1})
	if err != nil {
		t.Fatal(err)
	}
	list, err := few.Derivations(channel.Query{Source: []int32{1, 2}}, 5)
	if err != nil || len(list) != 1 {
		t.Errorf("%v, error %v, want one derivation", list, err)
	}
	if all, err := predictor.Derivations(channel.Query{Source: []int32{1, 2}}, 5); err != nil || len(all) != 2 || !slices.Equal(all[0].Source, []int32{1, 2}) {
		t.Errorf("%v, error %v, want two derivations", all, err)
	}
}

// overheard returns a model of words, how they sound, and what is written.
func overheard() *channel.Predictor {
	params := em.NewParams()
	compiler, err := rx.Load(params.Space(), `
words = "read":("rEd" +_0.5 "rid") +_0.6 "reed":"rid";
spelling = (r | d | E:(e +_0.8 "ea") | i:("ee" +_0.5 "ea"))*;`)
	if err != nil {
		log.Fatal(err)
	}
	var stages []cascade.Stage
	for _, name := range []string{"words", "spelling"} {
		stage, err := compiler.Machine(name)
		if err != nil {
			log.Fatal(err)
		}
		stages = append(stages, stage)
	}
	predictor, err := channel.New(params, stages...).Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	return predictor
}

// What was meant by "read", and how did it sound? The word "read" has two sounds, of which the
// likelier is no likelier than that of "reed". What belongs together is a derivation; the best
// word by itself is the sum over its sounds.
func ExamplePredictor_Derivations() {
	predictor := overheard()
	seen := channel.Query{Target: fst.RuneLabels("read")}
	ways, err := predictor.Derivations(seen, 3)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range ways {
		fmt.Printf("%s, sounding %s: %.2f\n", string(d.Source), string(d.Hidden[0]), d.Prob())
	}
	words, err := predictor.Best(seen, channel.Source, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range words {
		fmt.Printf("%s: %.2f\n", c.Text(), c.Prob())
	}
	// Output:
	// reed, sounding rid: 0.20
	// read, sounding rid: 0.15
	// read, sounding rEd: 0.06
	// read: 0.21
	// reed: 0.20
}

// What would people write? Of an empty query, words come with the rest.
func ExamplePredictor_Sample() {
	drawn, err := overheard().Sample(channel.Query{}, 4, rand.NewPCG(1, 1))
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range drawn {
		fmt.Println(string(d.Source), string(d.Hidden[0]), string(d.Target))
	}
	// Output:
	// reed rid read
	// read rEd red
	// read rEd red
	// read rid reed
}
