package align

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/saved"
)

// own is what each sentence of a text counted of its pairs of words in the last E step of
// training, and the totals of the M step behind it: what it takes to find the posteriors of a
// sentence as if it had counted less of that. Goroutines write each for its own sentences.
type own struct {
	counts [][]byte     // of each sentence, see put
	total  [2][]float64 // per word of E, of F: links of the M step, see Own counts; nil before one
	file   string       // a checkpoint to be written in each M step; "": none
}

// A count is kept in units of 1/wholeLink, rounded down, and not at all if it is less than
// leastOwn: there are few that are more.
const (
	wholeLink = 255
	leastOwn  = .05
)

// keep returns where a stage keeps what sentences count, nil if it is of no use: it is not the
// last one, its links are not counted by one number for both directions and as frequencies, or
// its E steps are not those of EM in this process.
func (m *Model) keep(n int, o *FitOptions, c *cells, p *prior) *own {
	s := o.Stages[n]
	for _, later := range o.Stages[n+1:] {
		if later.Iterations > 0 {
			return nil
		}
	}
	_, frequencies := p.law.(em.Multinomial)
	_, plain := o.Method.(em.EM)
	if m.deleted == 0 || m.decode == Own || s.Counting != Multiplied || !frequencies ||
		!plain && o.Method != nil || o.Restarts > 0 || len(o.Starts) > 0 || o.Via != nil {
		return nil
	}
	x := &own{counts: make([][]byte, c.corpus.Len())}
	if o.Checkpoint != "" {
		x.file = o.stageCheckpoint(n) + ".own"
	}
	return x
}

// keepIn has the M steps of the translations tell x their totals; nil: nobody.
func (m *Model) keepIn(x *own) {
	switch law := m.table.translations.Law().(type) {
	case *translations:
		law.own = x
	case *added:
		law.own = x
	}
}

// clear forgets the counts of a sentence.
func (x *own) clear(sentence int) {
	if x != nil {
		x.counts[sentence] = x.counts[sentence][:0]
	}
}

// put sets the counts of a sentence to weight·mu, but none where the pair is not in the lexicon.
// Of each count there are the number of cells since the last one and the count.
func (x *own) put(sentence int, slots []int32, mu []float64, weight float64) {
	to, last := x.counts[sentence][:0], 0
	for n, p := range mu {
		if c := weight * p; c >= leastOwn && slots[n] != unknown {
			to = append(binary.AppendUvarint(to, uint64(n-last)), uint8(min(c, 1)*wholeLink))
			last = n
		}
	}
	x.counts[sentence] = to
}

// each visits the cells of a sentence that have a count, in links.
func (x *own) each(sentence int, visit func(cell int, count float64)) {
	cell := 0
	for of := x.counts[sentence]; len(of) > 0; {
		skipped, n := binary.Uvarint(of)
		cell += int(skipped)
		visit(cell, float64(of[n])/wholeLink)
		of = of[n+1:]
	}
}

// maximized takes the totals of an M step, which made theta the translations.
func (x *own) maximized(total [2][]float64, theta []float64) error {
	if x == nil {
		return nil
	}
	x.total = total
	if x.file == "" {
		return nil
	}
	if err := ownFormat.Save(x.file, fingerprint(theta), &savedOwn{x.counts, x.total}); err != nil {
		return nested.Errorf("align: checkpoint: %w", err)
	}
	return nil
}

// ownFormat is the format of the file beside a checkpoint, whose identity is of the
// translations that the M step made.
const ownFormat saved.Format = "pathsum align own counts 2"

type savedOwn struct {
	Counts [][]byte
	Total  [2][]float64
}

// recall makes x complete after a run that had its last M step before it was resumed, and
// reports whether it is.
func (x *own) recall(theta []float64) bool {
	if x == nil || x.total[0] != nil {
		return x != nil
	}
	var s savedOwn
	if x.file == "" {
		return false
	}
	found, err := ownFormat.Load(x.file, fingerprint(theta), &s)
	if err != nil || !found || len(s.Counts) != len(x.counts) {
		return false
	}
	x.counts, x.total = s.Counts, s.Total
	return true
}

func fingerprint(theta []float64) string {
	h := sha256.New()
	binary.Write(h, binary.LittleEndian, theta)
	return hex.EncodeToString(h.Sum(nil))
}

// remainder is what is left of the translations of a sentence without a share of its own
// counts. It belongs to one goroutine.
type remainder struct {
	place  [2][]int32   // of each word, the first place of an equal one
	counts []float64    // E×F, links of two words, at these places
	words  [2][]float64 // their sums, at the first places
}

// count sums the counts of a sentence by words.
func (r *remainder) count(x *own, sentence int, words [2][]int32) {
	for side, of := range words {
		r.place[side], r.words[side] = resized(r.place[side], len(of)), resized(r.words[side], len(of))
		clear(r.words[side])
		for i, w := range of {
			first := 0
			for of[first] != w {
				first++
			}
			r.place[side][i] = int32(first)
		}
	}
	width := len(words[1])
	r.counts = resized(r.counts, len(words[0])*width)
	clear(r.counts)
	x.each(sentence, func(cell int, count float64) {
		i, j := r.place[0][cell/width], r.place[1][cell%width]
		r.counts[int(i)*width+int(j)] += count
		r.words[0][i] += count
		r.words[1][j] += count
	})
}

// gather is machine.gather of direction d with translation probabilities
//
//	t⁻(f|e) = max((t(f|e)·N(e) − γ·c(e,f)) / (N(e) − γ·c(e)), floor)
//
// where c is the counts of the sentence and N those of all, and t⁻(e|f) likewise.
func (r *remainder) gather(dst []float64, m *machine, slots []int32, words [2][]int32, total [2][]float64, share float64, d int) {
	width := len(words[1])
	for n, slot := range slots {
		t := [2]float64{m.floor, m.floor}
		if slot >= 0 {
			i, j := r.place[0][n/width], r.place[1][n%width]
			c := share * r.counts[int(i)*width+int(j)]
			t[ef] = without(m.translations[2*int(slot)+ef], total[0][words[0][i]], c, share*r.words[0][i], m.floor)
			t[fe] = without(m.translations[2*int(slot)+fe], total[1][words[1][j]], c, share*r.words[1][j], m.floor)
		}
		dst[n] = t[d] * t[1-d]
	}
}

// without returns the probability of a pair whose word has so many links, less those of a
// sentence: of the pair, and of all of the word.
func without(t, links, pair, word, floor float64) float64 {
	rest := links - word
	if !(rest > 0) {
		return floor
	}
	return max((t*links-pair)/rest, floor)
}
