package ctc_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

type arc = fst.Arc[semiring.ScaledFloat]

// TestMessages: mistakes are refused in words that name the place.
func TestMessages(t *testing.T) {
	var all mistakes.List
	topologyMistakes(&all)
	optionMistakes(&all)
	textMistakes(&all)
	batchMistakes(t, &all)
	trainingMistakes(&all)
	mistakes.Check(t, all)
}

func topologyMistakes(all *mistakes.List) {
	one := semiring.NewScaled(1)
	loss := func(t ctc.Topology) func() error {
		return func() error { _, err := ctc.NewLoss(t, nil); return err }
	}
	all.Add("Standard: no columns", ctc.ErrInvalid, loss(ctc.Standard(0, 0)))
	all.Add("Standard: 3 columns, blank 3", ctc.ErrInvalid, loss(ctc.Standard(3, 3)))
	all.Add("Compact: blank −2", ctc.ErrInvalid, loss(ctc.Compact(3, -2)))
	all.Add("Minimal: 2³¹−1 columns", semiring.ErrLimit, loss(ctc.Minimal(math.MaxInt32, 0)))
	all.Add("HMM: no states", ctc.ErrInvalid, loss(ctc.HMM(3, 0, nil)))
	all.Add("HMM: 2²⁰ labels of 2²⁰ states", semiring.ErrLimit, loss(ctc.HMM(1<<20, 1<<20, nil)))
	all.Add("NewLoss: no machine", nil, loss(ctc.Topology{}))
	all.Add("NewLoss: a machine without columns", ctc.ErrInvalid, loss(ctc.Topology{Machine: ctc.Standard(3, 0).Machine}))
	all.Add("NewLoss: a machine of too many columns", ctc.ErrInvalid, loss(ctc.Topology{Machine: ctc.Standard(3, 0).Machine, Symbols: 2}))
	all.Add("NewLoss: a blank that is not a column", ctc.ErrInvalid, loss(ctc.Topology{Machine: ctc.Standard(3, 0).Machine, Symbols: 3, Blank: 3}))
	all.Add("NewLoss: a machine for best paths", ctc.ErrInvalid, loss(ctc.Topology{Machine: fst.OneState(semiring.Viterbi{}, one), Symbols: 2, Blank: -1}))
	early := fst.OneState(semiring.Scaled{}, one, arc{Out: 7, Weight: one}, arc{In: 1, Weight: one})
	all.Add("NewAligner: a label without a frame", ctc.ErrInvalid, func() error {
		_, err := ctc.NewAligner(ctc.Topology{Machine: early, Symbols: 2, Blank: -1})
		return err
	})
}

func optionMistakes(all *mistakes.List) {
	one := semiring.NewScaled(1)
	loss := func(o ctc.Options) func() error {
		return func() error { _, err := ctc.NewLoss(ctc.Standard(3, 2), &o); return err }
	}
	all.Add("NewLoss: a weight without smoothing", ctc.ErrInvalid, loss(ctc.Options{SmoothingWeight: .1}))
	all.Add("NewLoss: a smoothing weight that is not a number", ctc.ErrInvalid, loss(ctc.Options{SmoothingWeight: math.NaN()}))
	all.Add("NewLoss: −1 workers", ctc.ErrInvalid, loss(ctc.Options{Workers: -1}))
	all.Add("NewLoss: an unknown policy", ctc.ErrInvalid, loss(ctc.Options{Underivable: 5}))
	all.Add("NewLoss: a denominator of other labels", ctc.ErrInvalid, loss(ctc.Options{Denominator: fst.FromString(semiring.Scaled{}, []int32{8, 9})}))
	all.Add("NewLoss: a denominator for best paths", fst.ErrMismatch, loss(ctc.Options{Denominator: fst.OneState(semiring.Viterbi{}, one)}))
}

// soft returns emissions of three columns; column 1 has probability 0.
func soft(length int) *frames.Emissions {
	return must(frames.Probabilities(length, 3, slices.Repeat([]float64{.4, 0, .6}, length), nil))
}

