package em_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// bagEnergy is F by its definition: theta and lambda are heads and tails of either coin, q is the
// posterior of the coin at lambda, or all mass on the likelier one.
func bagEnergy(theta, lambda []float64, best bool) float64 {
	energy := 0.0
	for _, x := range series().Examples {
		heads := float64(strings.Count(x.Name, "H"))
		tails := float64(len(x.Name)) - heads
		joint := func(p []float64, coin int) float64 {
			return .5 * math.Pow(p[2*coin], heads) * math.Pow(p[2*coin+1], tails)
		}
		first := joint(lambda, 0) / (joint(lambda, 0) + joint(lambda, 1))
		if best {
			first = math.Round(first)
		}
		for coin, q := range []float64{first, 1 - first} {
			if q > 0 {
				energy += q * (math.Log(q) - math.Log(joint(theta, coin)))
			}
		}
	}
	return energy
}

// The free energy equals the result of enumeration, for any θ and any q. It is least at the
// posterior, where it is minus the log likelihood, and an M step lowers it.
func TestFreeEnergy(t *testing.T) {
	l := bag(em.Multinomial{})
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		theta, lambda := l.Params().Random(r), l.Params().Random(r)
		for _, of := range []em.EStep{em.Marginal, em.Viterbi} {
			got, err := em.FreeEnergy(t.Context(), l, theta, em.Query{Theta: lambda, EStep: of})
			if err != nil {
				t.Fatal(err)
			}
			if want := bagEnergy(theta, lambda, of == em.Viterbi); math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
				t.Fatalf("%v: F[%v, q(%v)] is %.15g, want %.15g", of, theta, lambda, got, want)
			}
			log, err := em.LogLikelihood(t.Context(), l, theta)
			if err != nil {
				t.Fatal(err)
			}
			if got < -log-1e-10 {
				t.Fatalf("F = %g below minus the log likelihood, %g", got, -log)
			}
		}
		same, err := em.FreeEnergy(t.Context(), l, theta, em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		log, _ := em.LogLikelihood(t.Context(), l, theta)
		if math.Abs(same+log) > 1e-10 {
			t.Fatalf("F = %g at the posterior, want %g", same, -log)
		}
		fit, err := em.Fit(t.Context(), l, &em.Options{Start: lambda, Iterations: 1, Tolerance: -1})
		if err != nil {
			t.Fatal(err)
		}
		before, after := bagEnergy(lambda, lambda, false), bagEnergy(fit.Theta, lambda, false)
		lower, err := em.FreeEnergy(t.Context(), l, fit.Theta, em.Query{Theta: lambda})
		if err != nil || math.Abs(lower-after) > 1e-10*(1+math.Abs(after)) || lower > before+1e-10 {
			t.Fatalf("the M step leads from %g to %g, enumerated %g: %v", before, lower, after, err)
		}
	}
}

