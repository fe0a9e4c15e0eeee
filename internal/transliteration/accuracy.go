package transliteration

import (
	"math"
	"slices"

	"example.org/pathsum/models/nbest"
)

// Accuracy compares candidates with references: Top1 is the fraction of pairs whose first
// candidate is the reference, and Top10 the fraction with the reference among the first ten.
// CER is the edit distance of first candidates from references, per character of the
// references, so it may exceed 1. A pair without candidates counts as if the first one were
// empty.
type Accuracy struct {
	Top1  float64 `json:"top1"`
	Top10 float64 `json:"top10"`
	CER   float64 `json:"cer"`
}

// Gain is a difference of Accuracy.Top1 and its standard error, computed from the differences
// by pair.
type Gain struct {
	Top1 float64 `json:"top1"`
	SE   float64 `json:"se"`
}

// Judgement has the results of candidates, pair by pair. Its zero value has no pairs. Each pair
// counts once and by itself: another pair may have the same source and a different reference.
type Judgement struct {
	ranks             []int // of the reference, from 0; −1 if it is not a candidate
	first             []string
	edits, characters float64
}

// Add judges the candidates of a pair, best first. It returns an error of nbest.EditDistance
// for texts that are too long.
func (j *Judgement) Add(reference string, candidates []string) error {
	first := ""
	if len(candidates) > 0 {
		first = candidates[0]
	}
	edits, err := nbest.EditDistance([]rune(first), []rune(reference))
	if err != nil {
		return err
	}
	j.ranks, j.first = append(j.ranks, slices.Index(candidates, reference)), append(j.first, first)
	j.edits += edits
	j.characters += float64(len([]rune(reference)))
	return nil
}

// Right reports whether the first candidate of pair i was the reference.
func (j *Judgement) Right(i int) bool { return j.ranks[i] == 0 }

// Verdict returns the first candidate of pair i, marked if it was not the reference.
func (j *Judgement) Verdict(i int) string {
	switch {
	case j.first[i] == "":
		return "(none)"
	case j.Right(i):
		return j.first[i]
	}
	return j.first[i] + " ✗"
}

// Accuracy returns the fractions of the pairs so far, NaN without pairs.
func (j *Judgement) Accuracy() Accuracy {
	var a Accuracy
	for _, r := range j.ranks {
		if r == 0 {
			a.Top1++
		}
		if r >= 0 && r < 10 {
			a.Top10++
		}
	}
	n := float64(len(j.ranks))
	return Accuracy{a.Top1 / n, a.Top10 / n, j.edits / j.characters}
}

// Over returns the gain of j over the answers of another system to the same pairs. It panics if
// their numbers differ.
func (j *Judgement) Over(other *Judgement) Gain {
	if len(j.ranks) != len(other.ranks) {
		panic("transliteration: judgements of different pairs")
	}
	sum, squares, n := 0.0, 0.0, float64(len(j.ranks))
	for i := range j.ranks {
		d := 0.0
		if j.Right(i) {
			d++
		}
		if other.Right(i) {
			d--
		}
		sum += d
		squares += d * d
	}
	mean := sum / n
	return Gain{mean, math.Sqrt((squares/n - mean*mean) / n)}
}
