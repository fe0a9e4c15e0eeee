package main

import (
	"fmt"

	"example.org/pathsum/examples/internal/program"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, dev, test          *string
	chunks, direction        *string
	load, decode, checkpoint *string
	output, save             *program.Output
	plot, heatmap            *program.Output
	iterations, workers      *int
	order                    *int
	discount, prior          *float64
	swap, conditional        *bool
	candidates               *int
}

const format = "word<TAB>t a r g e t[<TAB>count], where a pair is learnt from as often as its count says; a column with a space anywhere is cut at spaces, another one into characters"

func newExperiment() (*program.Program, *experiment) {
	p := program.New("g2p", "g2p learns from pairs how words are pronounced, or transcribed, and does so with others.")
	e := &experiment{
		data:        p.Data(format),
		dev:         p.Input("dev", "choose what is not set by flags on the pairs of `FILE`. Without it, every tenth pair of the data is held out if there is something to choose"),
		test:        p.Test("Lines: those of -data. Without -test, every eighth pair of the data is held out."),
		iterations:  p.Iterations(11),
		workers:     p.Workers(),
		order:       p.Flags.Int("order", 0, "`N` of the n-grams of chunks; 0: of 4, 6 and 8 the best on the pairs of -dev"),
		discount:    p.Flags.Float64("discount", 0, "multiply Kneser-Ney discounts of orders above 1 by `X`; 0: of 1, 1.2 and 1.4 the best on the pairs of -dev"),
		chunks:      p.Flags.String("chunks", "10,01,11", "`LIST` of the sizes of chunks, ab for a symbols of the word with b of the target; several lists, with + between them, for several models, each perhaps with a : and its direction"),
		prior:       p.Flags.Float64("prior", 1, "in alignment, divide the probability of a chunk by e to `X` times its size less 1"),
		direction:   p.Choice("direction", "read words in this direction, or in both, with a model for each", "forward", "backward", "both"),
		swap:        p.Flags.Bool("swap", false, "learn the way from the second column to the first"),
		conditional: p.Flags.Bool("conditional", false, "train strengths of features, of the word around each chunk too, for the probability of the target given the word; in some fifteen times the time"),
		candidates:  p.Flags.Int("candidates", 10, "find `N` targets for each word"),
		save:        p.Save("save", "write the models to `FILE`"),
		load:        p.Input("load", "read the models from `FILE` and train none"),
		decode:      p.Input("decode", "transcribe the words of `FILE`, one a line, - for standard input; each gets one line of output"),
		checkpoint:  p.Checkpoint(),
		plot:        p.Plot("the learning curve of alignment"),
		heatmap:     p.Figure("heatmap", "the learnt chunks of one symbol with one"),
		output:      p.Output("word<TAB>first candidate<TAB>..., for each test word"),
	}
	p.Check(func() error {
		switch {
		case *e.order < 0:
			return fmt.Errorf("-order %d: want at least 0", *e.order)
		case !(*e.discount >= 0):
			return fmt.Errorf("-discount %g: want a number ≥ 0", *e.discount)
		case *e.candidates < 1:
			return fmt.Errorf("-candidates %d: want at least 1", *e.candidates)
		}
		_, err := parseKinds(*e.chunks, *e.direction)
		return err
	})
	return p, e
}
