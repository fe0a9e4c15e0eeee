package merge_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/em/merge"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

var reals = semiring.Real{}

// alphabet is the number of symbols, from 1, on all tapes.
const alphabet = 3

// hidden is a recovery task: find a machine whose output string is hidden, because it goes
// through a noisy channel, which is learnt too.
type hidden struct {
	truth, channel *fst.FST[float64]
	data, held     cascade.Data
}

// newHidden draws a machine, and pairs of its input and the channel's output for its output. Each
// state has two or three arcs, one of them in a ring of all states, and every other state may
// stop.
func newHidden(t testing.TB, seed uint64, states, pairs int) *hidden {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := fst.NewBuilder(reals)
	b.AddStates(states)
	b.AddStart(0, 1)
	order := rng.Perm(states)
	next := make([]int32, states)
	for i, s := range order {
		next[s] = int32(order[(i+1)%states])
	}
	for s := range int32(states) {
		in, p, sum := rng.Perm(alphabet), make([]float64, 2+rng.IntN(2)), 0.0
		end := .3 * float64(s%2)
		b.SetFinal(s, end)
		for i := range p {
			p[i] = .3 + rng.Float64()
			sum += p[i]
		}
		for i := range p {
			to := next[s]
			if i > 0 {
				to = rng.Int32N(int32(states))
			}
			b.AddArc(s, fst.Arc[float64]{In: int32(1 + in[i]), Out: 1 + rng.Int32N(alphabet), To: to, Weight: (1 - end) * p[i] / sum})
		}
	}
	h := &hidden{truth: freeze(t, b), channel: noise(t)}
	for _, data := range []*cascade.Data{&h.data, &h.held} {
		for range pairs {
			x, z := generate(h.truth, rng)
			data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(x...), Y: cascade.Labels(transmit(z, rng)...)})
		}
	}
	return h
}

func freeze(t testing.TB, b *fst.Builder[float64]) *fst.FST[float64] {
	t.Helper()
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// keep is the probability that the channel leaves a symbol unchanged; otherwise the symbol is
// replaced by any symbol or lost.
const keep = .88

// noise returns the channel.
func noise(t testing.TB) *fst.FST[float64] {
	b := fst.NewBuilder(reals)
	s := b.AddState()
	b.AddStart(s, 1)
	b.SetFinal(s, 1)
	for z := int32(1); z <= alphabet; z++ {
		for y := range int32(alphabet + 1) {
			w := (1 - keep) / (alphabet + 1)
			if z == y {
				w += keep
			}
			b.AddArc(s, fst.Arc[float64]{In: z, Out: y, To: s, Weight: w})
		}
	}
	return freeze(t, b)
}

func transmit(z []int32, rng *rand.Rand) []int32 {
	y := []int32{}
	for _, l := range z {
		if rng.Float64() >= keep {
			l = rng.Int32N(alphabet + 1)
		}
		if l > 0 {
			y = append(y, l)
		}
	}
	return y
}

// generate draws a pair of strings from a joint machine.
func generate(f *fst.FST[float64], rng *rand.Rand) (in, out []int32) {
	for s := int32(0); ; {
		u := rng.Float64() - f.Final(s)
		if u < 0 {
			return in, out
		}
		for _, a := range f.AppendArcs(nil, s) {
			if u -= a.Weight; u < 0 {
				in, out, s = append(in, a.In), append(out, a.Out), a.To
				break
			}
		}
	}
}

// setting is the Setting of a stage before the channel.
func (h *hidden) setting(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
	c := cascade.Conditional(params, "channel", h.channel, em.Multinomial{})
	return cascade.Problem{Params: params, Stages: []cascade.Stage{stage, c}}, h.data, nil
}

// fixed returns the log likelihood of the held-out data under the model with the given states.
// opts configures training; if it is nil, the model is not trained.
func (h *hidden) fixed(t testing.TB, f *fst.FST[float64], opts *em.Options) float64 {
	t.Helper()
	params := em.NewParams()
	stage := cascade.Joint(params, "state", f, em.Multinomial{})
	p, data, err := h.setting(params, stage)
	if err != nil {
		t.Fatal(err)
	}
	m := cascade.NewModel(p)
	if opts != nil {
		if _, err := m.Fit(t.Context(), data, opts); err != nil {
			t.Fatal(err)
		}
	}
	return h.predicts(t, m)
}

// predicts returns the log likelihood of the held-out data, in nats per pair.
func (h *hidden) predicts(t testing.TB, m cascade.Model) float64 {
	t.Helper()
	l, err := m.Likelihood(cascade.Data{Examples: h.held.Examples, Underivable: em.Skip})
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.Expect(t.Context(), em.Query{Theta: m.Theta})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Skipped) > 0 {
		t.Logf("%d pairs have no derivation", len(e.Skipped))
	}
	return e.LogLikelihood / float64(e.Examples)
}

// single returns a machine of one state with all arcs that read and write a symbol.
func single(t testing.TB) *fst.FST[float64] { return full(t, 1) }

// full returns a machine with all such arcs between all states.
func full(t testing.TB, states int32) *fst.FST[float64] {
	b := fst.NewBuilder(reals)
	b.AddStates(int(states))
	b.AddStart(0, 1)
	for s := range states {
		b.SetFinal(s, 1)
		for to := range states {
			for x := int32(1); x <= alphabet; x++ {
				for z := int32(1); z <= alphabet; z++ {
					b.AddArc(s, fst.Arc[float64]{In: x, Out: z, To: to, Weight: 1})
				}
			}
		}
	}
	return freeze(t, b)
}

