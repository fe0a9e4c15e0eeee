package cascade_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// TestMarkovianByConstruction: machines of Joint and Conditional are Markovian.
func TestMarkovianByConstruction(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(seed, 11))
		plain := plainMachine(t, rng, seed%2 == 0)
		for name, c := range map[string]struct {
			of    func(*em.Params, string, fst.Machine[float64], em.Law) cascade.Stage
			check func(fst.Machine[float64], float64) (*cascade.Markovian, error)
		}{
			"joint":       {cascade.Joint[float64], cascade.MarkovianJoint[float64]},
			"conditional": {cascade.Conditional[float64], cascade.MarkovianConditional[float64]},
		} {
			params := em.NewParams()
			f := c.of(params, "f", plain, em.Multinomial{})
			m, err := cascade.Instantiate(params, f, params.Random(rng), real(semiring.Real{}))
			if err != nil {
				t.Fatal(err)
			}
			report, err := c.check(m, 1e-12)
			if err != nil {
				t.Fatal(err)
			}
			if err := report.Err(); err != nil || math.Abs(report.Lost) > 1e-9 {
				t.Errorf("seed %d: %s: %v, %g lost", seed, name, err, report.Lost)
			}
		}
	}
}

// TestMarkovianLeaks: on random machines whose states are balanced, the leaks of the joint report
// add up to 1 minus the path sum. Inputs that lose mass in the conditional machine are leaks of
// the conditional report.
func TestMarkovianLeaks(t *testing.T) {
	leaking, tight := 0, 0
	for seed := range trials.Seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 12))
		n := int32(2 + rng.IntN(4))
		build := func(conditional bool) *fst.FST[float64] {
			m := fst.NewBuilder(real(semiring.Real{}))
			m.AddStates(int(n))
			m.AddStart(0, 1)
			for s := range n {
				if conditional {
					if rng.IntN(4) > 0 {
						m.SetFinal(s, 1)
					}
					for in := int32(1); in <= 2; in++ {
						if rng.IntN(6) > 0 {
							m.AddArc(s, fst.Arc[float64]{In: in, Out: 1, Weight: .25, To: rng.Int32N(n)})
							m.AddArc(s, fst.Arc[float64]{In: in, Out: 2, Weight: .75, To: rng.Int32N(n)})
						}
					}
					continue
				}
				left := 1.
				if rng.IntN(2) == 0 {
					m.SetFinal(s, .25)
					left = .75
				}
				m.AddArc(s, fst.Arc[float64]{In: 1, Out: 1, Weight: left / 3, To: rng.Int32N(n)})
				m.AddArc(s, fst.Arc[float64]{In: 1, Out: 2, Weight: 2 * left / 3, To: rng.Int32N(n)})
			}
			f, err := m.Freeze()
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		joint := build(false)
		report, err := cascade.MarkovianJoint(joint, 1e-12)
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for _, c := range report.Leaks {
			total += c.Mass
		}
		if math.Abs(total-report.Lost) > 1e-9 || len(report.Unbalanced) > 0 {
			t.Errorf("seed %d: leaks of %g, %g lost, unbalanced %v", seed, total, report.Lost, report.Unbalanced)
		}

		f := build(true)
		if report, err = cascade.MarkovianConditional(f, 1e-12); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(f.In(), 1) || !slices.Contains(f.In(), 2) {
			continue // only words over the inputs of f count
		}
		lossy := false
		for word := range 64 {
			var in []int32
			for w := word; w > 1; w /= 2 {
				in = append(in, int32(1+w%2))
			}
			l, err := fst.Expand(fst.Compose(fst.FromString(f.Semiring(), in), f), nil)
			if err != nil {
				t.Fatal(err)
			}
			z, err := graph.PathSum(l.Graph())
			if err != nil {
				t.Fatal(err)
			}
			lossy = lossy || z < 1-1e-9
		}
		if lossy != (report.Err() != nil) {
			t.Errorf("seed %d: mass is lost: %v, but the report says %v", seed, lossy, report.Err())
		}
		if lossy {
			leaking++
		} else {
			tight++
		}
	}
	if leaking == 0 || tight == 0 {
		t.Errorf("%d machines leak, %d do not", leaking, tight)
	}
}

// TestMarkovianNames: the report names the first fault.
func TestMarkovianNames(t *testing.T) {
	build := func(start, final float64, arcs ...fst.Arc[float64]) *fst.FST[float64] {
		m := fst.NewBuilder(real(semiring.Real{}))
		m.AddStates(2)
		m.AddStart(0, start)
		m.SetFinal(0, final)
		for _, a := range arcs {
			m.AddArc(0, a)
		}
		f, err := m.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	loop := func(in int32, w float64) fst.Arc[float64] { return fst.Arc[float64]{In: in, Out: 1, Weight: w, To: 0} }
	sink := fst.Arc[float64]{In: 1, Weight: .25, To: 1}
	joint, conditional := cascade.MarkovianJoint[float64], cascade.MarkovianConditional[float64]
	for says, c := range map[string]struct {
		check   func(fst.Machine[float64], float64) (*cascade.Markovian, error)
		machine *fst.FST[float64]
		lost    float64
	}{
		"the weights of the start sum to 0.5":                     {joint, build(.5, .5, loop(1, .5)), .5},
		"the weights of state 0 sum to 0.75":                      {joint, build(1, .5, loop(1, .25)), 1 - .5/.75},
		"the weights of state 0 sum to 2":                         {joint, build(1, 1, loop(1, 1)), math.NaN()},
		"mass 0.333 is lost in state 1":                           {joint, build(1, .5, loop(1, .25), sink), 1. / 3},
		"the weights of state 0 with input 2 sum to 0.5":          {conditional, build(1, 1, loop(1, 1), loop(2, .5)), 0},
		"state 0 at the end of the input sum to 1.25":             {conditional, build(1, 1, loop(1, .75), loop(0, .25)), 0},
		"mass 1 is lost in state 1 at the end":                    {conditional, build(1, 1, loop(1, .75), sink), 0},
		"mass 0.75 is lost in state 0 at the end of the input":    {conditional, build(1, 0, loop(1, .75), loop(0, .25)), 0},
		"state 0 at the end of the input sum to 1.5 (the first o": {conditional, build(1, 0, loop(1, .75), loop(0, 1.5)), 0},
	} {
		report, err := c.check(c.machine, 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		if err := report.Err(); !errors.Is(err, cascade.ErrNotMarkovian) {
			t.Errorf("error %v, want ErrNotMarkovian: %s", err, says)
		} else {
			wantIn(t, err, says)
		}
		if !closeTo(report.Lost, c.lost, 1e-12) && !(math.IsNaN(c.lost) && math.IsNaN(report.Lost)) {
			t.Errorf("%s: %g lost, want %g", says, report.Lost, c.lost)
		}
	}
	if _, err := cascade.MarkovianJoint(fst.Map(build(1, 1), semiring.Bottleneck{}, func(float64) semiring.Width { return 1 }), 0); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
}
