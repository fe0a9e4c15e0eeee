package main

import (
	"fmt"
	"slices"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, dev, test              *string
	chunks, direction            *string
	normalize, spaced            *string
	apply                        *string
	model                        *program.Model
	output                       *program.Output
	arpa, openfst, phonetisaurus *program.Output
	plot, heatmap                *program.Output
	aligned, matrix              *program.Output
	iterations, workers          *int
	order, best, classes         *int
	discount, prior, sigma       *float64
	swap, conditional, scores    *bool
}

const format = "word<TAB>t a r g e t[<TAB>count], where a pair is learnt from as often as its count says; a column where most lines have a space is cut at spaces, another one into characters; see -spaced for words that are phrases"

func newExperiment() (*program.Program, *experiment) {
	p := program.New("g2p", "g2p learns from pairs how words are pronounced, or transcribed, and does so with others.")
	e := &experiment{
		data:          p.Data(format),
		dev:           p.Input("dev", "choose on the pairs of `FILE` what flags leave open. Without it, every tenth pair of the data is held out if there is something to choose"),
		test:          p.Test("Lines: those of -data. Without -test and -apply, every eighth pair of the data is held out."),
		iterations:    p.Iterations(11),
		workers:       p.Workers(),
		order:         p.Count("order", usualOrder, 0, "`N` of the n-grams of chunks; 0: of 4, 6 and 8 the best on the pairs of -dev; a few hundred of them follow chance"),
		discount:      p.Flags.Float64("discount", usualDiscount, "multiply Kneser-Ney discounts of orders above 1 by `X`; 0: of 1, 1.2 and 1.4 the best on the pairs of -dev"),
		chunks:        p.Flags.String("chunks", "10,01,11", "`LIST` of the sizes of chunks, ab for a symbols of the word with b of the target; several lists, with + between them, for several models, each perhaps with a : and its direction"),
		prior:         p.Flags.Float64("prior", 1, "in alignment, divide the probability of a chunk by e to `X` times its size less 1"),
		direction:     p.Choice("direction", "read words in this direction, or in both, with a model for each", "forward", "backward", "both"),
		normalize:     p.Flags.String("normalize", "", "characters that have parts, such as é or a syllable of Korean, are one symbol (nfc), several (nfd), or what they are in the data (none): one `NAME` of none, nfc, nfd. Without it, the better of nfc and nfd on the pairs of -dev"),
		spaced:        p.Flags.String("spaced", "", "`NAME` of the columns of -data that are cut at spaces: first, second, both or none. Without it, those where most lines have a space; if what stands between the spaces of the first column is mostly of several characters, as the words of phrases are, the better of both on the pairs of -dev"),
		swap:          p.Flags.Bool("swap", false, "learn the way from the second column to the first"),
		conditional:   p.Flags.Bool("conditional", false, "train strengths of features, of the word around each chunk too, for the probability of the target given the word, in some fifteen times the time"),
		classes:       p.Count("classes", 1, 0, "learn `N` models in the place of each, of hidden classes of words: for a dictionary where words are written by different habits; 0: of 1, 2 and 3 the best on the pairs of -dev"),
		sigma:         p.Flags.Float64("sigma", 0, "let the strengths of -conditional have the standard deviation `X` around 0; 0: of .2, .4 and .8 the best on the pairs of -dev, for the first model, or .2 if everything else is set and there is no -dev"),
		plot:          p.Plot("the learning curve of alignment"),
		heatmap:       p.Figure("heatmap", "the learnt chunks of one symbol with one"),
		matrix:        p.Figure("matrix", "the posteriors of the alignment of the longest training pair of at most 20 symbols"),
		aligned:       p.Save("aligned", "write the most probable alignment of each training pair to `FILE`, with the first model, as the aligner of Phonetisaurus does: a|b}x|y for a chunk, _ for nothing"),
		output:        p.Output("word<TAB>candidate<TAB>..., for each test word, or for each line of -apply"),
		apply:         p.Apply("A line is a word; its answer is the word and its candidates, with tabs between."),
		best:          p.Best(10, "to a word, the most probable first"),
		scores:        p.Flags.Bool("scores", false, "write behind each candidate its part of the probability of all candidates that were found; each symbol of the word that no training word has divides it by the number of target symbols and 1"),
		arpa:          p.Save("arpa", "write the n-grams of chunks to `FILE`, in the form of ARPA and as Phonetisaurus names them: a|b}x|y, _ for nothing. -load reads it"),
		openfst:       p.Save("openfst", "write the model as a transducer with symbol tables to `FILE`, in the binary form of OpenFst"),
		phonetisaurus: p.Save("phonetisaurus", "write the model to `FILE` as the transducer that the decoder of Phonetisaurus reads"),
	}
	p.Checkpoint()
	e.model = p.Model("data dev iterations order discount chunks classes sigma prior direction normalize spaced swap conditional checkpoint plot heatmap matrix aligned",
		"apply test arpa openfst phonetisaurus")
	p.Excludes("apply", "test")
	p.Needs("n", "apply o")
	p.Needs("scores", "apply o")
	p.Excludes("conditional", "classes "+exports)
	p.Needs("sigma", "conditional")
	p.Check(func() error {
		switch {
		case *e.classes > maxClasses:
			return fmt.Errorf("-classes %d: want 0 to %d", *e.classes, maxClasses)
		case !(*e.sigma >= 0):
			return fmt.Errorf("-sigma %g: want a number ≥ 0", *e.sigma)
		case !(*e.discount >= 0):
			return fmt.Errorf("-discount %g: want a number ≥ 0", *e.discount)
		}
		if *e.spaced != "" && !slices.Contains(spacings, *e.spaced) {
			return fmt.Errorf("-spaced %s: want first, second, both or none", *e.spaced)
		}
		if *e.normalize != "" {
			if _, err := script.ParseForm(*e.normalize); err != nil {
				return fmt.Errorf("-normalize: %w", err)
			}
		}
		kinds, err := parseKinds(*e.chunks, *e.direction)
		if err == nil && !e.model.Loads() {
			err = e.checkExports(kinds)
		}
		return err
	})
	return p, e
}
