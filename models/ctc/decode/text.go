package decode

import (
	"math"
	"strconv"
	"strings"

	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
	"example.org/pathsum/semiring/graph"
)

// Text is a decoded text.
type Text struct {
	// Labels are the labels that its best alignment writes.
	Labels []int32
	// Text is the text in the names of labels; with a lexicon, of words and separators. Words
	// that follow each other directly have a space between them.
	Text string
	// LogProb is the logarithm of its weight: emissions and models, summed over its alignments.
	LogProb float64
	// Posterior is its weight divided by the sum over all alignments that the search kept.
	Posterior float64
	// Pieces are the labels, and Words the words, in the best alignment. Words are empty if there
	// are neither a lexicon nor separators.
	Pieces, Words []Segment
}

// Segment is a label or a word of a text, with its frames.
type Segment struct {
	// Label is the label of a piece, and 0 for a word.
	Label int32
	// Name is the name of the label, or the word.
	Name string
	// First and Last are its first and last frame, without blanks around it.
	First, Last int
	// Confidence of a label is the posterior probability that it begins in one of these frames, in
	// any text that was kept; of a word of the lexicon, that the word ends in one of them. Of
	// other words it is the least confidence of the labels. It is accurate to 1e-9.
	Confidence float64
}

// read is a label that was read.
type read struct {
	label, symbol int32
	first, last   int
	confidence    float64
	word          float64 // the confidence of the lexicon's word that it completes, or NaN
}

// reads are labels in the order of the frames.
type reads struct {
	list []read
	open bool // the last label may continue
}

// extend adds the labels of a path through a lattice of p, up to the given frame.
func (r *reads) extend(p *product, x *frames.Lattice, path graph.Path[weight], upTo int) {
	from := path.Start
	for _, k := range path.Arcs {
		t := int(x.Frames[from])
		if from = x.Graph.To()[k]; t >= upTo {
			return
		}
		switch {
		case x.Out[k] > 0:
			label, symbol := p.event(x.Out[k])
			r.list = append(r.list, read{label: label, symbol: symbol, first: t, last: t, word: math.NaN()})
			r.open = true
		case x.In[k] == p.d.topology.blank:
			r.open = false
		case r.open:
			r.list[len(r.list)-1].last = t
		}
	}
}

// occurrences computes the probability that a label or symbol is read within given frames of a
// lattice.
type occurrences struct {
	p           *product
	x           *frames.Lattice
	alpha, beta []weight
	total       weight
	offset      []int32 // the first state of frame First+i
	first       int
}

func newOccurrences(p *product, x *frames.Lattice) (*occurrences, error) {
	o := &occurrences{p: p, x: x}
	var err error
	if o.alpha, err = graphs.Forward(x.Graph); err != nil {
		return nil, err
	}
	if o.beta, err = graphs.Backward(x.Graph); err != nil {
		return nil, err
	}
	for _, s := range x.Graph.Starts() {
		o.total = o.total.Add(s.Weight.Mul(o.beta[s.State]))
	}
	o.first = int(x.Frames[0])
	for s, t := range x.Frames {
		for len(o.offset) <= int(t)-o.first {
			o.offset = append(o.offset, int32(s))
		}
	}
	return o, nil
}

// probability returns the probability that an arc of frames first … last satisfies is: 1 minus
// the share of the paths without such an arc.
func (o *occurrences) probability(first, last int, is func(label, symbol int32) bool) (float64, error) {
	first = max(first, o.first)
	lo, hi := o.offset[first-o.first], int32(len(o.x.State))
	ends := o.offset[last+1-o.first]
	if at := last + 2 - o.first; at < len(o.offset) {
		hi = o.offset[at]
	}
	var starts []graph.Start[weight]
	for s := lo; o.x.Frames[s] == int32(first); s++ {
		starts = append(starts, graph.Start[weight]{State: s - lo, Weight: o.alpha[s]})
	}
	final := make([]weight, hi-lo)
	copy(final[ends-lo:], o.beta[ends:hi])
	row, to, of := o.x.Graph.Row(), o.x.Graph.To(), o.x.Graph.Weights()
	a, b := row[lo], row[ends]
	rows, targets, weights := make([]int32, hi-lo+1), make([]int32, b-a), make([]weight, b-a)
	for s := lo; s <= hi; s++ {
		rows[s-lo] = min(row[s], b) - a
	}
	for k := a; k < b; k++ {
		targets[k-a] = to[k] - lo
		if out := o.x.Out[k]; out == 0 || !is(o.p.event(out)) {
			weights[k-a] = of[k]
		}
	}
	g, err := graphs.New(semiring.Scaled{}, rows, targets, weights, starts, final)
	if err != nil {
		return 0, err
	}
	without, err := graphs.PathSum(g)
	if err != nil {
		return 0, err
	}
	if without.Cmp(o.total) > 0 { // by rounding
		without = o.total
	}
	return o.total.Sub(without).Div(o.total).Float64(), nil
}