// recovery returns the options of the search: 5 nats per parameter are about ½ ln of the number
// of pairs.
func recovery() *merge.Options {
	return &merge.Options{Prior: &merge.Prior{State: 5, Parameter: 5}, Moves: merge.Merge | merge.Split | merge.Drop,
		Options: em.Options{Rand: rand.NewPCG(7, 7)}}
}

// TestRecovery: starting from one state, the search finds a machine with the states and arcs of
// the generating machine, whose output is hidden.
func TestRecovery(t *testing.T) {
	h := newHidden(t, 1, 3, 200)
	opts := recovery()
	var moves merge.Moves
	opts.Accepted = func(c merge.Change) { moves |= c.Move }
	r, err := merge.Run(context.Background(), single(t), h.setting, opts)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := [2]int{r.Counts.NumStates(), r.Counts.NumArcs()}, [2]int{h.truth.NumStates(), h.truth.NumArcs()}; got != want {
		t.Errorf("%v states and arcs, want %v", got, want)
	}
	if moves != merge.Split|merge.Drop {
		t.Errorf("moves %v", moves)
	}
	learned, truth, plain := h.predicts(t, r.Model), h.fixed(t, h.truth, nil), h.fixed(t, single(t), &em.Options{})
	if !(learned > truth-.1) || !(learned > plain+1) {
		t.Errorf("held-out pairs have %.3f nats, by the machine that generated them %.3f, by one state %.3f", learned, truth, plain)
	}
}

// TestCopies: from a machine with two copies of each state, one copy of each is left. The machine
// is not deterministic, and Merge does not fold continuations. The law integrates over the
// parameters, so that the posterior is a bound of the evidence.
func TestCopies(t *testing.T) {
	h := newHidden(t, 1, 3, 200)
	b := fst.NewBuilder(reals)
	b.AddStates(2 * h.truth.NumStates())
	b.AddStart(0, 1)
	for s := range int32(2 * h.truth.NumStates()) {
		b.SetFinal(s, h.truth.Final(s/2))
		for _, a := range h.truth.AppendArcs(nil, s/2) {
			for to := 2 * a.To; to < 2*a.To+2; to++ {
				b.AddArc(s, fst.Arc[float64]{In: a.In, Out: a.Out, To: to, Weight: a.Weight / 2 * float64(1+(s+to)%2)})
			}
		}
	}
	f := freeze(t, b)
	for _, law := range []em.Law{em.Multinomial{}, em.Variational{Alpha: .5}} {
		r, err := merge.Run(t.Context(), f, h.setting, &merge.Options{Moves: merge.Merge, Law: law})
		if err != nil {
			t.Fatal(err)
		}
		if r.Counts.NumStates() != h.truth.NumStates() || r.Counts.NumArcs() != h.truth.NumArcs() || !slices.IsSorted(r.Posterior) {
			t.Errorf("%T: %d states and %d arcs, want %d and %d; log posteriors %v", law, r.Counts.NumStates(), r.Counts.NumArcs(), h.truth.NumStates(), h.truth.NumArcs(), r.Posterior)
		}
	}
}

// BenchmarkRecovery: eight states from 5,000 pairs whose middle string is hidden. Models are
// compared by the log likelihood of held-out pairs, in nats per pair above the generating
// machine.
func BenchmarkRecovery(b *testing.B) {
	for _, seed := range []uint64{1, 2, 3} {
		b.Run(strconv.FormatUint(seed, 10), func(b *testing.B) {
			h := newHidden(b, seed, 8, 5000)
			truth := h.fixed(b, h.truth, nil)
			for b.Loop() {
				opts := recovery()
				opts.Accepted = func(c merge.Change) {
					b.Logf("%v: %d states, %d arcs, log posterior %.1f", c.Move, c.Counts.NumStates(), c.Counts.NumArcs(), last(c.Posterior))
				}
				r, err := merge.Run(b.Context(), single(b), h.setting, opts)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Counts.NumStates()), "states")
				b.ReportMetric(float64(r.Counts.NumArcs()), "arcs")
				b.ReportMetric(h.predicts(b, r.Model)-truth, "learned")
			}
			b.ReportMetric(float64(h.truth.NumArcs()), "true-arcs")
			// The states of the true machine, and one state, trained.
			b.ReportMetric(h.fixed(b, h.truth, &em.Options{Restarts: 4, Rand: rand.NewPCG(1, 1)})-truth, "true-states")
			b.ReportMetric(h.fixed(b, single(b), &em.Options{})-truth, "one-state")
		})
	}
}

// BenchmarkFixed: EM on eight states with all arcs, from a random start, with the first 1,000 of
// the pairs, in the same nats.
func BenchmarkFixed(b *testing.B) {
	for _, seed := range []uint64{1, 2, 3} {
		b.Run(strconv.FormatUint(seed, 10), func(b *testing.B) {
			h := newHidden(b, seed, 8, 5000)
			h.data.Examples = h.data.Examples[:1000]
			truth := h.fixed(b, h.truth, nil)
			for b.Loop() {
				b.ReportMetric(h.fixed(b, full(b, 8), &em.Options{Iterations: 30, Restarts: 1, Rand: rand.NewPCG(seed, 1)})-truth, "all-arcs")
			}
		})
	}
}
