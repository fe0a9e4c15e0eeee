package merge

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
)

// instance is a random stage in a problem whose middle string is hidden, and data.
type instance struct {
	search  *search
	machine *fst.FST[float64]
	channel *fst.FST[float64]
	data    [][2][]int32
}

// newInstance draws a stage with cycles, including ε:ε cycles unless plain, followed by a
// channel.
func newInstance(t *testing.T, seed uint64, n Normalization, plain bool) *instance {
	rng := fsttest.Rand(seed)
	x := &instance{machine: randomStage(t, rng, plain), channel: randomStage(t, rng, false)}
	for range 6 {
		x.data = append(x.data, [2][]int32{randomLabels(rng), randomLabels(rng)})
	}
	edges := rng.IntN(2) == 0
	setting := func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
		c := cascade.Joint(params, "channel", x.channel, em.Fixed{})
		p := cascade.Problem{Params: params, Stages: []cascade.Stage{stage, c}}
		if edges {
			p.Stages = nil
			p.Edges = []cascade.Edge{{From: 2, To: 1, Machines: []cascade.Stage{c}}, {From: 0, To: 2, Machines: []cascade.Stage{stage}}}
		}
		d := cascade.Data{Underivable: em.Skip}
		for _, s := range x.data {
			if edges {
				d.Examples = append(d.Examples, cascade.Example{Tapes: []cascade.Side{cascade.Labels(s[0]...), cascade.Labels(s[1]...)}})
			} else {
				d.Examples = append(d.Examples, cascade.Example{X: cascade.Labels(s[0]...), Y: cascade.Labels(s[1]...)})
			}
		}
		return p, d, nil
	}
	o, err := (&Options{Normalization: n, Prior: &Prior{State: 1.5, Parameter: .7}}).complete()
	if err != nil {
		t.Fatal(err)
	}
	x.search = &search{setting: setting, opts: o}
	return x
}

func randomLabels(rng *rand.Rand) []int32 {
	s := make([]int32, rng.IntN(3))
	for i := range s {
		s[i] = 1 + rng.Int32N(2)
	}
	return s
}

