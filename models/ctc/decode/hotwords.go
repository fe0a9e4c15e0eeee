package decode

import (
	"math"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/nested"
)

// HotWord is an expected word or phrase: each time that it is read, the weight of the text is
// multiplied by e^Bonus.
type HotWord struct {
	// Word is a word, for a decoder with a lexicon. If the lexicon lacks it, it is added with
	// Labels.
	Word string
	// Labels are its spelling. Without a lexicon they define the word, and may include
	// separators.
	Labels []int32
	// Bonus is in nats, and may be negative.
	Bonus float64
}

// hotLabels is the automaton of hot words that are strings of labels (Aho and Corasick 1975).
// State 0 is its root. If there are separators, a boundary is read before and after each of them,
// at the beginning and at the end, and words begin and end with one.
type hotLabels struct {
	separates func(label int32) bool // nil if words may be anywhere
	goTo      keytable.Table[uint64]
	node      []int32   // per key of goTo
	fail      []int32   // the longest proper suffix that is a node
	bonus     []float64 // of the words that end at a node, and at its suffixes
	credit    []float64 // the greatest share of a bonus that has been earned at a node
}

// boundary is the label of a boundary.
const boundary = 0

func newHotLabels(words []HotWord, separates func(label int32) bool, labels int32) (*hotLabels, error) {
	h := &hotLabels{separates: separates, fail: []int32{0}, bonus: []float64{0}, credit: []float64{0}}
	var level [][]int32 // keys by depth
	for i, w := range words {
		switch {
		case len(w.Labels) == 0:
			return nil, nested.Errorf("hot word %d, %q: %w: no labels", i, w.Word, ErrInvalid)
		case math.IsNaN(w.Bonus) || math.IsInf(w.Bonus, 0):
			return nil, nested.Errorf("hot word %d, %q: %w: a bonus of %v", i, w.Word, ErrInvalid, w.Bonus)
		}
		for _, l := range w.Labels {
			if l < 1 || l > labels {
				return nil, nested.Errorf("hot word %d, %q: %w: label %d, want 1 to %d", i, w.Word, ErrInvalid, l, labels)
			}
		}
		s, path := int32(0), h.bounded(w.Labels)
		for d, l := range path {
			k, fresh := h.goTo.Number(keytable.Pair(s, l))
			if fresh {
				h.node, h.fail = append(h.node, int32(len(h.fail))), append(h.fail, 0)
				h.bonus, h.credit = append(h.bonus, 0), append(h.credit, 0)
				if d == len(level) {
					level = append(level, nil)
				}
				level[d] = append(level[d], k)
			}
			s = h.node[k]
			if d+1 < len(path) {
				h.credit[s] = max(h.credit[s], w.Bonus*float64(d)/float64(len(path)))
			}
		}
		h.bonus[s] += w.Bonus
	}
	keys := h.goTo.Keys()
	for _, number := range level {
		for _, k := range number {
			from, l := keytable.Unpair(keys[k])
			n := h.node[k]
			if from != 0 {
				h.fail[n] = h.next(h.fail[from], l)
			}
			h.bonus[n] += h.bonus[h.fail[n]]
		}
	}
	return h, nil
}

// bounded returns labels with their boundaries.
func (h *hotLabels) bounded(labels []int32) []int32 {
	if h.separates == nil {
		return labels
	}
	path := []int32{boundary}
	for _, l := range labels {
		if h.separates(l) {
			path = append(path, boundary, l, boundary)
		} else {
			path = append(path, l)
		}
	}
	return append(path, boundary)
}

// next follows a label, via suffixes if necessary.
func (h *hotLabels) next(state, label int32) int32 {
	for {
		if k := h.goTo.Find(keytable.Pair(state, label)); k >= 0 {
			return h.node[k]
		}
		if state == 0 {
			return 0
		}
		state = h.fail[state]
	}
}

// start returns the state at the start of a text.
func (h *hotLabels) start() int32 {
	if h.separates == nil {
		return 0
	}
	return h.next(0, boundary)
}

// step returns the state after a label and the bonus for it.
func (h *hotLabels) step(state, label int32) (next int32, bonus float64) {
	if h.separates == nil || !h.separates(label) {
		state = h.next(state, label)
		return state, h.bonus[state]
	}
	state = h.next(state, boundary)
	bonus = h.bonus[state]
	return h.next(h.next(state, label), boundary), bonus
}

// end returns the bonus at the end of a text.
func (h *hotLabels) end(state int32) float64 {
	if h.separates == nil {
		return 0
	}
	return h.bonus[h.next(state, boundary)]
}
