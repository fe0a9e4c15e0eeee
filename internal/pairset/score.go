package pairset

import (
	"fmt"
	"slices"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/nbest"
)

// Score compares candidates with references. A word with several targets is right if its first
// candidate is one of them, and its errors are counted relative to the target that is
// relatively closest; pairs are counted one by one.
type Score struct {
	WER, PER      float64 // words and symbols wrong
	Words         int
	Top10         float64 // words with a target among the first ten candidates
	Pair1, Pair10 float64
}

// Report prints the score and sets its keys of the JSON object.
func (s Score) Report(r *program.Run) {
	for _, x := range []struct {
		text, key string
		value     float64
	}{
		{"words wrong            %6.2f %%", "wer", s.WER},
		{"symbols wrong          %6.2f %%", "per", s.PER},
		{"right among ten        %6.2f %% of words", "any10", s.Top10},
		{"pairs right, first     %6.2f %%", "pair1", s.Pair1},
		{"pairs right, among ten %6.2f %%", "pair10", s.Pair10},
	} {
		fmt.Fprintf(r.Out, x.text+"\n", 100*x.value)
		r.Set(x.key, x.value)
	}
	fmt.Fprintln(r.Out)
	r.Set("words", s.Words)
}

// Scored is the number of candidates that are scored.
const Scored = 10

// NewScore compares the candidates of each word, best first, with its targets.
func NewScore(candidates, targets [][][]string) (Score, error) {
	var right, among, pairs, pair1, pair10, symbols int
	var errors float64
	for i, wanted := range targets {
		found := candidates[i][:min(Scored, len(candidates[i]))]
		var first []string
		if len(found) > 0 {
			first = found[0]
		}
		hit, any := false, false
		best, length := 0.0, -1
		for _, target := range wanted {
			pairs++
			switch rank := slices.IndexFunc(found, func(c []string) bool { return slices.Equal(c, target) }); {
			case rank == 0:
				hit = true
				pair1++
				fallthrough
			case rank > 0:
				any = true
				pair10++
			}
			d, err := nbest.EditDistance(first, target)
			if err != nil {
				return Score{}, err
			}
			if length < 0 || d*float64(length) < best*float64(len(target)) {
				best, length = d, len(target)
			}
		}
		if hit {
			right++
		}
		if any {
			among++
		}
		errors += best
		symbols += length
	}
	n, m := float64(len(targets)), float64(pairs)
	return Score{
		WER: float64(len(targets)-right) / n, PER: errors / float64(symbols), Words: len(targets), Top10: float64(among) / n,
		Pair1: float64(pair1) / m, Pair10: float64(pair10) / m,
	}, nil
}
