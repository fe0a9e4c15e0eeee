package ctc_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// byLogs returns ln of the probability of a text by the recursion of Graves et al. 2006, §4.1, in
// logarithms, with the blank last: independent of the code under test, but for the definition.
func byLogs(e *frames.Emissions, labels []int32) float64 {
	blank := e.Symbols() - 1
	spread := []int{blank}
	for _, y := range labels {
		spread = append(spread, int(y)-1, blank)
	}
	add := func(a, b float64) float64 {
		if math.IsInf(a, -1) {
			return b
		}
		m := max(a, b)
		return m + math.Log(math.Exp(a-m)+math.Exp(b-m))
	}
	alpha := make([]float64, len(spread))
	for s := range alpha {
		alpha[s] = math.Inf(-1)
	}
	alpha[0] = e.Log(0, blank)
	if len(labels) > 0 {
		alpha[1] = e.Log(0, spread[1])
	}
	for t := 1; t < e.Frames(); t++ {
		next := make([]float64, len(spread))
		for s, v := range spread {
			x := alpha[s]
			if s > 0 {
				x = add(x, alpha[s-1])
			}
			if s > 1 && v != blank && v != spread[s-2] {
				x = add(x, alpha[s-2])
			}
			next[s] = x + e.Log(t, v)
		}
		alpha = next
	}
	n := len(spread)
	if n == 1 {
		return alpha[0]
	}
	return add(alpha[n-1], alpha[n-2])
}

// TestLongTexts: recordings of a network that is sure of its text, or not; and wrong texts, whose
// probability is that of an accident.
func TestLongTexts(t *testing.T) {
	trials.SkipUnderRace(t)
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 9))
		top := ctc.Standard(30, 29)
		x, _ := recording(rng, seed%2 == 0)
		wrong := slices.Clone(x.Labels)
		rng.Shuffle(len(wrong), func(i, j int) { wrong[i], wrong[j] = wrong[j], wrong[i] })
		for _, labels := range [][]int32{x.Labels, wrong, x.Labels[:1], nil} {
			x.Labels = labels
			want := -byLogs(x.Emissions, labels)
			var gradients [2][]float64
			for k, tested := range []ctc.Topology{top, {Machine: top.Machine, Symbols: 30, Blank: 29}} {
				gradients[k] = make([]float64, 500*30)
				got, err := must(ctc.NewLoss(tested, nil)).Eval(x, gradients[k])
				if err != nil || !near(got, want, 1e-12) {
					t.Errorf("seed %d, %d labels: loss %v, error %v, want %v", seed, len(labels), got, err, want)
				}
			}
			for i, d := range gradients[0] {
				if !near(gradients[1][i], d, 1e-11) {
					t.Fatalf("seed %d, %d labels: derivative %d is %v by the chain and %v composed", seed, len(labels), i, d, gradients[1][i])
				}
			}
		}
	}
}

// TestLargeTopology: a topology that is not stored, by the chain, by composition, and with a
// denominator.
func TestLargeTopology(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 11))
	const symbols = 600
	top := ctc.Standard(symbols, 0)
	e, labels := scores(rng, 7, symbols), []int32{600, 2, 2, 300}
	bigram := fst.FromArcs(semiring.Scaled{}, map[int32]semiring.ScaledFloat{0: semiring.NewScaled(.5)}, []arc{
		{In: 600, Out: 600, Weight: semiring.NewScaled(.1)}, {In: 2, Out: 2, Weight: semiring.NewScaled(.3)}, {In: 300, Out: 300, Weight: semiring.NewScaled(.1)},
	})
	for _, o := range []*ctc.Options{nil, {Denominator: bigram}} {
		var losses [2]float64
		var gradients [2][]float64
		for k, tested := range []ctc.Topology{top, {Machine: top.Machine, Symbols: symbols}} {
			gradients[k] = make([]float64, 7*symbols)
			losses[k] = must(must(ctc.NewLoss(tested, o)).Eval(ctc.Example{Emissions: e, Labels: labels}, gradients[k]))
		}
		if !near(losses[0], losses[1], 1e-13) {
			t.Errorf("losses %v", losses)
		}
		for i, d := range gradients[0] {
			if !near(gradients[1][i], d, 1e-13) {
				t.Fatalf("derivative %d is %v by the chain and %v composed", i, d, gradients[1][i])
			}
		}
	}
	al := must(must(ctc.NewAligner(top)).Align(e, labels))
	if len(al.Segments) != 4 || al.LogTotal < al.LogProb {
		t.Errorf("%+v", al)
	}
}

// TestHugeScores: softmax and sums neither overflow nor lose much smaller terms.
func TestHugeScores(t *testing.T) {
	l := must(ctc.NewLoss(ctc.Standard(3, 2), nil))
	s := []float64{1e5, 0, -1e5, -1e5, 1e5, 0}
	gradient := make([]float64, 6)
	// The only way to read 2 1 in two frames is by the scores 0 and −1e5, each 1e5 and 2e5 below.
	got := must(l.Eval(ctc.Example{Emissions: must(frames.Scores(2, 3, s, nil)), Labels: []int32{2, 1}}, gradient))
	if !near(got, 3e5, 1e-15) {
		t.Error(got)
	}
	for i, want := range []float64{1, -1, 0, -1, 1, 0} {
		if !near(gradient[i], want, 1e-15) {
			t.Error(gradient)
		}
	}
}
