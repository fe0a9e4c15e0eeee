package ctc_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

type machine = fst.Machine[semiring.ScaledFloat]

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func near(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

// domain is how emissions are made of numbers.
type domain struct {
	name string
	make func(frames, symbols int, x []float64, o *frames.Options) (*frames.Emissions, error)
}

var domains = []domain{
	{"probabilities", frames.Probabilities[float64]},
	{"logarithms", frames.LogProbabilities[float64]},
	{"scores", frames.Scores[float64]},
}

// draw returns random numbers of a domain, and options for them.
func (d domain) draw(rng *rand.Rand, frameCount, symbols int) ([]float64, *frames.Options) {
	x := make([]float64, frameCount*symbols)
	for i := range x {
		x[i] = 2 * rng.NormFloat64()
		if d.name == "probabilities" {
			x[i] = math.Exp(x[i] / 3)
		}
	}
	o := &frames.Options{Unnormalized: true}
	if rng.IntN(2) == 0 {
		o.Scale = .5 + rng.Float64()
		for range symbols {
			o.Prior = append(o.Prior, .1+rng.Float64())
		}
	}
	return x, o
}

// scores returns random emissions of scores.
func scores(rng *rand.Rand, frameCount, symbols int) *frames.Emissions {
	x, _ := domains[2].draw(rng, frameCount, symbols)
	return must(frames.Scores(frameCount, symbols, x, nil))
}

// weight returns the weight of the columns read in e, by the definition.
func weight(e *frames.Emissions, columns []int) float64 {
	w := 1.0
	for t, v := range columns {
		w *= e.Weight(t, v).Float64()
	}
	return w
}

// accepted returns the weight of a text in an acceptor without ε, following its paths.
func accepted(m machine, labels []int32) float64 {
	var follow func(s int32, rest []int32) float64
	follow = func(s int32, rest []int32) float64 {
		if len(rest) == 0 {
			return m.Final(s).Float64()
		}
		sum := 0.0
		for _, a := range m.AppendArcs(nil, s) {
			if a.In == rest[0] {
				sum += a.Weight.Float64() * follow(a.To, rest[1:])
			}
		}
		return sum
	}
	sum := 0.0
	for _, start := range m.AppendStarts(nil) {
		sum += start.Weight.Float64() * follow(start.State, labels)
	}
	return sum
}

// acceptor returns a random acceptor of the labels 1 … labels, with weights.
func acceptor(rng *rand.Rand, labels int) *fst.FST[semiring.ScaledFloat] {
	b := fst.NewBuilder[semiring.ScaledFloat](semiring.Scaled{})
	w := func() semiring.ScaledFloat { return semiring.NewScaled(.2 + rng.Float64()) }
	states := 1 + rng.IntN(3)
	b.AddStates(states)
	b.AddStart(0, w())
	for s := range int32(states) {
		b.SetFinal(s, w())
		for label := range int32(labels) {
			arcs := rng.IntN(3)
			if s == 0 {
				arcs++
			}
			for range arcs {
				b.AddArc(s, fst.Arc[semiring.ScaledFloat]{In: label + 1, Out: label + 1, To: int32(rng.IntN(states)), Weight: w()})
			}
		}
	}
	return must(b.Freeze())
}

// enumerate returns Σ over the strings of columns, times how a string weighs, and γ.
func enumerate(e *frames.Emissions, weigh func(columns []int) float64) (z float64, gamma []float64) {
	gamma = make([]float64, e.Frames()*e.Symbols())
	readings(e.Symbols(), e.Frames(), func(columns []int) {
		w := weight(e, columns) * weigh(columns)
		z += w
		for t, v := range columns {
			gamma[t*e.Symbols()+v] += w
		}
	})
	for i := range gamma {
		gamma[i] /= z
	}
	return z, gamma
}

// texts returns all that can be read in a number of frames, by the definition.
func (top topology) texts(frameCount int) [][]int32 {
	seen := map[string]bool{}
	readings(top.Symbols, frameCount, func(columns []int) {
		for text := range top.define(columns) {
			seen[text] = true
		}
	})
	var all [][]int32
	for _, labels := range fsttest.Strings(int32(top.Symbols), frameCount) {
		if seen[fsttest.String(labels...)] {
			all = append(all, labels)
		}
	}
	return all
}

// TestTextByEnumeration: the loss of each text is −ln of the sum over all strings of columns
// that spell it, and γ their shares.
func TestTextByEnumeration(t *testing.T) {
	trials.SkipUnderRace(t)
	for n, top := range topologies() {
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		own := ctc.Topology{Machine: top.Machine, Symbols: top.Symbols, Blank: top.Blank} // is composed
		losses := []*ctc.Loss{must(ctc.NewLoss(top.Topology, nil)), must(ctc.NewLoss(own, nil))}
		for frameCount := 1; frameCount <= 5 && math.Pow(float64(top.Symbols), float64(frameCount)) <= 256; frameCount++ {
			e := scores(rng, frameCount, top.Symbols)
			for _, labels := range top.texts(frameCount) {
				z, gamma := enumerate(e, func(columns []int) float64 { return float64(top.define(columns)[fsttest.String(labels...)]) })
				for _, l := range losses {
					logs := make([]float64, len(gamma))
					r, err := l.Batch(t.Context(), []ctc.Example{{Emissions: e, Labels: labels}}, &ctc.Gradients{Logs: [][]float64{logs}})
					if err != nil || !near(r.Loss, -math.Log(z), 1e-12) {
						t.Fatalf("%s, %d frames, %v: loss %v, error %v, want %v", top.name, frameCount, labels, r, err, -math.Log(z))
					}
					for i := range gamma {
						if !near(logs[i], -gamma[i], 1e-12) {
							t.Fatalf("%s, %d frames, %v: derivative %d is %v, want %v", top.name, frameCount, labels, i, logs[i], -gamma[i])
						}
					}
				}
			}
		}
	}
}

// TestNoText: texts that the frames cannot spell are an error, of the same kind whether they are
// composed or not.
func TestNoText(t *testing.T) {
	trials.SkipUnderRace(t)
	short := 0
	for n, top := range topologies() {
		rng := rand.New(rand.NewPCG(uint64(n), 2))
		own := ctc.Topology{Machine: top.Machine, Symbols: top.Symbols, Blank: top.Blank}
		f := must(fst.Expand(top.Machine, nil))
		for frameCount := 1; frameCount <= 3; frameCount++ {
			possible := map[string]bool{}
			losses := []*ctc.Loss{must(ctc.NewLoss(top.Topology, nil)), must(ctc.NewLoss(own, nil))}
			for _, labels := range top.texts(frameCount) {
				possible[fsttest.String(labels...)] = true
			}
			e := scores(rng, frameCount, top.Symbols)
			for _, labels := range fsttest.Strings(int32(top.Symbols), 4) {
				known := true
				for _, y := range labels {
					known = known && slices.Contains(f.Out(), y)
				}
				for _, l := range losses {
					loss, err := l.Eval(ctc.Example{Emissions: e, Labels: labels}, nil)
					switch {
					case !known:
						if !errors.Is(err, ctc.ErrInvalid) {
							t.Fatalf("%s: %v: %v, want ErrInvalid", top.name, labels, err)
						}
					case possible[fsttest.String(labels...)]:
						if err != nil {
							t.Fatalf("%s: %v: %v", top.name, labels, err)
						}
					case !errors.Is(err, em.ErrUnderivable) || loss != 0:
						t.Fatalf("%s: %v: loss %v, error %v, want ErrUnderivable", top.name, labels, loss, err)
					case errors.Is(err, ctc.ErrTooShort):
						short++
						// It fits a greater number of frames.
						e := scores(rng, 4*frameCount+9, top.Symbols)
						if _, err := l.Eval(ctc.Example{Emissions: e, Labels: labels}, nil); err != nil && top.Blank >= 0 && top.name[:3] != "Min" {
							t.Errorf("%s: %v: %v", top.name, labels, err)
						}
					}
				}
			}
		}
	}
	if short < 1000 {
		t.Errorf("%d texts were too long", short)
	}
}

// TestObjectives: lattices, denominators and smoothing, by enumeration.
func TestObjectives(t *testing.T) {
	trials.SkipUnderRace(t)
	for n, top := range topologies() {
		for seed := range uint64(6) {
			rng := rand.New(rand.NewPCG(seed, uint64(n)))
			labels := len(top.texts(1)) + 1
			a, d, s := acceptor(rng, labels), acceptor(rng, labels), acceptor(rng, labels)
			share := rng.Float64()
			frameCount := 1 + rng.IntN(3)
			if top.name[:3] == "HMM" {
				frameCount = 4
			}
			e := scores(rng, frameCount, top.Symbols)
			sum := func(m machine) float64 {
				z, _ := enumerate(e, func(columns []int) float64 {
					sum := 0.0
					for _, y := range fsttest.Strings(int32(top.Symbols), frameCount) {
						if paths := top.define(columns)[fsttest.String(y...)]; paths > 0 {
							sum += float64(paths) * accepted(m, y)
						}
					}
					return sum
				})
				return math.Log(z)
			}
			want := -(1-share)*sum(a) - share*sum(s) + sum(d)
			l, err := ctc.NewLoss(top.Topology, &ctc.Options{Denominator: d, Smoothing: s, SmoothingWeight: share})
			if top.Symbols == 1 && top.Blank == 0 { // without labels
				if !errors.Is(err, ctc.ErrInvalid) {
					t.Errorf("%s: %v, want ErrInvalid", top.name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", top.name, err)
				continue
			}
			got, err := l.Eval(ctc.Example{Emissions: e, Lattice: a}, nil)
			if math.IsInf(want, 0) || math.IsNaN(want) {
				if !errors.Is(err, em.ErrUnderivable) {
					t.Errorf("%s, seed %d: %v, want ErrUnderivable", top.name, seed, err)
				}
			} else if err != nil || !near(got, want, 1e-12) {
				t.Errorf("%s, seed %d: loss %v, error %v, want %v", top.name, seed, got, err, want)
			}
		}
	}
}

// TestGradients: derivatives by the numbers of the emissions are divided differences, in every
// domain, and so are those by the weights of all machines.
func TestGradients(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		d := domains[seed%3]
		const symbols, frameCount = 3, 4
		// A topology with weights.
		top := ctc.Standard(symbols, int(seed%2)*2)
		f := must(fst.Expand(top.Machine, nil))
		top = ctc.Topology{Machine: weighted(f, randomLogs(rng, f)), Symbols: symbols, Blank: top.Blank}
		c := must(fst.Expand(top.Machine, nil))
		den, smooth := acceptor(rng, symbols), acceptor(rng, symbols)
		x, o := d.draw(rng, frameCount, symbols)
		var labels []int32
		for range rng.IntN(3) {
			labels = append(labels, int32(1+(top.Blank+1+rng.IntN(2))%symbols))
		}
		if len(labels) == 2 && labels[0] == labels[1] {
			labels = labels[:1]
		}
		example := ctc.Example{Labels: labels, Weight: em.Times(1.5)}
		if seed%5 == 0 {
			example.Lattice, example.Labels = acceptor(rng, symbols), nil
		}
		// v are ln of the weights of topology, denominator and smoothing, after the numbers.
		ms := []*fst.FST[semiring.ScaledFloat]{c, den, smooth}
		v := slices.Clone(x)
		for _, m := range ms {
			v = append(v, logWeights(m)...)
		}
		loss := func(v []float64, g *ctc.Gradients) float64 {
			x := example
			x.Emissions = must(d.make(frameCount, symbols, v[:frameCount*symbols], o))
			rest := v[frameCount*symbols:]
			var at []machine
			for _, m := range ms {
				n := 2*m.NumStates() + m.NumArcs()
				at = append(at, weighted(m, rest[:n]))
				rest = rest[n:]
			}
			l := must(ctc.NewLoss(ctc.Topology{Machine: at[0], Symbols: symbols, Blank: top.Blank},
				&ctc.Options{Denominator: at[1], Smoothing: at[2], SmoothingWeight: .3}))
			return must(l.Batch(t.Context(), []ctc.Example{x}, g)).Loss
		}
		g := &ctc.Gradients{Numbers: [][]float64{make([]float64, len(x))}}
		parts := []*frames.Parts{&g.Topology, &g.Denominator, &g.Smoothing}
		for i, p := range parts {
			*p = frames.Parts{Initial: make([]float64, ms[i].NumStates()), Arc: make([]float64, ms[i].NumArcs()), Final: make([]float64, ms[i].NumStates())}
		}
		loss(v, g)
		got := g.Numbers[0]
		for _, p := range parts {
			got = slices.Concat(got, p.Initial, p.Arc, p.Final)
		}
		want := fd.Gradient(nil, func(v []float64) float64 { return loss(v, nil) }, v, &fd.Settings{Formula: fd.Central})
		for i := range want {
			if !math.IsInf(v[i], -1) && !near(got[i], want[i], 1e-6) {
				t.Fatalf("seed %d, %s: derivative %d is %v, want %v", seed, d.name, i, got[i], want[i])
			}
		}
	}
}

// logWeights returns ln of the weights of a machine: starts, arcs, ends.
func logWeights(m *fst.FST[semiring.ScaledFloat]) []float64 {
	v := make([]float64, m.NumStates())
	for i := range v {
		v[i] = math.Inf(-1)
	}
	for _, start := range m.AppendStarts(nil) {
		v[start.State] = start.Weight.Log()
	}
	for s := range int32(m.NumStates()) {
		for _, a := range m.AppendArcs(nil, s) {
			v = append(v, a.Weight.Log())
		}
	}
	for s := range int32(m.NumStates()) {
		v = append(v, m.Final(s).Log())
	}
	return v
}

func randomLogs(rng *rand.Rand, m *fst.FST[semiring.ScaledFloat]) []float64 {
	v := logWeights(m)
	for i := range v {
		v[i] += rng.NormFloat64()
	}
	return v
}

// weighted returns m with the weights whose ln are v, in the order of logWeights.
func weighted(m *fst.FST[semiring.ScaledFloat], v []float64) *fst.FST[semiring.ScaledFloat] {
	states, arcs := m.NumStates(), m.NumArcs()
	w := make([]semiring.ScaledFloat, len(v))
	for i, x := range v {
		w[i] = semiring.ScaledFromLog(x)
	}
	starts := m.AppendStarts(nil)
	for i := range starts {
		starts[i].Weight = w[starts[i].State]
	}
	return must(m.WithWeights(w[states:states+arcs], starts, w[states+arcs:]))
}

// TestRowsSumToZero: the derivatives by scores sum to 0 in each frame, and so do those of MMI by
// the ln of the emissions; MMI is 0 where the denominator accepts the text alone.
func TestRowsSumToZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const symbols, frameCount = 6, 40
	e, labels := scores(rng, frameCount, symbols), []int32{2, 3, 3, 1, 5}
	for _, den := range []machine{nil, acceptor(rng, 5), fst.FromString(semiring.Scaled{}, labels)} {
		l := must(ctc.NewLoss(ctc.Standard(symbols, 5), &ctc.Options{Denominator: den}))
		g := &ctc.Gradients{Numbers: [][]float64{make([]float64, frameCount*symbols)}, Logs: [][]float64{make([]float64, frameCount*symbols)}}
		r := must(l.Batch(t.Context(), []ctc.Example{{Emissions: e, Labels: labels}}, g))
		for f := range frameCount {
			numbers, logs := 0.0, 0.0
			for v := range symbols {
				numbers += g.Numbers[0][f*symbols+v]
				logs += g.Logs[0][f*symbols+v]
			}
			want := 0.0
			if den == nil {
				want = -1
			}
			if math.Abs(numbers) > 1e-13 || math.Abs(logs-want) > 1e-13 {
				t.Errorf("frame %d: sums %v and %v", f, numbers, logs)
			}
		}
		if m, ok := den.(*fst.FST[semiring.ScaledFloat]); ok && m.NumStates() == len(labels)+1 && math.Abs(r.Loss) > 1e-12 {
			t.Errorf("loss %v, want 0", r.Loss)
		}
	}
}

// TestWarpCTC: the small case of the tests of warp-ctc, two frames of five columns with the
// blank first: only one string of columns spells 1 2.
func TestWarpCTC(t *testing.T) {
	activations := []float64{.1, .6, .1, .1, .1, .1, .1, .6, .1, .1}
	l := must(ctc.NewLoss(ctc.Standard(5, 0), nil))
	gradient := make([]float64, 10)
	got := must(l.Eval(ctc.Example{Emissions: must(frames.Scores(2, 5, activations, nil)), Labels: []int32{2, 3}}, gradient))
	p := math.Exp(.6) / (math.Exp(.6) + 4*math.Exp(.1))
	if !near(got, -2*math.Log(p), 1e-15) || math.Abs(got-2.4628584) > 1e-6 {
		t.Errorf("loss %v, want %v", got, -2*math.Log(p))
	}
	q := math.Exp(.1) / (math.Exp(.6) + 4*math.Exp(.1))
	for i, want := range []float64{q, p - 1, q, q, q, q, q, p - 1, q, q} {
		if math.Abs(gradient[i]-want) > 1e-15 {
			t.Errorf("derivative %d: %v, want %v", i, gradient[i], want)
		}
	}
}

// TestTwoFrames: two frames of (a .4, b 0, blank .6) are read as a with probability .64.
func TestTwoFrames(t *testing.T) {
	l := must(ctc.NewLoss(ctc.Standard(3, 2), nil))
	e := must(frames.Probabilities(2, 3, []float64{.4, 0, .6, .4, 0, .6}, nil))
	if got := must(l.Eval(ctc.Example{Emissions: e, Labels: []int32{1}}, nil)); !near(got, -math.Log(.64), 1e-15) {
		t.Error(got)
	}
	if got := must(l.Eval(ctc.Example{Emissions: e}, nil)); !near(got, -math.Log(.36), 1e-15) {
		t.Error(got)
	}
	_, err := l.Eval(ctc.Example{Emissions: e, Labels: []int32{2}}, nil)
	if !errors.Is(err, em.ErrUnderivable) || errors.Is(err, ctc.ErrTooShort) {
		t.Error(err)
	}
}