// judge sets the confidences of the labels from index from on.
func (o *occurrences) judge(r *reads, from int) error {
	labels, begin := o.p.d.topology.labels, 0
	for i := range r.list {
		x := &r.list[i]
		ends := x.symbol > labels
		if i >= from {
			var err error
			if x.confidence, err = o.probability(x.first, x.last, func(label, _ int32) bool { return label == x.label }); err != nil {
				return err
			}
			if words := int32(0); ends {
				words = int32(len(o.p.d.lexicon.words))
				if x.symbol <= labels+words {
					x.word, err = o.probability(r.list[begin].first, x.last, func(_, symbol int32) bool { return symbol == x.symbol })
					if err != nil {
						return err
					}
				}
			}
		}
		if ends || x.symbol == x.label && o.p.d.separates(x.label) {
			begin = i + 1
		}
	}
	return nil
}

// text returns the text of labels.
func (d *Predictor) text(r *reads) Text {
	var t Text
	var name strings.Builder
	labels, begin := d.topology.labels, 0
	word := func(name string, confidence float64, end int) {
		s := Segment{Name: name, First: r.list[begin].first, Last: r.list[end-1].last, Confidence: confidence}
		if math.IsNaN(confidence) {
			s.Confidence = 1
			for _, x := range r.list[begin:end] {
				s.Confidence = min(s.Confidence, x.confidence)
			}
		}
		t.Words = append(t.Words, s)
		begin = end
	}
	for i, x := range r.list {
		t.Labels = append(t.Labels, x.label)
		t.Pieces = append(t.Pieces, Segment{Label: x.label, Name: d.name(x.label), First: x.first, Last: x.last, Confidence: x.confidence})
		switch {
		case d.lexicon == nil && d.separates(x.label):
			if begin < i {
				word(d.names(t.Labels[begin:i]), math.NaN(), i)
			}
			begin = i + 1
		case d.lexicon == nil:
		case x.symbol > labels+int32(len(d.lexicon.words)):
			word(d.names(t.Labels[begin:i+1]), math.NaN(), i+1)
		case x.symbol > labels:
			word(d.lexicon.words[x.symbol-labels-1].name, x.word, i+1)
		case d.separates(x.label):
			begin = i + 1
		}
	}
	if d.lexicon == nil {
		if n := len(r.list); len(d.o.Separators) > 0 && begin < n {
			word(d.names(t.Labels[begin:]), math.NaN(), n)
		}
		t.Text = d.names(t.Labels)
		return t
	}
	symbols := make([]int32, 0, len(r.list))
	for _, x := range r.list {
		if x.symbol > 0 {
			symbols = append(symbols, x.symbol)
		}
	}
	name.WriteString(d.spell(symbols))
	if begin < len(r.list) { // an incomplete word
		rest := t.Labels[begin:]
		if last := len(t.Words); last > 0 && len(d.o.Separators) == 0 {
			name.WriteString(" ")
		}
		if r.list[begin].symbol == 0 { // symbols contain the letters of words that are spelt
			name.WriteString(d.names(rest))
		}
	}
	t.Text = name.String()
	return t
}

// name returns the name of a label, its number if it has no name.
func (d *Predictor) name(label int32) string {
	if d.o.Symbols != nil {
		if s, ok := d.o.Symbols.Name(label); ok {
			return s
		}
	}
	return strconv.Itoa(int(label))
}

// names returns the names of labels, with spaces between numbers.
func (d *Predictor) names(labels []int32) string {
	var b strings.Builder
	for i, l := range labels {
		if d.o.Symbols == nil && i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(d.name(l))
	}
	return b.String()
}

// spell returns the text of symbols.
func (d *Predictor) spell(symbols []int32) string {
	if d.lexicon == nil {
		return d.names(symbols)
	}
	var b strings.Builder
	labels, words := d.topology.labels, int32(len(d.lexicon.words))
	spelling := false
	for i, s := range symbols {
		if i > 0 && !spelling && (len(d.o.Separators) == 0 || d.o.Symbols == nil) || spelling && d.o.Symbols == nil {
			b.WriteString(" ")
		}
		switch {
		case s > labels+words:
			b.WriteString(d.name(s - labels - words))
			spelling = false
		case s > labels:
			b.WriteString(d.lexicon.words[s-labels-1].name)
			spelling = false
		default:
			b.WriteString(d.name(s))
			spelling = !d.separates(s)
		}
	}
	return b.String()
}

// share returns part/total for weights given by logarithms.
func share(part, total float64, factors int) (float64, error) {
	q, err := clamp.LogQuotient(part, total, factors)
	return math.Exp(q), err
}
