package speller

// Asked is the number of suggestions that an Accuracy considers.
const Asked = 10

// Accuracy has the fractions of test pairs whose correct word is the first suggestion, and
// among the first Asked.
type Accuracy struct{ Top1, Top10 float64 }

// Ranked returns the accuracy of a single list of suggestions.
func Ranked(suggestions []string, word string) (a Accuracy) {
	for i, w := range suggestions[:min(Asked, len(suggestions))] {
		if w == word {
			a.Top10 = 1
			if i == 0 {
				a.Top1 = 1
			}
		}
	}
	return a
}

// Mean returns the mean of accuracies.
func Mean(all []Accuracy) (mean Accuracy) {
	n := float64(len(all))
	for _, a := range all {
		mean.Top1, mean.Top10 = mean.Top1+a.Top1/n, mean.Top10+a.Top10/n
	}
	return mean
}

// Right reports whether a pair is a word of the lexicon with itself, for which the word is the
// right answer.
func (s *Speller) Right(p Pair) bool { return p.Word == p.Misspelt && s.known[p.Word] }
