package edit

import (
	"math/bits"

	"example.org/pathsum/semiring"
)

// endings are what is known of the strings that go on from a node of a trie.
type endings struct {
	some, every symbols // that occur in some of them, in each of them
	least, most int32   // their lengths
}

// noEndings are those of no string.
var noEndings = endings{every: ^symbols(0), least: 1<<31 - 1}

// symbols is a set of labels, those that are the same modulo 64 being one.
type symbols uint64

func symbolsOf(x []int32) symbols {
	var s symbols
	for _, a := range x {
		s |= 1 << (a % 64)
	}
	return s
}

// less returns the number of symbols in s but not in t.
func (s symbols) less(t symbols) int32 { return int32(bits.OnesCount64(uint64(s &^ t))) }

// add adds a string.
func (e *endings) add(x []int32) {
	s := symbolsOf(x)
	e.some |= s
	e.every &= s
	e.least, e.most = min(e.least, int32(len(x))), max(e.most, int32(len(x)))
}

// The factors of the heuristic: one for each symbol that is still to be written, and one
// for each edit that is certainly still to come. They are guesses, good ones for a
// channel that keeps most symbols.
var (
	outlook = semiring.NewScaled(.4)
	mishap  = semiring.NewScaled(.2)
)

// heuristic estimates, for a string y, with which probability a channel that keeps most
// symbols writes the rest of y.
type heuristic struct {
	rest    []symbols              // per number of symbols written: those after
	outlook []semiring.ScaledFloat // per number of symbols to be written
	mishap  []semiring.ScaledFloat // per number of edits
}

func newHeuristic(y []int32) *heuristic {
	h := &heuristic{rest: make([]symbols, len(y)+1)}
	for n := range h.rest {
		h.rest[n] = symbolsOf(y[n:])
	}
	h.outlook, h.mishap = powers(outlook, len(y)), powers(mishap, maxMishaps)
	return h
}

// maxMishaps is how many certain edits are counted.
const maxMishaps = 10

// powers returns p⁰ … pⁿ.
func powers(p semiring.ScaledFloat, n int) []semiring.ScaledFloat {
	all := make([]semiring.ScaledFloat, n+1)
	all[0] = semiring.NewScaled(1)
	for i := range n {
		all[i+1] = all[i].Mul(p)
	}
	return all
}

// of returns the estimate where the word ends in one of e, and so many symbols have been
// written.
func (h *heuristic) of(e *endings, written int32) semiring.ScaledFloat {
	return h.outlook[len(h.outlook)-1-int(written)].Mul(h.mishap[min(h.edits(e, written), maxMishaps)])
}

// edits returns how many edits there are at least. One mends at most one symbol that is
// only in the word and one that is only in y, and a difference in length of one.
func (h *heuristic) edits(e *endings, written int32) int32 {
	rest := h.rest[written]
	n := int32(len(h.rest)-1) - written
	return max(rest.less(e.some), e.every.less(rest), n-e.most, e.least-n)
}
