package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/models/ctc/decode"
	"example.org/pathsum/models/ctc/matrix"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring/frames"
)

// The domains of the numbers of a matrix.
const (
	scores        = "scores"
	logs          = "logs"
	probabilities = "probabilities"
)

// spaceName is the name of the space in a model in ARPA's form, where spaces separate words.
const spaceName = "<space>"

// recording is the output of a network, and the names of its columns.
type recording struct {
	*frames.Emissions
	blank   int
	symbols *fst.Symbols // label v+1 for column v
	letters bool         // names are single characters
}

// recording reads the matrix and the names of its columns.
func (f *flags) recording() (*recording, error) {
	m, err := matrix.Load(*f.data)
	if err != nil {
		return nil, err
	}
	r := &recording{blank: *f.blank}
	if r.blank < 0 {
		r.blank += m.Symbols
	}
	if r.blank < 0 || r.blank >= m.Symbols {
		return nil, fmt.Errorf("-blank %d: %s has %d columns", *f.blank, *f.data, m.Symbols)
	}
	newEmissions := map[string]func(int, int, []float64, *frames.Options) (*frames.Emissions, error){
		scores: frames.Scores[float64], logs: frames.LogProbabilities[float64], probabilities: frames.Probabilities[float64],
	}[*f.kind]
	if r.Emissions, err = newEmissions(m.Frames, m.Symbols, m.Numbers, &frames.Options{Tolerance: .01, Unnormalized: *f.anySum}); err != nil {
		return nil, fmt.Errorf("%s: %w", *f.data, err)
	}
	return r, r.readSymbols(*f.symbols)
}

// readSymbols reads the names of the columns. In a file of one line, each character is a name;
// otherwise each line is a name. The file may omit the blank.
func (r *recording) readSymbols(file string) error {
	var names []string
	for line, err := range text.LinesOf(file) {
		if err != nil {
			return err
		}
		if line.Err != nil {
			return line.Err
		}
		names = append(names, line.Text)
	}
	if len(names) == 1 {
		names = strings.Split(names[0], "")
	}
	if len(names) == r.Symbols()-1 {
		names = slices.Insert(names, r.blank, "<blank>")
	}
	if len(names) != r.Symbols() {
		return fmt.Errorf("%s: %d symbols for %d columns, want a symbol for each, or for each but the blank", file, len(names), r.Symbols())
	}
	r.symbols, r.letters = fst.NewSymbols(), true
	for v, name := range names {
		if name == "" {
			return fmt.Errorf("%s: symbol %d has no name", file, v+1)
		}
		if err := r.symbols.Set(name, int32(v+1)); err != nil {
			return fmt.Errorf("%s: symbol %d: %w", file, v+1, err)
		}
		r.letters = r.letters && (v == r.blank || len([]rune(name)) == 1)
	}
	return nil
}

// labels returns the labels of a text: of its characters or, if symbols have longer names, of the
// names in it, which spaces separate.
func (r *recording) labels(text string) ([]int32, error) {
	names := strings.Fields(text)
	if r.letters {
		names = strings.Split(text, "")
	}
	return r.symbols.Encode(names...)
}

func (r *recording) topology() ctc.Topology { return ctc.Standard(r.Symbols(), r.blank) }

// decoder returns the decoder that the flags ask for.
func (f *flags) decoder(r *recording) (*decode.Predictor, error) {
	o := decode.Options{Topology: r.topology(), Symbols: r.symbols, Beam: frames.BeamOptions{Width: *f.width}}
	words := fst.NewSymbols()
	if *f.lexicon == "" {
		for label := int32(1); label <= int32(r.Symbols()); label++ {
			name, _ := r.symbols.Name(label)
			if name == " " {
				name = spaceName
			}
			if err := words.Set(name, label); err != nil {
				return nil, err
			}
		}
	}
	if *f.language != "" {
		in, err := text.Open(*f.language)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		if o.Language, err = ngram.ReadARPA(in, *f.language, words); err != nil {
			return nil, err
		}
		o.Unknown, _ = words.Find("<unk>")
		o.LanguageScale, o.WordBonus = *f.scale, *f.bonus
	}
	if *f.lexicon != "" {
		if err := f.readLexicon(r, &o, words); err != nil {
			return nil, err
		}
	} else if n := words.Len() - 1; n > r.Symbols() {
		name, _ := words.Name(int32(r.Symbols() + 1))
		return nil, fmt.Errorf("%s: there is no column %s: without -lexicon the language model must be a model of symbols", *f.language, text.Quote(name))
	}
	return decode.New(o)
}

