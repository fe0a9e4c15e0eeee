package align

import "math"

// Window is a part of a sentence and its translation that are too long to be aligned at once,
// which takes memory in proportion to E·F and to E²: words Source[0] up to Source[1] and those
// of the target that lie about as far along.
type Window struct {
	Source, Target [2]int

	words  [2]int     // of the whole
	decide [2]float64 // from where to where
}

// Pieces cuts a sentence and its translation of so many words into pieces of at most so many
// words, at the same shares of both: what to train on. A word at a cut may be in two pieces.
// It panics if a number is less than 1.
func Pieces(source, target, most int) []Window {
	n := max(1, (max(source, target)+most-1)/most)
	for n > 1 && (max(source, target)+n-1)/n+1 > most && n < max(source, target) {
		n++
	}
	return windows(source, target, most, n, 1/float64(n), 1/float64(n), 0)
}

// Windows covers a sentence and its translation with windows of at most so many words, each
// of which overlaps the next by half: what to align by. Each pair of words that lie about as
// far along, within half a window, is in a window that Decides on it. It panics if a number is
// less than 1, or most is less than 4 and there are more words.
func Windows(source, target, most int) []Window {
	longer := max(source, target)
	if longer <= most {
		return Pieces(source, target, most)
	}
	if most < 4 {
		panic("align: windows of less than 4 words")
	}
	n := (2*longer+most-3)/(most-2) - 1 // windows that reach over a word at each end
	step := 1 / float64(n+1)
	return windows(source, target, most, n, step, 2*step, step/2)
}

// windows returns n windows at a distance, as shares of the whole, of some width. Each
// decides on what is margin away from its ends.
func windows(source, target, most, n int, step, width, margin float64) []Window {
	if min(source, target, most) < 1 {
		panic("align: windows of no words")
	}
	all := make([]Window, n)
	for k := range all {
		w := &all[k]
		from := float64(k) * step
		w.words = [2]int{source, target}
		for side, part := range []*[2]int{&w.Source, &w.Target} {
			// The sum of rounded steps may pass a whole number that it should meet.
			whole := float64(w.words[side])
			part[0] = int(math.Floor(from*whole + 1e-9))
			part[1] = min(int(math.Ceil((from+width)*whole-1e-9)), w.words[side])
		}
		w.decide = [2]float64{from + margin, from + width - margin}
		if k == 0 {
			w.decide[0] = 0
		}
		if k == n-1 {
			w.decide[1] = 1
		}
	}
	for k := 1; k < n; k++ { // to the last bit
		all[k].decide[0] = all[k-1].decide[1]
	}
	return all
}

// Of returns the part of the sentence that the window was made for.
func (w Window) Of(s Sentence) Sentence {
	return Sentence{Source: s.Source[w.Source[0]:w.Source[1]], Target: s.Target[w.Target[0]:w.Target[1]]}
}

// Link returns where a link of the window is in the whole sentence.
func (w Window) Link(l Link) Link { return Link{l.Source + w.Source[0], l.Target + w.Target[0]} }

// Decides reports whether a link of the whole sentence is to be taken from this window: it
// is in the middle, farthest from where words are missing. Of each link at most one decides.
func (w Window) Decides(l Link) bool {
	if l.Source < w.Source[0] || l.Source >= w.Source[1] || l.Target < w.Target[0] || l.Target >= w.Target[1] {
		return false
	}
	along := ((float64(l.Source)+.5)/float64(w.words[0]) + (float64(l.Target)+.5)/float64(w.words[1])) / 2
	return along >= w.decide[0] && along < w.decide[1]
}
