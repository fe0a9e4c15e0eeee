package wordalign

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/bitext"
	"example.org/pathsum/models/align/gold"
)

// Texts are the texts named by the flags.
type Texts struct {
	train, dev, test files // train has no references
	bitext           *string
	unpaired         *bool
	goldFrom         *string

	// Longest is the number of words above which a training sentence is split into pieces.
	Longest *int
}

// files are names of files.
type files struct{ e, f, gold string }

func (n files) all() bool  { return n.e != "" && n.f != "" && n.gold != "" }
func (n files) none() bool { return n == files{} }

// NewTexts declares the flags of texts: -e, -f, -bitext, -unpaired, -longest, -gold-from, and
// -e, -f and -gold of -dev and -test. The latter require -e or -bitext, which the program must
// declare.
func NewTexts(p *program.Program) *Texts {
	t := &Texts{
		bitext:   p.Input("bitext", "learn from `FILE` instead of -e and -f, with both sentences in a line, e "+bitext.Separator+" f; - for standard input"),
		unpaired: p.Flags.Bool("unpaired", false, "skip the lines that only one of -e and -f has; without it, lengths that differ are an error"),
		goldFrom: NewGoldFrom(p),
		Longest:  p.Flags.Int("longest", 256, "cut sentences of more than `N` words: learn from pieces, align windows along the diagonal"),
	}
	p.InputVar(&t.train.e, "e", "learn from `FILE` instead of the embedded sentences: a sentence of E a line, its words divided by spaces; - for standard input; .gz is read directly")
	p.InputVar(&t.train.f, "f", "and from `FILE`: the translations into F, line by line")
	for _, set := range []struct {
		name, use string
		files     *files
	}{{"dev", "choose the threshold", &t.dev}, {"test", "score the result", &t.test}} {
		p.InputVar(&set.files.e, set.name+"-e", set.use+" with the sentences of E in `FILE`; sentences outside the training text are learned from, too")
		p.InputVar(&set.files.f, set.name+"-f", "and their translations in `FILE`")
		p.InputVar(&set.files.gold, set.name+"-gold", "and their reference alignments in `FILE`: i-j sure, i?j or ipj possible, E first; see -gold-from")
	}
	p.About(program.AboutData, "unpaired longest")
	p.Needs("unpaired", "e")
	p.Check(t.check)
	Within(p, "longest", t.Longest, 4, 4096)
	return t
}

// NewGoldFrom declares -gold-from: see FromZero.
func NewGoldFrom(p *program.Program) *string {
	from := p.Choice("gold-from", "count positions of references from that number; auto is 1 if they can count from 1 alone, and else 0", "auto", "0", "1")
	p.About(program.AboutData, "gold-from")
	return from
}

// Within adds an error if the value of a flag is out of range.
func Within[N int | float64](p *program.Program, flag string, value *N, least, most N) {
	p.Check(func() error {
		if !(*value >= least && *value <= most) {
			return fmt.Errorf("-%s %v: want it from %v to %v", flag, *value, least, most)
		}
		return nil
	})
}

// Embedded reports whether no text is named.
func (t *Texts) Embedded() bool { return t.train.none() && *t.bitext == "" }

// check returns an error if the names are inconsistent.
func (t *Texts) check() error {
	for _, set := range []struct {
		name string
		files
	}{{"dev", t.dev}, {"test", t.test}} {
		if !set.none() && !set.all() {
			return fmt.Errorf("-%[1]s-e, -%[1]s-f and -%[1]s-gold: want all three", set.name)
		}
	}
	switch {
	case !t.train.none() && *t.bitext != "":
		return errors.New("-bitext: want neither -e nor -f")
	case !t.train.none() && (t.train.e == "" || t.train.f == ""):
		return errors.New("-e and -f: want both, or -bitext for a file with both sentences in a line")
	}
	return nil
}

// lines yields the lines of the text. It may be called only once.
func (t *Texts) lines() iter.Seq2[bitext.Line, error] {
	if *t.bitext != "" {
		return bitext.ReadJoinedFile(*t.bitext, &bitext.Options{MaxWords: anyLength})
	}
	return parallel(t.train)
}

// anyLength is an upper bound of the number of words in a line, whose bytes are bounded.
const anyLength = text.MaxLine

// parallel yields the lines of two files. It yields an error if one file has both sentences per
// line, like a file of -bitext, in a line up to the first with words on both sides.
func parallel(names files) iter.Seq2[bitext.Line, error] {
	return func(yield func(bitext.Line, error) bool) {
		known := false
		for l, err := range bitext.ReadFiles(names.e, names.f, &bitext.Options{MaxWords: anyLength}) {
			if !known && err == nil {
				known = len(l.Source) > 0 && len(l.Target) > 0
				switch {
				case slices.Contains(l.Source, bitext.Separator):
					err = &text.Error{File: text.Name(names.e), Line: l.Number, Err: errJoined}
				case slices.Contains(l.Target, bitext.Separator):
					err = &text.Error{File: text.Name(names.f), Line: l.Number, Err: errJoined}
				}
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

var errJoined = errors.New(bitext.Separator + " divides two sentences; such a file is for -bitext, want one sentence a line")

// Judged is sentences with reference alignments.
type Judged struct {
	Sentences  []align.Sentence
	References []gold.Reference
}

// judged reads sentences with references. Every line must be valid.
func (t *Texts) judged(r *program.Run, names files) (j Judged, err error) {
	if names.none() {
		return j, nil
	}
	references, err := gold.Collect(gold.ReadFile(names.gold))
	if err != nil {
		return j, err
	}
	for l, err := range parallel(names) {
		if err == nil {
			err = l.Problem
		}
		if err != nil {
			return j, err
		}
		j.Sentences = append(j.Sentences, l.Sentence)
	}
	if len(j.Sentences) != len(references) {
		return j, fmt.Errorf("%s has %d lines, %s has %d sentences", names.gold, len(references), names.e, len(j.Sentences))
	}
	words := func(i int) (e, f int) { return len(j.Sentences[i].Source), len(j.Sentences[i].Target) }
	if j.References, err = FromZero(r, references, names.gold, *t.goldFrom, words); err != nil {
		return j, err
	}
	for i, reference := range j.References {
		if err := reference.Check(words(i)); err != nil {
			return j, fmt.Errorf("%s:%d: %w", text.Name(names.gold), i+1, err)
		}
	}
	return j, nil
}

// FromZero returns references of a file with positions counted from 0. from is the value of
// -gold-from; words is as in gold.First.
func FromZero(r *program.Run, references []gold.Reference, file, from string, words func(i int) (e, f int)) ([]gold.Reference, error) {
	if from == "auto" {
		switch first, known := gold.First(references, words); {
		case first == 1:
			r.Warn("%s: positions count from 1, as no position is 0 and some last word is numbered so", text.Name(file))
			from = "1"
		case !known:
			r.Warn("%s: no position is 0, and they are taken to count from 0; if they count from 1, give -gold-from 1", text.Name(file))
		}
	}
	if from != "1" {
		return references, nil
	}
	references, err := gold.FromOne(references)
	if err != nil {
		return nil, fmt.Errorf("%s: -gold-from 1: %w", text.Name(file), err)
	}
	return references, nil
}
