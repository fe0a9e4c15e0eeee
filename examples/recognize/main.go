package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"example.org/pathsum/internal/program"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	data, kind, symbols, lexicon, language, align *string
	anySum, trainLanguage                         *bool
	blank, n, width                               *int
	scale, bonus                                  *float64

	lines, strange, test, hands, iterations, workers *int
	seed                                             *uint64
	output, plot, matrix                             *program.Output
}

// Flags that require -data, and flags that exclude it.
const (
	ofData        = "kind any-sum symbols blank lexicon language align n"
	ofHandwriting = "lines strange train-language test-lines hands iterations seed checkpoint plot"
)

func newProgram() *program.Program {
	p := program.New("recognize", "recognize reads lines of handwriting, or a network's output for a line or a recording.",
		"go run ./examples/recognize",
		"go run ./examples/recognize -data line.csv.gz -symbols line.chars.txt -n 5")
	f := &flags{
		data:     p.Data("a row per frame, a column per symbol: CSV, a list of lists in JSON, or .npy of NumPy"),
		kind:     p.Choice("kind", "the kind of numbers in -data: scores before a softmax, logarithms of probabilities, or probabilities", scores, logs, probabilities),
		anySum:   p.Flags.Bool("any-sum", false, "accept logarithms and probabilities whose rows do not sum to 1"),
		symbols:  p.Input("symbols", "read the symbols of the columns of -data from `FILE`: a line with a character for each, or a name a line; the blank may be left out"),
		blank:    p.Flags.Int("blank", -1, "the blank of -data is column `N`, from 0; negative numbers count from the end"),
		lexicon:  p.Input("lexicon", "read only the words of `FILE`, one a line, separated by symbols that are neither letters nor in a word; the spelling of a word may follow after a tab"),
		language: p.Input("language", "read with the n-grams of `FILE`, in ARPA's form: of words with -lexicon, else of symbols, where the space is "+spaceName),
		align:    p.Flags.String("align", "", "find the frames of this `TEXT`, and its loss, instead of the best text"),
		n:        p.Count("n", 1, 1, "find the best `N` texts"),
		width:    p.Count("width", 100, 1, "keep `N` states of the search in each frame"),
		scale:    p.Positive("scale", languageScale, "raise the probabilities of a language model to the power `X`"),
		bonus:    p.Flags.Float64("bonus", languageBonus, "add `X` nats for each symbol that is read with a language model, or each word with -lexicon"),

		lines:         p.Count("lines", 100, 1, "train the network on `N` lines"),
		strange:       p.Count("strange", 40, 0, "train the channel on `N` lines in the hand of the test, without their texts; 0: no channel"),
		trainLanguage: p.Flags.Bool("train-language", false, "train the bigrams of the language as well on the lines of -strange, and read with them, too"),
		test:          p.Count("test-lines", 30, 1, "test with `N` lines in a hand that the network has not learnt"),
		hands:         p.Count("hands", 6, 1, "train the network on lines in `N` hands"),
		iterations:    p.Iterations(80),
		seed:          p.Seed(),
		workers:       p.Workers(),
		output:        p.Output("text<TAB>reading of each test line; with -data text<TAB>posterior<TAB>ln p of each text, with -align symbol<TAB>first frame<TAB>last frame<TAB>ln p<TAB>confidence"),
		plot:          p.Plot("the log likelihood of the network by iteration"),
		matrix:        p.Figure("matrix", "the image of a line above the probabilities of the symbols in each frame, with the symbols read in them"),
	}
	p.Checkpoint()
	p.About(program.AboutData, "kind any-sum symbols blank lines strange train-language test-lines hands")
	p.About(program.AboutModel, "lexicon language scale bonus width")
	p.About(program.AboutAnswers, "align n")
	for name := range strings.FieldsSeq(ofData) {
		p.Needs(name, "data")
	}
	p.Needs("data", "symbols")
	p.Excludes("data", ofHandwriting)
	p.Excludes("align", "lexicon language n scale bonus width")
	p.Check(func() error {
		if *f.trainLanguage && *f.strange == 0 {
			return fmt.Errorf("-train-language: want -strange lines to train on")
		}
		if *f.data == "" || *f.language != "" {
			return nil
		}
		var err error
		p.Flags.Visit(func(x *flag.Flag) {
			if x.Name == "scale" || x.Name == "bonus" {
				err = fmt.Errorf("-%s: want -language as well", x.Name)
			}
		})
		return err
	})
	p.Do(f.run)
	return p
}

// run reads a matrix, or learns to read handwriting.
func (f *flags) run(ctx context.Context, r *program.Run) error {
	if *f.data != "" {
		return f.read(ctx, r)
	}
	h, err := f.newHandwriting()
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "%d lines in %d hands to learn from, %d lines of another hand to be read\n\n", len(h.train), *f.hands, len(h.test))
	return h.run(ctx, r)
}
