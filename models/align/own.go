package align

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/saved"
)

// own contains the counts of the word pairs of each sentence in the last E step of training, and
// the totals of the following M step. From these, posteriors of a sentence are computed with its
// own counts reduced. Each goroutine writes for its own sentences.
type own struct {
	counts [][]byte     // of each sentence, see put
	total  [2][]float64 // per word of E, of F: links of the last M step, or nil
	file   string       // a checkpoint, written in each M step; "": none
}

// A count is stored in units of 1/wholeLink, rounded down. Counts below leastOwn, the majority, are
// not stored.
const (
	wholeLink = 255
	leastOwn  = .05
)

// keep returns the storage for the counts of sentences in a stage. It returns nil if they are
// useless: the stage is not the last one, its links are not counted by one number for both
// directions and as frequencies, or its E steps are not EM in this process.
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
		!plain && o.Method != nil || o.Restarts > 0 || len(o.Starts) > 0 || o.Distribute != nil {
		return nil
	}
	x := &own{counts: make([][]byte, c.corpus.Len())}
	if o.Checkpoint != "" {
		x.file = o.stageCheckpoint(n) + ".own"
	}
	return x
}

// recorded is a submodel that stores the link counts of its sentences.
type recorded struct {
	agree.Cutter
	own *own
}

func (r recorded) Infer() agree.Inference { return &recording{Inference: r.Cutter.Infer(), own: r.own} }

// recording is an inference of recorded.
type recording struct {
	agree.Inference
	own      *own
	sentence int
}

func (r *recording) Posterior(i int) (agree.Posterior, error) {
	r.sentence = i
	r.own.clear(i) // the sentence may be skipped
	return r.Inference.Posterior(i)
}

func (r *recording) Count(mu []float64, weight float64) {
	r.own.put(r.sentence, mu, weight)
	r.Inference.Count(mu, weight)
}

// links is a law of translations by relative frequencies that returns the number of links of each
// word of E and of F in the last M step.
type links interface {
	em.Law
	totals() [2][]float64
}

// recordedLaw is a law of translations that stores its totals in own, unless own is nil.
type recordedLaw struct {
	links
	own *own
}

// String describes the law.
func (l *recordedLaw) String() string { return fmt.Sprint(l.links) }

// Maximize is the M step.
func (l *recordedLaw) Maximize(theta, counts []float64) error {
	err := l.links.Maximize(theta, counts)
	if err != nil || l.own == nil {
		return err
	}
	return l.own.maximized(l.totals(), theta)
}

// clear deletes the counts of a sentence.
func (x *own) clear(sentence int) { x.counts[sentence] = x.counts[sentence][:0] }

// put sets the counts of a sentence to weight·mu. Each count is stored as the number of cells since
// the last one, followed by the count.
func (x *own) put(sentence int, mu []float64, weight float64) {
	to, last := x.counts[sentence][:0], 0
	for n, p := range mu {
		if c := weight * p; c >= leastOwn {
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

// maximized stores the totals of an M step that set the translations to theta.
func (x *own) maximized(total [2][]float64, theta []float64) error {
	x.total = total
	if x.file == "" {
		return nil
	}
	if err := ownFormat.Save(x.file, fingerprint(theta), &savedOwn{x.counts, x.total}); err != nil {
		return nested.Errorf("align: checkpoint: %w", err)
	}
	return nil
}

// ownFormat is the format of the file of own counts. Its identity is a fingerprint of the
// translations that the M step set.
const ownFormat saved.Format = "pathsum align own counts 2"

type savedOwn struct {
	Counts [][]byte
	Total  [2][]float64
}

// recall completes x after the resumption of a run that had already made its last M step, and
// reports whether x is complete.
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

// remainder is the potentials of a machine for a sentence with a fraction of its own counts
// deleted. It is not safe for concurrent use.
type remainder struct {
	machine *machine
	total   [2][]float64 // links of all words
	share   float64
	seen    [2][]int32   // the words of the sentence
	place   [2][]int32   // for each word, the first position of an equal one
	counts  []float64    // E×F, links of two words, at these positions
	words   [2][]float64 // their sums, at the first positions
}

// read makes r the remainder of a sentence, whose counts it sums by words. Counts of pairs outside
// the lexicon are ignored.
func (r *remainder) read(m *machine, x *own, sentence int, share float64, slots []int32, words [2][]int32) {
	r.machine, r.total, r.share, r.seen = m, x.total, share, words
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
		if slots[cell] == unknown {
			return
		}
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
// where c is the counts of the sentence and N the counts of all sentences; t⁻(e|f) is defined in
// the same way.
func (r *remainder) gather(dst []float64, slots []int32, _ int) {
	width, floor := len(r.seen[1]), r.machine.floor
	for n, slot := range slots {
		dst[n] = floor * floor
		if slot < 0 {
			continue
		}
		at := [2]int32{r.place[0][n/width], r.place[1][n%width]}
		c := r.share * r.counts[int(at[0])*width+int(at[1])]
		product := 1.0
		for d, i := range at {
			product *= without(r.machine.translations[2*int(slot)+d], r.total[d][r.seen[d][i]], c, r.share*r.words[d][i], floor)
		}
		dst[n] = product
	}
}

// without returns the probability t of a pair after deletion. links is the total of the word; pair
// and word are the sentence's own counts of the pair and of the word.
func without(t, links, pair, word, floor float64) float64 {
	rest := links - word
	if !(rest > 0) {
		return floor
	}
	return max((t*links-pair)/rest, floor)
}
