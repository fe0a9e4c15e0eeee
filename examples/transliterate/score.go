package main

import "example.org/pathsum/models/nbest"

// Accuracy is how well candidates agree with references: the fraction of pairs
// whose first candidate is the reference and of those that have it among their
// first ten, and the edit distance of first candidates from references, per
// character of the references (so that it may exceed 1). A pair without
// candidates counts as if the first one were empty.
type Accuracy struct {
	Top1  float64 `json:"top1"`
	Top10 float64 `json:"top10"`
	CER   float64 `json:"cer"`
}

// score compares the candidates of each pair, best first, with its reference. Each
// pair counts once and by itself: another pair may have the same source and a
// different reference.
func score(references []string, candidates [][]string) (Accuracy, error) {
	var top1, top10, characters int
	var errors float64
	for i, reference := range references {
		first := ""
		for rank, c := range candidates[i] {
			if rank == 0 {
				first = c
			}
			if c == reference && rank < beam {
				top10++
				break
			}
		}
		if first == reference {
			top1++
		}
		d, err := nbest.EditDistance([]rune(first), []rune(reference))
		if err != nil {
			return Accuracy{}, err
		}
		errors += d
		characters += len([]rune(reference))
	}
	n := float64(len(references))
	return Accuracy{float64(top1) / n, float64(top10) / n, errors / float64(characters)}, nil
}
