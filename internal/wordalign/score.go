package wordalign

import (
	"context"
	"iter"
	"maps"
	"slices"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/bitext"
	"example.org/pathsum/models/align/gold"
)

// Combination combines the posteriors of the two directions into a choice of links.
type Combination func(p Posteriors) align.Choice

// Combinations are the values of -combine.
var Combinations = map[string]Combination{
	"average":      func(p Posteriors) align.Choice { return align.Average(p.Forward, p.Backward) },
	"product":      func(p Posteriors) align.Choice { return align.Product(p.Forward, p.Backward) },
	"intersection": func(p Posteriors) align.Choice { return align.Min(p.Forward, p.Backward) },
	"union":        func(p Posteriors) align.Choice { return align.Max(p.Forward, p.Backward) },
	"competitive": func(p Posteriors) align.Choice {
		return align.Competitive{Posterior: align.Average(p.Forward, p.Backward)}
	},
	"grow-diag":           symmetric(align.GrowDiag),
	"grow-diag-final":     symmetric(align.GrowDiagFinal),
	"grow-diag-final-and": symmetric(align.GrowDiagFinalAnd),
	"forward":             Forward,
	"backward":            Backward,
}

// Forward chooses by the direction E→F alone.
func Forward(p Posteriors) align.Choice { return p.Forward }

// Backward chooses by the direction F→E alone.
func Backward(p Posteriors) align.Choice { return p.Backward }

func symmetric(of func(forward, backward align.Alignment) align.Alignment) Combination {
	return func(p Posteriors) align.Choice {
		return align.Symmetric{Forward: p.Forward, Backward: p.Backward, Combine: of}
	}
}

// Shown returns the posteriors to show with the links of a choice.
func (p Posteriors) Shown(c align.Choice) *align.Posterior {
	if q, ok := c.(*align.Posterior); ok {
		return q
	}
	return align.Average(p.Forward, p.Backward)
}

// NewCombine declares -combine, by default average.
func NewCombine(p *program.Program) *string {
	names := slices.Sorted(maps.Keys(Combinations))
	names = slices.Insert(slices.DeleteFunc(names, func(n string) bool { return n == "average" }), 0, "average")
	combine := p.Choice("combine", "how to combine the two directions", names...)
	p.About(program.AboutAnswers, "combine")
	return combine
}

// Inference returns the posteriors of a sentence.
type Inference func(align.Sentence) (Posteriors, error)

// all yields the posteriors of sentences, in order.
func (of Inference) all(ctx context.Context, sentences []align.Sentence, workers int) iter.Seq2[Posteriors, error] {
	lines := make([]bitext.Line, len(sentences))
	for i, s := range sentences {
		lines[i] = bitext.Line{Number: i + 1, Sentence: s}
	}
	return bitext.Map(ctx, sequence(lines), workers, func(l bitext.Line) (Posteriors, error) { return of(l.Sentence) })
}

// leastTuned is the lower bound of tuned thresholds.
const leastTuned = 1e-6

// Sweep scores combinations on Dev at all thresholds of at least a millionth, or of at least
// least if that is smaller and not 0.
func (d *Data) Sweep(ctx context.Context, of Inference, least float64, workers int, ways ...Combination) ([]*gold.Curve, error) {
	if least == 0 || least > leastTuned {
		least = leastTuned
	}
	sweepers := make([]*gold.Sweeper, len(ways))
	for k := range sweepers {
		sweepers[k] = gold.NewSweeper(least)
	}
	i := 0
	for p, err := range of.all(ctx, d.Dev.Sentences, workers) {
		if err != nil {
			return nil, err
		}
		for k, s := range sweepers {
			if err := s.Add(ways[k](p), d.Dev.References[i]); err != nil {
				return nil, err
			}
		}
		i++
	}
	curves := make([]*gold.Curve, len(ways))
	for k, s := range sweepers {
		var err error
		if curves[k], err = s.Curve(); err != nil {
			return nil, err
		}
	}
	return curves, nil
}

// Score has the scores of a combination.
type Score struct {
	Curve *gold.Curve // on Dev, nil without Dev
	Tuned gold.Point  // on Dev; only the threshold without Dev
	Final gold.Counts // at the tuned threshold, on Test, or on Dev without Test
}

// Tune tunes the threshold of each combination on Dev, and scores it there and on Test. If
// given is not 0, it is the threshold to score at; usual is the threshold without Dev.
func (d *Data) Tune(ctx context.Context, of Inference, given, usual float64, workers int, ways ...Combination) ([]Score, error) {
	var curves []*gold.Curve
	if len(d.Dev.Sentences) > 0 {
		var err error
		if curves, err = d.Sweep(ctx, of, given, workers, ways...); err != nil {
			return nil, err
		}
	}
	all := make([]Score, len(ways))
	for k := range all {
		s := &all[k]
		s.Tuned.Threshold = usual
		if curves != nil {
			s.Curve, s.Tuned = curves[k], curves[k].Best()
		}
		if given > 0 {
			s.Tuned.Threshold = given
		}
		if s.Curve != nil {
			s.Tuned = s.Curve.At(s.Tuned.Threshold)
			s.Final = s.Tuned.Counts
		}
		if len(d.Test.Sentences) > 0 {
			s.Final = gold.Counts{}
		}
	}
	i := 0
	for p, err := range of.all(ctx, d.Test.Sentences, workers) {
		if err != nil {
			return nil, err
		}
		for k := range all {
			s := &all[k]
			s.Final = s.Final.Plus(gold.Compare(ways[k](p).Align(s.Tuned.Threshold), d.Test.References[i]))
		}
		i++
	}
	return all, nil
}
