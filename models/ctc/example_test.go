package ctc_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// Five frames of a network that has columns for a, b and the blank: how far is it from reading ab,
// which scores should rise, and where are the letters?
func Example() {
	scores := []float64{
		3, 0, 1,
		2, 0, 1,
		0, 0, 3,
		0, 2, 1,
		0, 0, 3,
	}
	ab := []int32{1, 2}
	topology := ctc.Standard(3, 2) // columns for a, b and the blank
	loss, err := ctc.NewLoss(topology, nil)
	if err != nil {
		log.Fatal(err)
	}
	e, err := frames.Scores(5, 3, scores, nil)
	if err != nil {
		log.Fatal(err)
	}
	gradient := make([]float64, len(scores))
	nats, err := loss.Eval(ctc.Example{Emissions: e, Labels: ab}, gradient)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("loss %.3f, derivative of b in frame 3 %.3f\n", nats, gradient[3*3+1])
	aligner, err := ctc.NewAligner(topology)
	if err != nil {
		log.Fatal(err)
	}
	alignment, err := aligner.Align(e, ab)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range alignment.Segments {
		fmt.Printf("label %d: frames %d to %d, confidence %.3f\n", s.Label, s.First, s.Last, s.Confidence)
	}
	// Output:
	// loss 0.568, derivative of b in frame 3 -0.275
	// label 1: frames 0 to 1, confidence 0.998
	// label 2: frames 3 to 3, confidence 0.941
}

// Lattice-free MMI: the text competes with all texts that a bigram model accepts.
func ExampleOptions() {
	texts := func(yield func([]int32, float64) bool) {
		_ = yield([]int32{1, 2}, 5) && yield([]int32{2, 1}, 2) && yield([]int32{1, 1}, 1)
	}
	bigrams, err := ngram.Fit(2, 2, texts, &ngram.Options{Smoothing: ngram.WittenBell})
	if err != nil {
		log.Fatal(err)
	}
	denominator, err := ngram.Acceptor[semiring.ScaledFloat](bigrams, semiring.Scaled{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	loss, err := ctc.NewLoss(ctc.Standard(3, 2), &ctc.Options{Denominator: denominator})
	if err != nil {
		log.Fatal(err)
	}
	e, err := frames.Scores(4, 3, []float64{3, 0, 1, 0, 0, 3, 0, 2, 1, 0, 0, 3}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range [][]int32{{1, 2}, {2, 1}} {
		// The text itself has its weight in the model, so the loss is −ln of its share.
		lattice := fst.Compose[semiring.ScaledFloat](fst.FromString(semiring.Scaled{}, text), denominator)
		nats, err := loss.Eval(ctc.Example{Emissions: e, Lattice: lattice}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: loss %.3f\n", text, nats)
	}
	// Output:
	// [1 2]: loss 0.434
	// [2 1]: loss 6.707
}

// table is a network whose scores are its parameters, 12 for each example: em.Fit can train any
// network that returns scores and accepts derivatives.
type table struct{}

func (table) Forward(theta []float64, i int) ([]float64, error) { return theta[12*i:][:12], nil }

func (table) Backward(counts, _ []float64, i int, gradient []float64) error {
	for k, g := range gradient {
		counts[12*i+k] += g
	}
	return nil
}

func ExampleLoss_Likelihood() {
	loss, err := ctc.NewLoss(ctc.Standard(3, 2), nil)
	if err != nil {
		log.Fatal(err)
	}
	params := em.NewParams()
	params.Group("scores", 24, em.Exponents{Mean: em.Times(0), Sigma: 3})
	likelihood, err := loss.Likelihood(ctc.Training{
		Params: params, Network: func() ctc.Network { return table{} },
		Examples: []ctc.Example{{Name: "first", Labels: []int32{1, 2}}, {Name: "second", Labels: []int32{2, 2}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), likelihood, &em.Options{Method: em.LBFGS{}})
	if err != nil {
		log.Fatal(err)
	}
	before, err := em.LogLikelihood(context.Background(), likelihood, params.Start())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("loss %.2f, trained %.2f\n", -before, -result.LogLikelihood)
	// Output:
	// loss 4.47, trained 1.05
}