// readLexicon reads the words that a text may have. Symbols that occur in no word and are not
// letters may separate the words.
func (f *flags) readLexicon(r *recording, o *decode.Options, words *fst.Symbols) error {
	inWords := map[int32]bool{int32(r.blank + 1): true}
	for line, err := range text.LinesOf(*f.lexicon) {
		if err != nil {
			return err
		}
		if line.Err != nil {
			return line.Err
		}
		word, spelt, other := strings.Cut(line.Text, "\t")
		if !other {
			spelt = word
		}
		labels, err := r.labels(spelt)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", *f.lexicon, line.Number, err)
		}
		e := decode.Entry{Word: word, Labels: labels}
		e.Symbol, _ = words.Find(word)
		o.Lexicon = append(o.Lexicon, e)
		for _, l := range labels {
			inWords[l] = true
		}
	}
	for label := int32(1); label <= int32(r.Symbols()); label++ {
		name, _ := r.symbols.Name(label)
		if c := []rune(name); !inWords[label] && !unicode.IsLetter(c[0]) {
			o.Separators = append(o.Separators, label)
		}
	}
	return nil
}

// found is a text in the JSON object.
type found struct {
	Text      string  `json:"text"`
	Posterior float64 `json:"posterior"`
	LogProb   float64 `json:"log_prob"`
}

// read finds the texts of a recording.
func (f *flags) read(ctx context.Context, r *program.Run) error {
	rec, err := f.recording()
	if err != nil {
		return err
	}
	r.Set("frames", rec.Frames())
	r.Set("columns", rec.Symbols())
	fmt.Fprintf(r.Out, "%d frames of %d columns\n", rec.Frames(), rec.Symbols())
	if *f.align != "" {
		return f.alignText(r, rec)
	}
	plain, err := decode.New(decode.Options{Topology: rec.topology(), Symbols: rec.symbols})
	if err != nil {
		return err
	}
	path, _, err := plain.BestPath(ctx, rec.Emissions)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "best path: %s\n\n", path.Text)
	r.Set("path", path.Text)
	d, err := f.decoder(rec)
	if err != nil {
		return err
	}
	texts, report, err := d.Decode(ctx, rec.Emissions, *f.n)
	if err != nil {
		return err
	}
	rows := [][]string{{"text", "posterior", "ln p"}}
	var all []found
	for _, t := range texts {
		rows = append(rows, []string{t.Text, fmt.Sprintf("%.4g", t.Posterior), fmt.Sprintf("%.3f", t.LogProb)})
		all = append(all, found{t.Text, t.Posterior, t.LogProb})
	}
	program.WriteTable(r.Out, rows)
	r.Set("texts", all)
	r.Set("exact", report.Exact)
	r.Set("lost", report.Lost)
	if len(texts) > 0 {
		segments := texts[0].Words
		if len(segments) == 0 {
			segments = texts[0].Pieces
		}
		rows := [][]string{{"", "frames", "confidence"}}
		for _, s := range segments {
			rows = append(rows, []string{s.Name, fmt.Sprintf("%d–%d", s.First, s.Last), fmt.Sprintf("%.3f", s.Confidence)})
		}
		program.WriteTable(r.Out, rows)
	}
	if !report.Exact {
		fmt.Fprintf(r.Out, "The search kept texts of ln p %.3f; what it dropped is at most %.3f.\n", report.Kept, report.Lost)
	}
	if err := f.draw(newPicture(nil, rec.Emissions, rec.symbols, texts...)); err != nil {
		return err
	}
	return f.output.Write(func(w io.Writer) error {
		for _, t := range texts {
			if _, err := fmt.Fprintf(w, "%s\t%.6g\t%.6g\n", t.Text, t.Posterior, t.LogProb); err != nil {
				return err
			}
		}
		return nil
	})
}

// alignText finds the frames of a known text.
func (f *flags) alignText(r *program.Run, rec *recording) error {
	labels, err := rec.labels(*f.align)
	if err != nil {
		return fmt.Errorf("-align: %w", err)
	}
	aligner, err := ctc.NewAligner(rec.topology())
	if err != nil {
		return err
	}
	a, err := aligner.Align(rec.Emissions, labels)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "loss −ln p(text) %.6f, p(text) %.8g; best alignment: ln p %.6f\n\n", -a.LogTotal, math.Exp(a.LogTotal), a.LogProb)
	r.Set("loss", -a.LogTotal)
	r.Set("log_prob", a.LogProb)
	rows := [][]string{{"", "frames", "ln p", "confidence"}}
	for _, s := range a.Segments {
		name, _ := rec.symbols.Name(s.Label)
		rows = append(rows, []string{name, fmt.Sprintf("%d–%d", s.First, s.Last), fmt.Sprintf("%.3f", s.LogProb), fmt.Sprintf("%.3f", s.Confidence)})
	}
	program.WriteTable(r.Out, rows)
	t := decode.Text{Text: *f.align}
	for _, s := range a.Segments {
		name, _ := rec.symbols.Name(s.Label)
		t.Pieces = append(t.Pieces, decode.Segment{Label: s.Label, Name: name, First: s.First, Last: s.Last})
	}
	if err := f.draw(newPicture(nil, rec.Emissions, rec.symbols, t)); err != nil {
		return err
	}
	return f.output.Write(func(w io.Writer) error {
		for _, s := range a.Segments {
			name, _ := rec.symbols.Name(s.Label)
			if _, err := fmt.Fprintf(w, "%s\t%d\t%d\t%.6g\t%.6g\n", name, s.First, s.Last, s.LogProb, s.Confidence); err != nil {
				return err
			}
		}
		return nil
	})
}