func textMistakes(all *mistakes.List) {
	eval := func(t ctc.Topology, x ctc.Example, o *ctc.Options) func() error {
		return func() error { _, err := must(ctc.NewLoss(t, o)).Eval(x, nil); return err }
	}
	s := ctc.Standard(3, 2)
	all.Add("Eval: no emissions", ctc.ErrInvalid, eval(s, ctc.Example{Labels: []int32{1}}, nil))
	all.Add("Eval: emissions of 3 columns for 4", semiring.ErrShape, eval(ctc.Standard(4, 2), ctc.Example{Emissions: soft(2)}, nil))
	all.Add("Eval: the blank in the text", ctc.ErrInvalid, eval(s, ctc.Example{Emissions: soft(2), Labels: []int32{1, 3}}, nil))
	all.Add("Eval: a label without a column", ctc.ErrInvalid, eval(s, ctc.Example{Emissions: soft(2), Labels: []int32{4}}, nil))
	all.Add("Eval: label 0", ctc.ErrInvalid, eval(s, ctc.Example{Emissions: soft(2), Labels: []int32{1, 0}}, nil))
	all.Add("Eval: a label that HMM does not write", ctc.ErrInvalid, eval(ctc.HMM(1, 3, nil), ctc.Example{Emissions: soft(2), Labels: []int32{2}}, nil))
	all.Add("Eval: labels and a lattice", ctc.ErrInvalid,
		eval(s, ctc.Example{Emissions: soft(2), Labels: []int32{1}, Lattice: fst.FromString(semiring.Scaled{}, nil)}, nil))
	all.Add("Eval: 1 1 in two frames", ctc.ErrTooShort, eval(s, ctc.Example{Emissions: soft(2), Labels: []int32{1, 1}}, nil))
	all.Add("Eval: 1 2 in one frame", ctc.ErrTooShort, eval(ctc.Compact(3, 2), ctc.Example{Emissions: soft(1), Labels: []int32{1, 2}}, nil))
	all.Add("Eval: 1 1 without a blank", em.ErrUnderivable, eval(ctc.Standard(3, -1), ctc.Example{Emissions: soft(4), Labels: []int32{1, 1}}, nil))
	all.Add("Eval: two labels of one frame each in three frames", em.ErrUnderivable, eval(ctc.Minimal(3, -1), ctc.Example{Emissions: soft(3), Labels: []int32{1, 1}}, nil))
	all.Add("Eval: label 2, whose column has probability 0", em.ErrUnderivable, eval(s, ctc.Example{Emissions: soft(2), Labels: []int32{2}}, nil))
	all.Add("Eval: nothing but label 2", em.ErrUnderivable, eval(ctc.Minimal(3, -1), ctc.Example{Emissions: soft(2), Labels: []int32{2, 2}}, nil))
	all.Add("Eval: a lattice without texts", em.ErrUnderivable,
		eval(s, ctc.Example{Emissions: soft(2), Lattice: fst.FromArcs(semiring.Scaled{}, nil, []arc{{In: 1, Out: 1, Weight: semiring.NewScaled(1)}})}, nil))
	all.Add("Eval: a lattice without states", em.ErrUnderivable,
		eval(s, ctc.Example{Emissions: soft(2), Lattice: must(fst.NewBuilder[semiring.ScaledFloat](semiring.Scaled{}).Freeze())}, nil))
	all.Add("Eval: a denominator of four labels in three frames", ctc.ErrTooShort,
		eval(s, ctc.Example{Emissions: soft(3), Labels: []int32{1}}, &ctc.Options{Denominator: fst.FromString(semiring.Scaled{}, []int32{1, 2, 1, 2})}))
	all.Add("Align: 1 1 in two frames", ctc.ErrTooShort, func() error {
		_, err := must(ctc.NewAligner(s)).Align(soft(2), []int32{1, 1})
		return err
	})
	all.Add("Align: no emissions", ctc.ErrInvalid, func() error { _, err := must(ctc.NewAligner(s)).Align(nil, nil); return err })
}

