package cascade_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// symmetricProblems are models of a user, and whether their uniform start deserves a remark.
var symmetricProblems = map[string]struct {
	make  func(t testing.TB) (cascade.Problem, cascade.Data)
	names string // of groups, "" without a remark
}{
	// Two states; each leads to both and writes one of three letters.
	"a hidden Markov model": {func(t testing.TB) (cascade.Problem, cascade.Data) {
		m := fst.NewBuilder(real(semiring.Real{}))
		m.AddStates(2)
		for s := range int32(2) {
			m.AddStart(s, 1)
			m.SetFinal(s, 1)
			for to := range int32(2) {
				for label := int32(1); label <= 3; label++ {
					m.AddArc(s, fst.Arc[float64]{In: label, Out: label, Weight: 1, To: to})
				}
			}
		}
		plain, err := m.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		params := em.NewParams()
		f := cascade.Joint(params, "states", fst.Machine[float64](plain), em.Multinomial{})
		return cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, labelings(
			[]int32{1, 1, 1, 2, 2}, []int32{2, 2, 2, 1, 1, 1}, []int32{3, 1, 1, 1}, []int32{2, 2, 3, 3})
	}, "states/0 and states/1"},
	// A hidden class writes two letters by its own group.
	"a mixture": {func(t testing.TB) (cascade.Problem, cascade.Data) {
		params := em.NewParams()
		k := params.Space()
		class := params.Distribution("class", 2, em.Multinomial{})
		m := fst.NewBuilder(k)
		m.AddStates(5)
		for c := range int32(2) {
			g := params.Distribution([]string{"first", "second"}[c], 3, em.Multinomial{})
			m.AddStart(c, class.Weight(int(c)))
			for i := range int32(3) {
				m.AddArc(c, arc(i+1, i+1, g.Weight(int(i)), 2+c))
				m.AddArc(2+c, arc(i+1, i+1, g.Weight(int(i)), 4))
			}
		}
		m.SetFinal(4, k.One())
		return cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}, labelings(
			[]int32{1, 1}, []int32{1, 1}, []int32{2, 2}, []int32{2, 3}, []int32{3, 3})
	}, "first and second"},
	// The inputs 1 and 2 are observed, and happen to be read as the same letters.
	"complete data": {func(t testing.TB) (cascade.Problem, cascade.Data) {
		var arcs []fst.Arc[float64]
		for in := int32(1); in <= 2; in++ {
			for out := int32(1); out <= 3; out++ {
				arcs = append(arcs, fst.Arc[float64]{In: in, Out: out, Weight: 1})
			}
		}
		params := em.NewParams()
		f := cascade.Conditional(params, "channel", fst.OneState(real(semiring.Real{}), 1, arcs...), em.Multinomial{})
		return cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, cascade.Data{Examples: []cascade.Example{
			{X: cascade.Labels(1, 2, 1, 2), Y: cascade.Labels(2, 2, 1, 1)}}}
	}, ""},
	// A letter is written by the input 1 or the input 2, and both always occur.
	"what no data tell apart": {func(t testing.TB) (cascade.Problem, cascade.Data) {
		params := em.NewParams()
		k := params.Space()
		half := k.Const(semiring.NewScaled(.5))
		m := fst.NewBuilder(k)
		m.AddStates(2)
		m.AddStart(0, k.One())
		m.SetFinal(1, k.One())
		for _, name := range []string{"first", "second"} {
			g := params.Distribution(name, 2, em.Multinomial{})
			for i := range int32(2) {
				m.AddArc(0, arc(1, i+1, k.Times(half, g.Weight(int(i))), 1))
			}
		}
		var data cascade.Data
		for _, out := range []int32{1, 1, 2} {
			data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(1), Y: cascade.Labels(out)})
		}
		return cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}, data
	}, ""},
}

// labelings returns data with X known.
func labelings(all ...[]int32) (data cascade.Data) {
	for _, x := range all {
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(x...)})
	}
	return data
}