// randomStage returns a machine that usually stops soon. If plain, all arcs read.
func randomStage(t *testing.T, rng *rand.Rand, plain bool) *fst.FST[float64] {
	b := fst.NewBuilder(real)
	n := 2 + rng.IntN(2)
	b.AddStates(n)
	b.AddStart(0, 1)
	if rng.IntN(2) == 0 {
		b.AddStart(int32(n-1), .5)
	}
	for s := range int32(n) {
		b.SetFinal(s, 2)
	}
	seen := map[fst.Arc[float64]]bool{}
	for range 7 + rng.IntN(4) {
		from := rng.Int32N(int32(n))
		a := fst.Arc[float64]{In: rng.Int32N(3), Out: rng.Int32N(3), To: rng.Int32N(int32(n))}
		if plain {
			a.In = 1 + rng.Int32N(2)
		}
		key := a
		if key.Weight = float64(from); seen[key] {
			continue
		}
		seen[key] = true
		a.Weight = .2 + rng.Float64()
		if a.In == fst.Epsilon {
			a.Weight *= .02
		}
		b.AddArc(from, a)
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return connected(t, f)
}

// connected returns f without states and arcs that are on no path.
func connected(t *testing.T, f *fst.FST[float64]) *fst.FST[float64] {
	t.Helper()
	g, err := fst.Connect(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// scored returns the trained machine at the start of its parameters.
func (x *instance) scored(t *testing.T, f *fst.FST[float64]) *trained {
	t.Helper()
	z, err := x.search.whole(connected(t, f), nil)
	if err == nil {
		for _, g := range z.Params.Groups() {
			if strings.HasSuffix(g.Name(0), "insert[yes]") {
				copy(g.In(z.Theta), []float64{.02, .98}) // to bound the number of paths
			}
		}
		err = x.search.score(context.Background(), z)
	}
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// enumerated holds the results of following the paths of a stage one by one.
type enumerated struct {
	logLikelihood float64
	ways          map[[2]string]float64 // by the names of a way in and a way out
	used          map[string]bool       // names
	missing       float64               // bounds the mass of paths left out
}

// enumerate follows all paths of the stage that read an example's x, and looks up the probability
// of the example's y given their outputs in the channel. Paths of a weight below 1e-17 are left
// out.
func (x *instance) enumerate(stage, channel *fst.FST[float64]) enumerated {
	all := enumerated{ways: map[[2]string]float64{}, used: map[string]bool{}}
	weigher := fsttest.NewWeigher(channel)
	for _, s := range x.data {
		total, missing := 0.0, 0.0
		ways := map[[2]string]float64{}
		outputs := map[string]float64{} // of the channel
		var follow func(state int32, in, out []int32, path []string, w float64)
		follow = func(state int32, in, out []int32, path []string, w float64) {
			if w < 1e-17 {
				missing += w
				return
			}
			if len(in) == 0 && stage.Final(state) > 0 {
				c, ok := outputs[fmt.Sprint(out)]
				if !ok {
					c = weigher.Weight(out, s[1])
					outputs[fmt.Sprint(out)] = c
				}
				p := w * stage.Final(state) * c
				total += p
				for i := range path {
					next := "stop"
					if i+1 < len(path) {
						next = path[i+1]
					}
					ways[[2]string{path[i], next}] += p
				}
			}
			row := stage.Graph().Row()
			for i, a := range stage.AppendArcs(nil, state) {
				rest := in
				if a.In != fst.Epsilon {
					if len(in) == 0 || in[0] != a.In {
						continue
					}
					rest = in[1:]
				}
				written := out
				if a.Out != fst.Epsilon {
					written = append(out[:len(out):len(out)], a.Out)
				}
				follow(a.To, rest, written, append(path[:len(path):len(path)], fmt.Sprint("arc ", row[state]+int32(i))), w*a.Weight)
			}
		}
		for i, b := range stage.AppendStarts(nil) {
			follow(b.State, s[0], nil, []string{fmt.Sprint("start ", i)}, b.Weight)
		}
		if total > 0 {
			all.logLikelihood += math.Log(total)
			all.missing += missing / total
			for k, p := range ways {
				all.ways[k] += p / total
				all.used[k[0]] = all.used[k[0]] || p > 0
			}
		}
	}
	return all
}

// TestUsage compares the posterior and the counts of ways through states, in a cascade or in
// a tree of tapes, with an enumeration of all paths.
func TestUsage(t *testing.T) {
	compared := 0
	for seed := range trials.Seeds(12) {
		normalization := Normalization(seed % 2)
		x := newInstance(t, seed, normalization, false)
		z := x.scored(t, x.machine)
		stage, err := cascade.Instantiate(z.Params, z.Stage, z.Theta, real)
		if err != nil {
			t.Fatal(err)
		}
		last := z.Stages
		if last == nil {
			last = z.Edges[0].Machines
		}
		channel, err := cascade.Instantiate(z.Params, last[len(last)-1], z.Theta, real)
		if err != nil {
			t.Fatal(err)
		}
		want := x.enumerate(stage, channel)
		if want.missing > 1e-12 {
			continue
		}
		compared++
		if prior := x.search.opts.Prior.Log(z.machine); math.Abs(z.posterior-want.logLikelihood-prior) > 1e-10 {
			t.Errorf("seed %d: log posterior %.15g, want %.15g", seed, z.posterior, want.logLikelihood+prior)
		}
		if err := x.search.count(context.Background(), z); err != nil {
			t.Fatal(err)
		}
		// Used starts and arcs keep their order.
		var starts, arcs []string
		used := func(list []string, kind string, n int) []string {
			for i := range n {
				if name := fmt.Sprint(kind, i); want.used[name] {
					list = append(list, name)
				}
			}
			return list
		}
		starts, arcs = used(starts, "start ", len(z.Stage.Graph().Starts())), used(arcs, "arc ", z.Stage.NumArcs())
		for _, ways := range z.use.ways {
			for _, w := range ways {
				name := [2]string{slices.Concat(starts, arcs)[w.in], "stop"}
				if w.out != stop {
					name[1] = arcs[w.out]
				}
				if d := math.Abs(w.count - want.ways[name]); d > 1e-10 {
					t.Errorf("seed %d: %v %.15g times, want %.15g", seed, name, w.count, want.ways[name])
				}
				delete(want.ways, name)
			}
		}
		for name, count := range want.ways {
			if count > 1e-10 {
				t.Errorf("seed %d: %v 0 times, want %g", seed, name, count)
			}
		}
		// Counts without unfolding are the same.
		u, err := x.search.usage(context.Background(), z, folded(z.machine))
		if err != nil {
			t.Fatal(err)
		}
		for e, c := range u.counts.Graph().Weights() {
			if d := math.Abs(c - z.use.counts.Graph().Weights()[e]); d > 1e-10 {
				t.Errorf("seed %d: arc %d is used %g times, or %g more", seed, e, c, d)
			}
		}
	}
	if compared < 6 {
		t.Errorf("%d instances compared", compared)
	}
}

// half is a source whose floats are all ½, so that a split is not perturbed.
type half struct{}

func (half) Uint64() uint64 { return 1 << 52 }

// TestPromises: merges and splits gain at least their promise, before any training, and add the
// predicted number of states and parameters.
func TestPromises(t *testing.T) {
	for seed := range trials.Seeds(30) {
		normalization := Normalization(seed % 2)
		x := newInstance(t, seed, normalization, normalization == Conditional)
		z := x.scored(t, x.machine)
		if z.LogLikelihood == 0 {
			continue // all examples are underivable
		}
		if err := x.search.count(context.Background(), z); err != nil {
			t.Fatal(err)
		}
		o := &x.search.opts
		check := func(what string, f *fst.FST[float64], promise float64) {
			next := x.scored(t, f)
			if !slices.Equal(next.skipped, z.skipped) {
				return // it derives more
			}
			gain := next.LogLikelihood - z.LogLikelihood + o.Prior.Log(f) - o.Prior.Log(z.Counts)
			if gain < promise-1e-9 {
				t.Errorf("seed %d: %s gains %.12g, promised %.12g", seed, what, gain, promise)
			}
		}
		q := newQuotients(z.use, o)
		for b := range q.states {
			for a := range b {
				promise, _ := q.gain(a, b, Merge, false, 0)
				f, err := fst.Quotient(z.use.counts, q.classes(a, b, Merge), nil)
				if err != nil {
					t.Fatal(err)
				}
				if want := complete(t, f, o) - complete(t, z.use.counts, o); promise > want+1e-10 {
					t.Errorf("seed %d: merging %d and %d promises %g, more than if all paths were known: %g", seed, a, b, promise, want)
				}
				check(fmt.Sprintf("merging %d and %d", a, b), f, promise)
				folded, _ := q.gain(a, b, Fold, false, 0)
				if f, err = fst.Quotient(z.use.counts, q.classes(a, b, Fold), nil); err != nil {
					t.Fatal(err)
				}
				if want := complete(t, f, o) - complete(t, z.use.counts, o); math.Abs(folded-want) > 1e-10 {
					t.Errorf("seed %d: folding %d and %d promises %g, want %g", seed, a, b, folded, want)
				}
			}
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		for s := range q.states {
			if len(z.use.ways[s]) == 0 {
				continue
			}
			table := newTable(z.use, s, o)
			for _, hard := range []bool{false, true} {
				split := table.draw(rng)
				if err := table.learn(t.Context(), split); err != nil {
					t.Fatal(err)
				}
				if hard {
					if err := table.harden(t.Context(), split); err != nil {
						t.Fatal(err)
					}
				}
				f, err := z.use.split(table, split, rand.New(half{}))
				if err != nil {
					t.Fatal(err)
				}
				f = connected(t, f)
				check(fmt.Sprintf("splitting %d", s), f, table.score(split))
				if more := parameters(f) - parameters(z.Counts); f.NumStates() > z.Counts.NumStates() && more != table.parameters(split) {
					t.Errorf("seed %d: splitting %d adds %d parameters, want %d", seed, s, more, table.parameters(split))
				}
			}
		}
	}
}

// complete returns the log posterior of a machine of counts if they were observed: the log
// likelihood of its choices at relative frequencies, and the prior.
func complete(t *testing.T, f *fst.FST[float64], o *Options) float64 {
	f = connected(t, f)
	sum := o.Prior.Log(f)
	distribution := func(counts ...float64) {
		total := 0.0
		for _, c := range counts {
			total += c
		}
		for _, c := range counts {
			if c > 0 {
				sum += c * math.Log(c/total)
			}
		}
	}
	var starts []float64
	for _, s := range f.AppendStarts(nil) {
		starts = append(starts, s.Weight)
	}
	distribution(starts...)
	for s := range int32(f.NumStates()) {
		groups := map[int32][]float64{}
		for _, a := range f.AppendArcs(nil, s) {
			in := a.In
			if o.Normalization == Joint {
				in = 0
			}
			groups[in] = append(groups[in], a.Weight)
		}
		if o.Normalization == Joint {
			groups[0] = append(groups[0], f.Final(s))
		}
		for _, g := range groups {
			distribution(g...)
		}
	}
	return sum
}