func batchMistakes(t *testing.T, all *mistakes.List) {
	l := must(ctc.NewLoss(ctc.Standard(3, 2), nil))
	batch := func(l *ctc.Loss, g *ctc.Gradients, xs ...ctc.Example) func() error {
		return func() error { _, err := l.Batch(t.Context(), xs, g); return err }
	}
	x := ctc.Example{Name: "first", Emissions: soft(2), Labels: []int32{1}}
	var none context.Context
	all.Add("Batch: no context", nil, func() error { _, err := l.Batch(none, nil, nil); return err })
	all.Add("Batch: a text that is too long", ctc.ErrTooShort, batch(l, nil, x, ctc.Example{Name: "second", Emissions: soft(2), Labels: []int32{1, 2, 1}}))
	all.Add("Batch: an unknown label", ctc.ErrInvalid, batch(l, nil, x, x, ctc.Example{Emissions: soft(2), Labels: []int32{5}}))
	all.Add("Batch: a weight of −1", ctc.ErrInvalid, batch(l, nil, x, ctc.Example{Name: "second", Weight: em.Times(-1)}))
	all.Add("Batch: a lattice that has failed", fst.ErrMismatch, batch(l, nil, ctc.Example{Name: "first", Emissions: soft(2),
		Lattice: fst.Compose(machine(fst.FromString(semiring.Scaled{}, nil)), fst.OneState(semiring.Viterbi{}, semiring.NewScaled(1)))}))
	all.Add("Batch: an array too few", semiring.ErrShape, batch(l, &ctc.Gradients{Numbers: [][]float64{}}, x))
	all.Add("Batch: an array of another length", semiring.ErrShape, batch(l, &ctc.Gradients{Logs: [][]float64{make([]float64, 5)}}, x))
	all.Add("Batch: derivatives of 3 arcs", semiring.ErrShape, batch(l, &ctc.Gradients{Topology: frames.Parts{Arc: make([]float64, 3)}}, x))
	all.Add("Batch: derivatives without a denominator", ctc.ErrInvalid, batch(l, &ctc.Gradients{Denominator: frames.Parts{Arc: make([]float64, 3)}}, x))
	large := must(ctc.NewLoss(ctc.Standard(600, 0), nil))
	all.Add("Batch: derivatives of a topology that is not stored", semiring.ErrLimit, batch(large, &ctc.Gradients{Topology: frames.Parts{Arc: make([]float64, 3)}}))
}

func trainingMistakes(all *mistakes.List) {
	l := must(ctc.NewLoss(ctc.Standard(4, 3), nil))
	params := em.NewParams()
	params.Group("weights", 16, em.Exponents{Mean: em.Times(0)})
	training := func(change func(*ctc.Training)) func() error {
		return func() error {
			t := ctc.Training{Params: params, Network: func() ctc.Network { return nil }, Examples: []ctc.Example{{Name: "first", Labels: []int32{1}}}}
			change(&t)
			_, err := l.Likelihood(t)
			return err
		}
	}
	all.Add("Likelihood: no parameters", nil, training(func(t *ctc.Training) { t.Params = nil }))
	all.Add("Likelihood: no network", nil, training(func(t *ctc.Training) { t.Network = nil }))
	all.Add("Likelihood: no examples", ctc.ErrInvalid, training(func(t *ctc.Training) { t.Examples = nil }))
	all.Add("Likelihood: shards of −1", ctc.ErrInvalid, training(func(t *ctc.Training) { t.ShardSize = -1 }))
	all.Add("Likelihood: an unknown label", ctc.ErrInvalid, training(func(t *ctc.Training) { t.Examples[0].Labels = []int32{9} }))
	all.Add("Likelihood: emissions", ctc.ErrInvalid, training(func(t *ctc.Training) { t.Examples[0].Emissions = soft(2) }))
	all.Add("Likelihood: labels and a lattice", ctc.ErrInvalid, training(func(t *ctc.Training) { t.Examples[0].Lattice = fst.FromString(semiring.Scaled{}, nil) }))
}
