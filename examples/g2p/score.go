package main

import (
	"slices"

	"example.org/pathsum/models/nbest"
)

// Score says how candidates agree with references. A word with several targets is right
// if its first candidate is one of them, and its errors are those to the one that is
// relatively closest; of pairs each is by itself.
type Score struct {
	WER    float64 `json:"wer"`
	PER    float64 `json:"per"`
	Words  int     `json:"words"`
	Top10  float64 `json:"any10"` // words with a target among the first ten candidates
	Pair1  float64 `json:"pair1"`
	Pair10 float64 `json:"pair10"`
}

// scored is the number of candidates that count.
const scored = 10

// score compares the candidates of each of the words with its targets.
func score(words [][]string, targets map[string][][]string, candidates [][][]string) (Score, error) {
	var right, among, pairs, pair1, pair10, symbols int
	var errors float64
	for i, w := range words {
		found := candidates[i][:min(scored, len(candidates[i]))]
		var first []string
		if len(found) > 0 {
			first = found[0]
		}
		hit, any := false, false
		best, length := 0.0, -1
		for _, target := range targets[key(w)] {
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
	n, m := float64(len(words)), float64(pairs)
	return Score{
		WER: float64(len(words)-right) / n, PER: errors / float64(symbols), Words: len(words), Top10: float64(among) / n,
		Pair1: float64(pair1) / m, Pair10: float64(pair10) / m,
	}, nil
}