// The free energy of any distribution over derivations is a divergence minus the ln of a path sum
// of graphs, as the comment of FreeEnergy states. It equals the result of enumeration, exceeds
// minus the log likelihood by the divergence, and equals FreeEnergy if q is a posterior.
func TestFreeEnergyOfAnyDistribution(t *testing.T) {
	ring := semiring.Scaled{}
	params := em.NewParams()
	plain := fst.FromArcs(ring, map[int32]semiring.ScaledFloat{0: ring.One(), 1: ring.One()}, arcsOf(0, 1), arcsOf(0, 1))
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{cascade.Joint(params, "m", plain, em.Multinomial{})}}
	data := cascade.Inputs("aba", "b", "bbaa")
	l := must(problem.Likelihood(data))
	near := func(name string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
			t.Errorf("%s: %.15g, want %.15g", name, got, want)
		}
	}
	lattice := func(theta []float64, x cascade.Example) *fst.FST[semiring.ScaledFloat] {
		machine := must(cascade.Instantiate(params, problem.Stages[0], theta, ring))
		text, _ := x.X.Labels()
		return must(fst.Expand(fst.Compose(fst.FromString(ring, text), machine), nil))
	}
	for seed := range trials.Seeds(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		theta, lambda := params.Random(r), params.Random(r)
		other := func(w semiring.ScaledFloat) semiring.ScaledFloat {
			if ring.IsZero(w) {
				return w
			}
			return semiring.NewScaled(r.ExpFloat64())
		}
		least, posterior := 0.0, 0.0
		for _, x := range data.Examples {
			f := lattice(theta, x)
			p := f.Graph()
			log := must(graph.PathSum(p)).Log()
			least -= log
			posterior += must(graph.KullbackLeibler(lattice(lambda, x).Graph(), p)) - log
			near("at the posterior", must(graph.KullbackLeibler(p, p))-log, -log)

			q := graph.Map(p, ring, other)
			divergence := must(graph.KullbackLeibler(q, p))
			all := must(graph.PathSum(q)).Log()
			ofQ := slices.Collect(must(f.WithWeights(q.Weights(), q.Starts(), q.Finals())).Paths())
			energy, n := 0.0, 0
			for path := range f.Paths() {
				log := ofQ[n].Weight.Log() - all
				energy += math.Exp(log) * (log - path.Weight.Log())
				n++
			}
			if text, _ := x.X.Labels(); n != 1<<len(text) || n != len(ofQ) {
				t.Fatalf("%d and %d paths of %d letters", n, len(ofQ), len(text))
			}
			near("by enumeration", divergence-log, energy)
			near("by entropies", must(graph.CrossEntropy(q, p))-must(graph.Entropy(q))-log, energy)
			if energy < -log-1e-12 {
				t.Errorf("F = %g, below %g", energy, -log)
			}
		}
		near("log likelihood", -least, must(em.LogLikelihood(t.Context(), l, theta)))
		near("FreeEnergy", must(em.FreeEnergy(t.Context(), l, theta, em.Query{Theta: lambda})), posterior)
	}
}

// arcsOf returns arcs of a and b to each state.
func arcsOf(states ...int32) (arcs []fst.Arc[semiring.ScaledFloat]) {
	for _, to := range states {
		for _, label := range "ab" {
			arcs = append(arcs, fst.Arc[semiring.ScaledFloat]{In: label, Out: label, Weight: semiring.NewScaled(1), To: to})
		}
	}
	return arcs
}

func TestFreeEnergyErrors(t *testing.T) {
	l := bag(em.Multinomial{})
	theta := []float64{.5, .5, .4, .6}
	if f, err := em.FreeEnergy(t.Context(), l, []float64{1, 0, .5, .5}, em.Query{Theta: theta}); err != nil || !math.IsInf(f, 1) {
		t.Errorf("F = %g where q allows the impossible: %v", f, err)
	}
	for name, x := range map[string]struct {
		l     em.Likelihood
		theta []float64
		q     em.Query
		want  error
	}{
		"difference":  {&em.Difference{Plus: l, Minus: l}, theta, em.Query{Theta: theta}, em.ErrMethod},
		"risk":        {&em.Risk{Likelihood: l, Loss: make([]float64, 4)}, theta, em.Query{Theta: theta}, em.ErrMethod},
		"temperature": {l, theta, em.Query{Theta: theta, Temperature: .5}, em.ErrMethod},
		"shards":      {l, theta, em.Query{Theta: theta, Lo: 1, Hi: 2}, em.ErrMethod},
		"theta":       {l, []float64{1}, em.Query{Theta: theta}, em.ErrParameter},
		"q":           {l, theta, em.Query{}, em.ErrParameter},
	} {
		if _, err := em.FreeEnergy(t.Context(), x.l, x.theta, x.q); !errors.Is(err, x.want) {
			t.Errorf("%s: %v, want %v", name, err, x.want)
		}
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
