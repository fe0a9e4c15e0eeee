package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/align/bitext"
)

// experiment is what the flags say.
type experiment struct {
	flags             *flag.FlagSet
	train, dev, test  files   // train has no references
	bitext            *string // in place of train
	unpaired          *bool
	longest           *int
	links, reverse    *string
	goldFrom          *string
	combine           *string
	threshold         *float64
	iterations        *int
	workers           *int
	model             *program.Model
	apply             *string
	adapt             *bool
	posteriors        *bool
	scores, invert    *bool
	output            *program.Output
	forward, backward *program.Output
	plot, curve       *program.Output
	settings
}

// settings say what the model is like and how it is trained.
type settings struct {
	how, positions                               *string
	spelling                                     *bool
	null, dirichlet, variational, prune, backoff *float64
	deleted, jumps                               *float64
	classes, reach                               *int
}

// trainingFlags are those that have no effect on a model that is loaded.
const trainingFlags = "train model spelling null dirichlet variational prune classes backoff jumps deleted reach iterations checkpoint plot curve"

func newExperiment() (*program.Program, *experiment) {
	p := program.New("align", "align finds which words of a text correspond to which words of its translation: two\nhidden Markov models, one for each direction, that are trained to agree.")
	names := slices.Sorted(maps.Keys(combinations))
	names = slices.Insert(slices.DeleteFunc(names, func(n string) bool { return n == "average" }), 0, "average")
	x := &experiment{
		flags:      p.Flags,
		combine:    p.Choice("combine", "how to combine their posteriors", names...),
		threshold:  p.Flags.Float64("threshold", 0, "choose links whose posterior is not less than `P`; 0: what is best on the development set, or what the model was saved with, or .5"),
		unpaired:   p.Flags.Bool("unpaired", false, "skip the lines that only one of -e and -f has; without it, lengths that differ are an error"),
		longest:    p.Flags.Int("longest", 256, "align sentences of more than `N` words in windows of N words along the diagonal"),
		bitext:     p.Input("bitext", "learn from `FILE` instead of -e and -f, with both sentences in a line, e "+bitext.Separator+" f; with -load it is new text, to be aligned; - for standard input; .gz is read directly"),
		links:      p.Input("links", "train nothing: combine the alignments in `FILE`, lines such as 0-0 1-2, or 0-0:.9 1-2:.3 for -threshold to choose from"),
		reverse:    p.Input("reverse", "with those of the other direction in `FILE`, also E first"),
		output:     p.Output("the links of a line, such as 0-0 1-2 (E first, positions from 0): of -apply, or of -test-e and -test-f without -test-gold, or else of the text learnt from"),
		forward:    p.Save("forward", "write the links by the direction E→F alone to `FILE`, beside -o"),
		backward:   p.Save("backward", "write the links by the direction F→E alone to `FILE`, beside -o"),
		posteriors: p.Flags.Bool("posteriors", false, "write links with their posteriors: 0-0:0.98 1-2:0.71"),
		scores:     p.Flags.Bool("scores", false, "write two more columns to -o, behind tabs: ln P(f|e) and ln P(e|f), in nats"),
		invert:     p.Flags.Bool("invert", false, "write links with F first"),
		plot:       p.Plot("the posteriors of a sentence with references (or else of a line)"),
		curve:      p.Figure("curve", "the error rate by iteration of the ways to train"),
		iterations: p.Iterations(5),
		workers:    p.Workers(),
		adapt:      p.Flags.Bool("adapt", true, "align new text, with -load or -apply, as if it had been in the text learnt from; with =false as fast as possible, by the model as it is"),
		apply:      p.Apply("A line is e " + bitext.Separator + " f; its answer is links, as in -o."),
		goldFrom:   p.Choice("gold-from", "count the positions of -dev-gold and -test-gold from that number; auto is 1 if they can count from 1 alone, and else 0", "auto", "0", "1"),
		settings:   newSettings(p),
	}
	p.InputVar(&x.train.e, "e", "learn from `FILE` instead of the embedded sentences: a sentence of E a line, its words divided by spaces; with -load it is new text, to be aligned; - for standard input; .gz is read directly")
	p.InputVar(&x.train.f, "f", "and from `FILE`: the translations into F, line by line")
	for _, set := range []struct {
		name, use, gold string
		files           *files
	}{{"dev", "choose the threshold", "and", &x.dev}, {"test", "score the result", "or align without", &x.test}} {
		p.InputVar(&set.files.e, set.name+"-e", set.use+" with the sentences of E in `FILE`; those that the training text lacks are learned from, too")
		p.InputVar(&set.files.f, set.name+"-f", "and their translations in `FILE`")
		p.InputVar(&set.files.gold, set.name+"-gold", set.gold+" their reference alignments in `FILE`: i-j sure, i?j or ipj possible, E first; see -gold-from")
	}
	p.Checkpoint()
	x.model = p.Model(trainingFlags, "apply e bitext dev-e test-e")
	p.Needs("reverse", "links")
	p.Needs("unpaired", "e")
	p.Excludes("links", "forward backward posteriors scores longest apply adapt save load dev-e dev-f dev-gold test-e test-f e f bitext unpaired "+trainingFlags)
	p.Excludes("apply", "plot curve")
	p.Excludes("dirichlet", "variational")
	p.Check(x.check)
	p.Check(x.checkNumbers)
	return p, x
}

