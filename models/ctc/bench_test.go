package ctc_test

import (
	"math/rand/v2"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// recording returns an example of 500 frames of 30 columns, the blank last, and a text of 100
// labels; the scores are those of a network that is sure of the text if peaky is true.
func recording(rng *rand.Rand, peaky bool) ctc.Example {
	const frameCount, symbols, length = 500, 30, 100
	x := ctc.Example{}
	for range length {
		x.Labels = append(x.Labels, int32(1+rng.IntN(symbols-1)))
	}
	s := make([]float64, frameCount*symbols)
	for i := range s {
		s[i] = rng.NormFloat64()
	}
	if peaky {
		for t := range frameCount {
			v := symbols - 1
			if t%5 == 2 {
				v = int(x.Labels[t/5]) - 1
			}
			s[t*symbols+v] += 12
		}
	}
	x.Emissions = must(frames.Scores(frameCount, symbols, s, nil))
	return x
}

// BenchmarkBatch is 32 recordings with their gradients, by the chain of Standard and by
// composition of the same machine, and of Compact.
func BenchmarkBatch(b *testing.B) {
	standard := ctc.Standard(30, 29)
	for _, x := range []struct {
		name  string
		top   ctc.Topology
		peaky bool
	}{
		{"standard/flat", standard, false},
		{"standard/peaky", standard, true},
		{"composed/peaky", ctc.Topology{Machine: standard.Machine, Symbols: 30, Blank: 29}, true},
		{"compact/peaky", ctc.Compact(30, 29), true},
	} {
		b.Run(x.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 8))
			examples, g := make([]ctc.Example, 32), &ctc.Gradients{}
			for i := range examples {
				examples[i] = recording(rng, x.peaky)
				g.Numbers = append(g.Numbers, make([]float64, 500*30))
			}
			l := must(ctc.NewLoss(x.top, nil))
			b.ReportAllocs()
			for b.Loop() {
				must(l.Batch(b.Context(), examples, g))
			}
		})
	}
}

// BenchmarkMMI is one recording with its gradient, against a bigram of all labels: 59 states and
// about 2,600 arcs with the topology.
func BenchmarkMMI(b *testing.B) {
	rng := rand.New(rand.NewPCG(2, 8))
	builder := fst.NewBuilder[semiring.ScaledFloat](semiring.Scaled{}) // a bigram of 29 labels
	builder.AddStates(30)
	builder.AddStart(29, semiring.NewScaled(1))
	for s := range int32(30) {
		builder.SetFinal(s, semiring.NewScaled(.01))
		for label := range int32(29) {
			builder.AddArc(s, fst.Arc[semiring.ScaledFloat]{In: label + 1, Out: label + 1, To: label, Weight: semiring.NewScaled(rng.Float64() / 15)})
		}
	}
	l := must(ctc.NewLoss(ctc.Standard(30, 29), &ctc.Options{Denominator: must(builder.Freeze())}))
	x := recording(rng, true)
	gradient := make([]float64, 500*30)
	b.ReportAllocs()
	for b.Loop() {
		must(l.Eval(x, gradient))
	}
}

func BenchmarkAlign(b *testing.B) {
	x := recording(rand.New(rand.NewPCG(3, 8)), true)
	a := must(ctc.NewAligner(ctc.Standard(30, 29)))
	for _, confident := range []bool{false, true} {
		name := "best"
		if confident {
			name = "confidences"
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if confident {
					must(a.Align(x.Emissions, x.Labels))
				} else {
					must(a.Best(x.Emissions, x.Labels))
				}
			}
		})
	}
}
