package grammar

// part is what a tree over n words may consist of, and the model has a weight for. Trees
// over the same number of words have the same parts, whatever the words are.
type part struct {
	what what
	x, y int16 // words, or the span of the words x … y−1
	// Without any argument so far on that side, for attach and stop.
	adjacent bool
}

type what uint8

const (
	nothing      what = iota
	root              // x is the root
	stopLeft          // x takes no more arguments
	stopRight         //
	attach            // x takes one more, y
	yieldRatio        // the yield of a constituent, relative to a distituent's
	contextRatio      // likewise its context
	yieldBase         // the yield of a span that is no constituent unless it must be
	contextBase       // likewise its context
)

// ofHeads reports whether it is a part that the DMV has a weight for, not the CCM.
func (w what) ofHeads() bool { return w <= attach }

// parts returns the parts of trees over n words.
func (k Kind) parts(n int) []part {
	var list []part
	for x := range int16(n) {
		if !k.hasHeads() {
			break
		}
		list = append(list, part{what: root, x: x})
		for _, adjacent := range []bool{true, false} {
			list = append(list, part{stopLeft, x, 0, adjacent}, part{stopRight, x, 0, adjacent})
			for y := range int16(n) {
				if y != x {
					list = append(list, part{attach, x, y, adjacent})
				}
			}
		}
	}
	for i := range int16(n + 1) {
		for j := i; k.hasContext() && j <= int16(n); j++ {
			list = append(list, part{what: yieldBase, x: i, y: j}, part{what: contextBase, x: i, y: j})
			if proper(i, j, n) {
				list = append(list, part{what: yieldRatio, x: i, y: j}, part{what: contextRatio, x: i, y: j})
			}
		}
	}
	return list
}

// proper reports whether the span of the words i … j−1 of n may or may not be a
// constituent.
func proper(i, j int16, n int) bool { return j-i > 1 && int(j-i) < n }

// constituent reports whether a span that is not proper is a constituent.
func constituent(i, j int16) bool { return i < j }
