package decode

import (
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// ErrInvalid reports invalid input. It is em.ErrInvalid.
var ErrInvalid = nested.ErrInvalid

// Options are the models and settings of a decoder. Only Topology is required.
type Options struct {
	// Topology relates columns to labels. Each of its arcs reads a column.
	Topology ctc.Topology
	// Symbols names the labels, for Text. If it is nil, texts are the numbers of labels.
	Symbols *fst.Symbols
	// Separators are labels between words, such as a space and punctuation. With a lexicon, words
	// follow each other with one or more separators between them, but not the same separator
	// twice in a row, and separators may begin and end a text; Language does not read them.
	// Without Separators, words follow each other directly.
	Separators []int32
	// Lexicon has the words of a text. If it is empty, a text is any string of labels.
	Lexicon []Entry
	// Language predicts words by their Entry.Symbol, or labels if there is no Lexicon.
	Language *ngram.Model
	// LanguageScale is the exponent of the probabilities of Language. 0 stands for 1.
	LanguageScale float64
	// WordBonus, in nats, is added for each word, or each label if there is no Lexicon.
	WordBonus float64
	// Unknown is the symbol of words in Language and Machine that have no symbol. 0 means that
	// there is no such symbol, and all words must have symbols.
	Unknown int32
	// Letters spells words that are not in Lexicon. nil means that there are no such words.
	Letters *ngram.Model
	// LettersWeight, in nats, is added for each word that Letters spells.
	LettersWeight float64
	// HotWords are expected words.
	HotWords []HotWord
	// Machine is an acceptor of the symbols of words, or of labels if there is no Lexicon. Its
	// weights count in addition to Language. It has one start, no ε arcs, and at most one arc
	// for a label in each state. If it is not frozen, the decoder belongs to one goroutine.
	Machine fst.Machine[semiring.ScaledFloat]
	// Beam has the limits of the search: Width and Margin. Without limits, decoding is exact.
	// With Best, the weight of a text is the weight of its best alignment, not the sum. Ways
	// replaces the bound of the decoder; Heuristic must be nil.
	Beam frames.BeamOptions
	// Work limits the search for the best texts in exact decoding, as a number of visited states
	// of the lattice. 0 stands for 1,000,000.
	Work int
	// Horizon is the number of frames above which a stream, and Decode within limits, fixes the
	// older part of a text and discards its lattice. 0 stands for 1000. See Stream.
	Horizon int
}

// Predictor finds texts in emissions. It is safe for concurrent use.
type Predictor struct {
	o         Options
	topology  *topology
	lexicon   *lexicon // nil: labels
	separator []int32  // per label: its number in Separators + 1, or 0
	hot       *hotLabels
	own       *index
	ownStart  start
	scale     float64
	positions int32    // in the lexicon; 0 if it and the states of the topology are too many
	ahead     []weight // the estimate per position, except in a word that is spelt
	credit    []weight // the estimate per state of hot
	spelt     weight   // estimate for a word that is being spelt
	ways      frames.FutureBound
}

const (
	defaultWork    = 1_000_000
	defaultHorizon = 1000
)

// New returns a decoder. The error wraps ErrInvalid for invalid options, and semiring.ErrLimit if
// the lexicon or a machine is too large. It takes time proportional to the size of the options.
func New(o Options) (*Predictor, error) {
	d, err := newDecoder(o)
	if err != nil {
		return nil, nested.Errorf("decode: %w", err)
	}
	return d, nil
}

func newDecoder(o Options) (*Predictor, error) {
	d := &Predictor{o: o, scale: o.LanguageScale}
	if d.scale == 0 {
		d.scale = 1
	}
	if d.o.Work == 0 {
		d.o.Work = defaultWork
	}
	if d.o.Horizon == 0 {
		d.o.Horizon = defaultHorizon
	}
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	switch {
	case !(d.scale > 0) || !finite(d.scale):
		return nil, nested.Errorf("%w: a scale of the language of %v, want a finite number > 0", ErrInvalid, d.scale)
	case !finite(o.WordBonus) || !finite(o.LettersWeight):
		return nil, nested.Errorf("%w: a bonus of %v for words and of %v for letters, want finite numbers", ErrInvalid, o.WordBonus, o.LettersWeight)
	case o.Beam.Heuristic != nil:
		return nil, nested.Errorf("%w: a heuristic, which the decoder has itself", ErrInvalid)
	case o.Work < 0 || o.Horizon < 0:
		return nil, nested.Errorf("%w: work of %d and a horizon of %d, want numbers ≥ 0", ErrInvalid, o.Work, o.Horizon)
	case len(o.Lexicon) == 0 && o.Letters != nil:
		return nil, nested.Errorf("%w: letters without a lexicon; a language model of labels is Language", ErrInvalid)
	case o.Unknown < 0 || o.Language != nil && o.Unknown > o.Language.Vocabulary():
		return nil, nested.Errorf("%w: the unknown word %d, which the language does not have", ErrInvalid, o.Unknown)
	}
	var err error
	if d.topology, err = newTopology(o.Topology); err != nil {
		return nil, err
	}
	d.separator = make([]int32, d.topology.labels+1)
	for i, l := range o.Separators {
		if l < 1 || l > d.topology.labels || d.separator[l] != 0 {
			return nil, nested.Errorf("separator %d: %w: label %d, want different ones of 1 to %d", i, ErrInvalid, l, d.topology.labels)
		}
		d.separator[l] = int32(i + 1)
	}
	if err := d.readWords(); err != nil {
		return nil, err
	}
	if err := d.readModels(); err != nil {
		return nil, err
	}
	if d.lexicon == nil {
		d.positions = 1
	}
	d.bound()
	return d, nil
}

func (d *Predictor) separates(label int32) bool { return d.separator[label] > 0 }

// readWords makes the lexicon, and the automaton of hot words if there is none.
func (d *Predictor) readWords() (err error) {
	o := &d.o
	if len(o.Lexicon) == 0 {
		if len(o.HotWords) > 0 {
			separates := d.separates
			if len(o.Separators) == 0 {
				separates = nil
			}
			if d.hot, err = newHotLabels(o.HotWords, separates, d.topology.labels); err != nil {
				return err
			}
			for _, x := range d.hot.credit {
				d.credit = append(d.credit, semiring.ScaledFromLog(x))
			}
		}
		return nil
	}
	entries, bonus, known := o.Lexicon, map[string]float64{}, map[string]bool{}
	for _, e := range entries {
		known[e.Word] = true
	}
	entries = entries[:len(entries):len(entries)]
	for i, w := range o.HotWords {
		switch {
		case math.IsNaN(w.Bonus) || math.IsInf(w.Bonus, 0):
			return nested.Errorf("hot word %d, %q: %w: a bonus of %v", i, w.Word, ErrInvalid, w.Bonus)
		case !known[w.Word] && len(w.Labels) == 0:
			return nested.Errorf("hot word %d, %q: %w: no such word in the lexicon, and no labels", i, w.Word, ErrInvalid)
		case !known[w.Word]:
			known[w.Word] = true
			entries = append(entries, Entry{Word: w.Word, Labels: w.Labels})
		}
		bonus[w.Word] += w.Bonus
	}
	if d.lexicon, err = newLexicon(entries, d.topology.labels, d.separates, bonus); err != nil {
		return err
	}
	for i := range d.lexicon.ended {
		e := &d.lexicon.ended[i]
		e.weight = semiring.ScaledFromLog(e.logp)
	}
	return nil
}

// readModels checks Language, Machine and Letters against the words.
func (d *Predictor) readModels() error {
	o := &d.o
	if o.Machine != nil {
		x, err := newIndex(o.Machine, fst.Input)
		if err != nil {
			return nested.Errorf("decode: machine: %w", err)
		}
		starts := x.AppendStarts(nil)
		if len(starts) != 1 {
			return nested.Errorf("decode: machine: %w: %d starts, want one (fst.Determinize makes it one)", ErrInvalid, len(starts))
		}
		for s := range max(len(x.row)-1, 0) {
			arcs := x.arcs[x.row[s]:x.row[s+1]]
			for i, a := range arcs {
				if a.In == fst.Epsilon || i > 0 && a.In == arcs[i-1].In {
					return nested.Errorf("decode: machine: %w: state %d has an ε arc, or two arcs with label %d (fst.Determinize makes it one)", ErrInvalid, s, a.In)
				}
			}
		}
		d.own, d.ownStart = x, starts[0]
	}
	if d.lexicon == nil {
		return nil
	}
	for _, w := range d.lexicon.words {
		symbol := w.symbol
		if symbol == 0 {
			symbol = o.Unknown
		}
		if (o.Language != nil || o.Machine != nil) && symbol == 0 {
			return nested.Errorf("decode: lexicon: %w: the word %q has no symbol, and Unknown has no symbol either", ErrInvalid, w.name)
		}
		if o.Language != nil && symbol > o.Language.Vocabulary() {
			return nested.Errorf("decode: lexicon: %w: the word %q has symbol %d, and the language has 1 to %d", ErrInvalid, w.name, symbol, o.Language.Vocabulary())
		}
	}
	if o.Letters != nil && (o.Language != nil || o.Machine != nil) && o.Unknown == 0 {
		return nested.Errorf("%w: letters spell unknown words, and Unknown is not set", ErrInvalid)
	}
	d.lexicon.lookAhead(d.prior)
	n := d.lexicon.nodes()
	d.ahead = make([]weight, n+1+len(o.Separators))
	for s := range d.ahead {
		if d.ahead[s] = semiring.NewScaled(1); s > 0 && s < n {
			d.ahead[s] = semiring.ScaledFromLog(d.lexicon.ahead[s])
		}
	}
	positions := 2*n + 2 + len(o.Separators)
	if states := len(d.topology.row) - 1; states > 0 && positions <= math.MaxInt32/states {
		d.positions = int32(positions)
	}
	d.spelt = semiring.ScaledFromLog(d.prior(0) + o.LettersWeight)
	return nil
}

// prior returns the logarithm of the weight of a word without context.
func (d *Predictor) prior(symbol int32) float64 {
	logp := d.o.WordBonus
	if d.o.Language != nil {
		if symbol == 0 {
			symbol = d.o.Unknown
		}
		_, p := d.o.Language.Step(0, symbol)
		logp += d.scale * p
	}
	return logp
}

// bound sets the bound of the weights of continuations. See Report.Lost for its assumptions.
func (d *Predictor) bound() {
	if d.o.Beam.FutureBound != (frames.FutureBound{}) {
		d.ways = d.o.Beam.FutureBound
		return
	}
	bonus := d.o.WordBonus
	branches := 0.0 // the words that a label may end, with the continuation
	switch {
	case d.lexicon == nil:
		if d.hot != nil {
			most := 0.0
			for _, b := range d.hot.bonus {
				most = max(most, b)
			}
			bonus += most
		}
	default:
		most := math.Inf(-1)
		for _, e := range d.lexicon.ended {
			most = max(most, e.logp)
		}
		if d.o.Letters != nil {
			most = max(most, d.o.LettersWeight)
		}
		bonus += most
		if d.o.Language != nil && d.scale >= 1 {
			break // the words after a context weigh at most 1, times the bonus
		}
		for s := range d.lexicon.nodes() {
			branches = max(branches, float64(len(d.lexicon.wordsAt(int32(s)))))
		}
		if len(d.o.Separators) == 0 {
			branches++
			if d.o.Letters != nil {
				branches += 2
			}
		}
	}
	factor := math.Exp(max(bonus, 0))
	d.ways = frames.FutureBound{PerString: true, Frame: max(d.topology.most, 1) * factor * max(branches, 1), State: max(d.topology.end, 1) * factor}
}