// TestSymmetricStarts: a start from which hidden choices remain equal has a remark, by EM and by
// gradient, and the remark is true. Other starts, several starts and other equalities have none.
func TestSymmetricStarts(t *testing.T) {
	ctx := context.Background()
	for name, c := range symmetricProblems {
		for _, method := range []em.Method{em.EM{}, em.Squarem{}, em.LBFGS{}} {
			problem, data := c.make(t)
			r, err := problem.Fit(ctx, data, &em.Options{Method: method, Iterations: 30})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if c.names == "" {
				if r.Remarks != nil {
					t.Errorf("%s: %v: remarks %q", name, method, r.Remarks)
				}
				continue
			}
			if len(r.Remarks) != 1 || !strings.Contains(r.Remarks[0], "symmetric: groups "+c.names) {
				t.Errorf("%s: %v: remarks %q, want %s", name, method, r.Remarks, c.names)
			}
			random, err := problem.Fit(ctx, data, &em.Options{Method: method, Start: problem.Params.Random(rand.NewPCG(3, 3)), Iterations: 300})
			if err != nil || random.Remarks != nil {
				t.Errorf("%s: %v: from a random start: remarks %q, %v", name, method, random.Remarks, err)
			}
			if !(random.Last() > r.Last()+.01) {
				t.Errorf("%s: %v: %g from a random start, %g from the symmetric one", name, method, random.Last(), r.Last())
			}
			more, err := problem.Fit(ctx, data, &em.Options{Method: method, Restarts: 1, Rand: rand.NewPCG(3, 3), Iterations: 30})
			if err != nil || more.Remarks != nil {
				t.Errorf("%s: %v: with a restart: remarks %q, %v", name, method, more.Remarks, err)
			}
		}
	}
}

// TestSymmetricStartsResumed: an interrupted run keeps the remark.
func TestSymmetricStartsResumed(t *testing.T) {
	problem, data := symmetricProblems["a mixture"].make(t)
	o := em.Options{Checkpoint: filepath.Join(t.TempDir(), "state"), Iterations: 3}
	for range 2 {
		r, err := problem.Fit(context.Background(), data, &o)
		if err != nil || len(r.Remarks) != 1 {
			t.Fatalf("%v, %v", r, err)
		}
		o.Iterations += 3
	}
}

// TestCheckStart: choices that are equal at the start must still be equal after a step, and
// errors of training are left to training.
func TestCheckStart(t *testing.T) {
	ctx := context.Background()
	problem, data := symmetricProblems["a mixture"].make(t)
	l := likelihood(t, problem, data)
	start := problem.Params.Start()
	calls := 0
	alike := func(first, second string) func([]float64, float64) string {
		return func(theta []float64, tolerance float64) string {
			calls++
			a, b := problem.Params.Find(first).In(theta), problem.Params.Find(second).In(theta)
			for i := range min(len(a), len(b)) {
				if !closeTo(a[i], b[i], tolerance+1e-300) {
					return ""
				}
			}
			return first + " and " + second
		}
	}
	if err := em.CheckStart(ctx, l, start, alike("first", "second")); !errors.Is(err, em.ErrSymmetric) || calls != 2 {
		t.Errorf("error %v after %d calls, want ErrSymmetric", err, calls)
	} else {
		wantIn(t, err, "first and second have equal parameters")
	}
	if err := em.CheckStart(ctx, l, problem.Params.Random(rand.NewPCG(1, 1)), alike("first", "second")); err != nil {
		t.Errorf("a random start: %v", err)
	}
	if err := em.CheckStart(ctx, l, []float64{1}, alike("first", "second")); !errors.Is(err, em.ErrParameter) {
		t.Errorf("an illegal start: error %v, want ErrParameter", err)
	}
	never := func([]float64, float64) string { return "" }
	if err := em.CheckStart(ctx, l, start, never); err != nil {
		t.Errorf("nothing is alike: %v", err)
	}
	fixed := em.NewParams()
	fixed.Group("g", 2, em.Fixed{})
	always := func([]float64, float64) string { return "all" }
	none := cascade.Problem{Params: fixed, Stages: []cascade.Stage{fst.OneState(fixed.Space(), fixed.Space().One())}}
	if err := em.CheckStart(ctx, likelihood(t, none, labelings([]int32{})), fixed.Start(), always); err != nil {
		t.Errorf("nothing is estimated: %v", err)
	}
	unread := likelihood(t, problem, labelings([]int32{7, 7}))
	if err := em.CheckStart(ctx, unread, start, always); err != nil {
		t.Errorf("training fails: %v", err)
	}
}