func newSettings(p *program.Program) settings {
	return settings{
		how:         p.Choice("train", "how to train the two directions", agreement, independent, product2006, agreement2007),
		positions:   p.Choice("model", "what says which positions words come from", positionNames()...),
		spelling:    p.Flags.Bool("spelling", false, "expect words that begin alike to be translated alike, and to be translations of each other"),
		null:        p.Flags.Float64("null", 0, "let words come from NULL with the probability `P`; 0: one in n+1, for n words to come from"),
		classes:     p.Flags.Int("classes", 0, "let jumps depend on `N` classes of words of each side; 0: with -train agreement 20, 50 in a text of 50,000 lines or more, and else 1"),
		backoff:     p.Flags.Float64("backoff", 0, "count `N` links of each word as its class of -classes has them (default 2 with -train agreement, and else 0)"),
		jumps:       p.Flags.Float64("jumps", 0, "count `N` jumps of each two classes as all jumps from a word of the first one are (default 500 with -train agreement, and else 0)"),
		deleted:     p.Flags.Float64("deleted", 0, "align a sentence learnt from without the share `P` of what it counted itself (default .9 with -train agreement, and else 0)"),
		reach:       p.Flags.Int("reach", 5, "give jumps as far as `N` words a probability of their own, farther ones the same"),
		dirichlet:   p.Flags.Float64("dirichlet", 0, "estimate translations with a Dirichlet prior of parameter `A`, which is more than 1 to smooth them; 0: none"),
		variational: p.Flags.Float64("variational", 0, "estimate translations by variational Bayes with a Dirichlet prior of parameter `A`, which is far less than 1 for few translations of a word; 0: none"),
		prune:       p.Flags.Float64("prune", 0, "leave out pairs of words that are together in less than the share `P` of the places of the rarer one: .02 costs no accuracy"),
	}
}

// agrees reports whether sentences learnt from can be aligned without what they counted.
func (x *experiment) agrees() bool {
	return *x.how == agreement && *x.dirichlet == 0 && *x.variational == 0
}

// embedded reports whether no text to learn from is named.
func (x *experiment) embedded() bool { return x.train == (files{}) && *x.bitext == "" }

// check returns what is wrong with the names of files.
func (x *experiment) check() error {
	switch {
	case *x.links != "":
		return nil
	case *x.deleted > 0 && !x.agrees():
		return errors.New("-deleted: has no effect without -train agreement, or with -dirichlet or -variational")
	case x.embedded() && !x.model.Loads() && (x.dev != (files{}) || x.test != (files{})):
		return errors.New("-dev-… and -test-…: want -e and -f, too")
	case !x.dev.allOrNone():
		return errors.New("-dev-e, -dev-f and -dev-gold: want all three")
	case (x.test.e == "") != (x.test.f == "") || x.test.gold != "" && x.test.e == "":
		return errors.New("-test-e and -test-f: want both, and with -test-gold all three")
	case *x.apply != "" && x.test.e != "" && x.test.gold == "":
		return errors.New("-apply: want no test lines without -test-gold, as both have the same output")
	case x.embedded():
		return nil
	case x.model.Loads() && *x.apply != "":
		return errors.New("-apply: with -load no line learns from others, want neither -e nor -bitext")
	case x.train != (files{}) && *x.bitext != "":
		return errors.New("-bitext: want neither -e nor -f")
	case *x.bitext == "" && (x.train.e == "" || x.train.f == ""):
		return errors.New("-e and -f: want both, or -bitext for a file with both sentences in a line")
	case x.curve.Given() && x.dev == (files{}):
		return errors.New("-curve: want a development set, -dev-…")
	}
	return nil
}

// checkNumbers returns what is wrong with numbers.
func (x *experiment) checkNumbers() error {
	for _, number := range []struct {
		flag        string
		value, most float64
	}{{"threshold", *x.threshold, 1}, {"null", *x.null, .999}, {"prune", *x.prune, .999}, {"backoff", *x.backoff, 1e9}, {"jumps", *x.jumps, 1e9}, {"deleted", *x.deleted, .999}, {"dirichlet", *x.dirichlet, 1e9}, {"variational", *x.variational, 1e9}} {
		if !(number.value >= 0 && number.value <= number.most) {
			return fmt.Errorf("-%s %g: want it from 0 to %g", number.flag, number.value, number.most)
		}
	}
	for _, number := range []struct {
		flag               string
		value, least, most int
	}{{"classes", *x.classes, 0, 250}, {"reach", *x.reach, 1, 255}, {"longest", *x.longest, 4, 4096}} {
		if number.value < number.least || number.value > number.most {
			return fmt.Errorf("-%s %d: want it from %d to %d", number.flag, number.value, number.least, number.most)
		}
	}
	return nil
}

// given reports whether the arguments set a flag.
func (x *experiment) given(name string) bool {
	found := false
	x.flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}
