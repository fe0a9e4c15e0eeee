package hidden

import (
	"math"

	"example.org/pathsum/internal/program"
)

// Losses are the scores of a method over trials, as in the JSON object.
type Losses struct {
	Train   program.Deviation `json:"train"`
	Test    program.Deviation `json:"test"`
	RawTest program.Deviation `json:"raw_test"`
}

// NewLosses returns the losses of scores.
func NewLosses(scores []Score) Losses {
	over := func(of func(Score) float64) program.Deviation {
		var x []float64
		for _, s := range scores {
			x = append(x, of(s))
		}
		return program.NewDeviation(x)
	}
	return Losses{
		over(func(s Score) float64 { return s.Train }),
		over(func(s Score) float64 { return s.Test }),
		over(func(s Score) float64 { return s.Raw }),
	}
}

// Difference has the losses of another method minus the losses of a method, trial by trial; a
// win is a lower loss of the latter.
type Difference struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
	Wins int     `json:"wins"`
	N    int     `json:"n"`
}

// tie is the least difference that counts as a win.
const tie = 1e-6

// NewDifference returns the difference of the losses of two methods on the tests of the same
// trials, with the names of hidden states as in Test.
func NewDifference(rival, own []Score) Difference {
	var d []float64
	for i, s := range rival {
		d = append(d, s.Test-own[i].Test)
	}
	return DifferenceOf(d)
}

// DifferenceOf returns the difference with the given values.
func DifferenceOf(d []float64) Difference {
	at := program.NewDeviation(d)
	pair := Difference{Mean: at.Mean, SE: at.SD / math.Sqrt(float64(len(d))), N: len(d)}
	for _, x := range d {
		if x > tie {
			pair.Wins++
		}
	}
	return pair
}
