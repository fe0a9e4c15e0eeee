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
// labels; if peaky is true, the scores are like those of a confident network.
func recording(rng *rand.Rand, peaky bool) (x ctc.Example, scores []float64) {
	const frameCount, symbols, length = 500, 30, 100
	for range length {
		x.Labels = append(x.Labels, int32(1+rng.IntN(symbols-1)))
	}
	scores = make([]float64, frameCount*symbols)
	for i := range scores {
		scores[i] = rng.NormFloat64()
	}
	if peaky {
		for t := range frameCount {
			v := symbols - 1
			if t%5 == 2 {
				v = int(x.Labels[t/5]) - 1
			}
			scores[t*symbols+v] += 12
		}
	}
	x.Emissions = must(frames.Scores(frameCount, symbols, scores, nil))
	return x, scores
}

// BenchmarkBatch is 32 recordings with their gradients, by one worker, emissions included: by
// hand, by the chain of Standard, by composition of the same machine, and of Compact.
func BenchmarkBatch(b *testing.B) {
	standard := ctc.Standard(30, 29)
	for _, x := range []struct {
		name  string
		top   ctc.Topology
		peaky bool
	}{
		{"hand/peaky", ctc.Topology{}, true},
		{"standard/peaky", standard, true},
		{"standard/flat", standard, false},
		{"composed/peaky", ctc.Topology{Machine: standard.Machine, Symbols: 30, Blank: 29}, true},
		{"compact/peaky", ctc.Compact(30, 29), true},
	} {
		b.Run(x.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 8))
			examples, scores, g := make([]ctc.Example, 32), make([][]float64, 32), &ctc.Gradients{}
			for i := range examples {
				examples[i], scores[i] = recording(rng, x.peaky)
				g.Numbers = append(g.Numbers, make([]float64, 500*30))
			}
			b.ReportAllocs()
			if x.top.Machine == nil {
				h := new(byHand)
				for b.Loop() {
					for i, x := range examples {
						h.loss(scores[i], 30, x.Labels, g.Numbers[i])
					}
				}
				return
			}
			l := must(ctc.NewLoss(x.top, &ctc.Options{Workers: 1}))
			for b.Loop() {
				for i := range examples {
					examples[i].Emissions = must(frames.Scores(500, 30, scores[i], nil))
				}
				must(l.Batch(b.Context(), examples, g))
			}
		})
	}
}

// BenchmarkMMI is one recording with its gradient, against a bigram of all labels: 59 states and
// 1,770 arcs with the topology.
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
	x, _ := recording(rng, true)
	gradient := make([]float64, 500*30)
	b.ReportAllocs()
	for b.Loop() {
		must(l.Eval(x, gradient))
	}
}

func BenchmarkAlign(b *testing.B) {
	x, _ := recording(rand.New(rand.NewPCG(3, 8)), true)
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
