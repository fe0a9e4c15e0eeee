package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/models/ctc/decode"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring/frames"
)

// Settings that were chosen by a few trials, the seeds of PERFORMANCE.md among them.
const (
	character     = .2 // of the hands that the network learns: see newHand
	order         = 5  // of the n-grams of symbols that read
	languageScale = .5
	languageBonus = 2
	tolerance     = 1e-5 // of the training of the network
	rounds        = 5    // iterations of the training of the channel and the bigrams
)

// handwriting learns to read lines that are drawn, and then reads lines in an unknown hand.
type handwriting struct {
	*flags
	train, strange, test []line
	texts                [][]int32 // to know English by

	network *network
	channel *channel
	bigrams *bigrams // nil without -train-language
}

// habits are letters that the hand of the test writes like others, as some people do.
const habits = "nu ao rv gq"

// newHandwriting draws the lines.
func (f *flags) newHandwriting() (*handwriting, error) {
	rng := rand.New(rand.NewPCG(*f.seed, 0))
	texts := englishLines()
	rng.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	if n := *f.lines + *f.strange + *f.test; n > len(texts) {
		return nil, fmt.Errorf("%d lines in all, want at most %d, which the embedded text has", n, len(texts))
	}
	var hands []*hand
	for range *f.hands {
		hands = append(hands, newHand(rng, character))
	}
	other := newHand(rng, character)
	other.mimic(habits)
	h := &handwriting{flags: f, network: newNetwork()}
	draw := func(n int, hand func(i int) *hand) []line {
		lines := make([]line, n)
		for i := range lines {
			lines[i] = line{texts[i], hand(i).write(texts[i], rng)}
		}
		texts = texts[n:]
		return lines
	}
	one := func(int) *hand { return other }
	h.strange, h.test = draw(*f.strange, one), draw(*f.test, one)
	h.texts = texts
	h.train = draw(*f.lines, func(i int) *hand { return hands[i%len(hands)] })
	return h, nil
}

// language returns the n-grams of the texts that are not to be read.
func (h *handwriting) language(order int) (*ngram.Model, error) {
	return ngram.Fit(order, space, once(h.texts), nil)
}

// once yields texts that were seen once each.
func once(texts [][]int32) iter.Seq2[[]int32, float64] {
	return func(yield func([]int32, float64) bool) {
		for _, t := range texts {
			if !yield(t, 1) {
				return
			}
		}
	}
}

// run trains the network, the channel and the bigrams, and reads the test before and after.
func (h *handwriting) run(ctx context.Context, r *program.Run) error {
	if err := h.learn(ctx, r); err != nil {
		return err
	}
	language, err := h.language(order)
	if err != nil {
		return err
	}
	test, err := h.emissions(h.test)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(*h.seed, 1))
	fmt.Fprintf(r.Out, "%s\n\n", drawn(h.test[rng.IntN(len(h.test))].image))
	readings := []reading{
		{Name: "path", says: "the network alone", options: decode.Options{Topology: topology()}},
		{Name: "language", says: "and the language", options: h.options(topology(), language)},
	}
	if len(h.strange) > 0 {
		if err := h.adapt(ctx, r); err != nil {
			return err
		}
		through, err := h.channel.topology()
		if err != nil {
			return err
		}
		readings = append(readings, reading{Name: "channel", says: "and the channel", options: h.options(through, language)})
		if h.bigrams != nil {
			trained := h.options(through, language)
			if trained.Machine, err = h.bigrams.ratios(h.channel.theta, *h.scale); err != nil {
				return err
			}
			readings = append(readings, reading{Name: "trained", says: "and the trained bigrams", options: trained})
		}
	}
	for i := range readings {
		if err := h.read(ctx, r, test, &readings[i]); err != nil {
			return err
		}
	}
	return h.report(r, test, readings)
}

// options returns the options of a decoder with a language model.
func (h *handwriting) options(t ctc.Topology, language *ngram.Model) decode.Options {
	return decode.Options{
		Topology: t, Language: language, LanguageScale: *h.scale, WordBonus: *h.bonus,
		Beam: frames.BeamOptions{Width: *h.width},
	}
}

// learn trains the network on lines whose texts are known.
func (h *handwriting) learn(ctx context.Context, r *program.Run) error {
	likelihood, err := h.network.likelihood(h.train)
	if err != nil {
		return err
	}
	progress := r.Progress("training", *h.iterations)
	result, err := em.Fit(ctx, likelihood, &em.Options{
		Method: em.LBFGS{}, Iterations: *h.iterations, Tolerance: tolerance, Workers: *h.workers,
		Checkpoint: r.Checkpoint(), Observer: progress.Observe,
	})
	progress.Done()
	if result != nil {
		r.Fitted(result)
		h.network.theta = result.Theta
	}
	if err == nil && h.plot.Given() {
		err = h.plot.Draw(figure.Lines("The network by iteration", "log likelihood, nats", program.Line{First: 1, Values: result.Objective}))
	}
	return err
}

// adapt trains the channel, and with -train-language the bigrams, on lines in the hand of the
// test with unknown texts.
func (h *handwriting) adapt(ctx context.Context, r *program.Run) error {
	var err error
	if h.channel, err = newChannel(); err != nil {
		return err
	}
	language, err := h.stage()
	if err != nil {
		return err
	}
	lines, err := h.emissions(h.strange)
	if err != nil {
		return err
	}
	progress := r.Progress("channel", rounds)
	defer progress.Done()
	result, err := h.channel.fit(ctx, language, lines, &em.Options{
		Iterations: rounds, Tolerance: -1, Workers: *h.workers, Checkpoint: r.Checkpoint("channel"),
		Observer: func(v em.Event) { progress.Step(fmt.Sprintf("objective %.3f", v.Objective)) },
	})
	if err != nil {
		return err
	}
	r.Set("channel_objective", result.Objective)
	return nil
}

// stage returns the language of the lines in the hand of the test: bigrams of the known texts, or
// with -train-language bigrams to be trained.
func (h *handwriting) stage() (cascade.Stage, error) {
	if !*h.trainLanguage {
		language, err := h.language(2)
		if err != nil {
			return nil, err
		}
		return h.channel.writes(language)
	}
	var err error
	if h.bigrams, err = newBigrams(h.channel.params, h.texts); err != nil {
		return nil, err
	}
	return h.bigrams.machine, nil
}

// emissions returns the output of the network for lines.
func (h *handwriting) emissions(lines []line) ([]*frames.Emissions, error) {
	all := make([]*frames.Emissions, len(lines))
	for i, l := range lines {
		var err error
		if all[i], err = h.network.emissions(l.image); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// reading is a way to read, and how the lines of the test were read.
type reading struct {
	Name    string // in the JSON object
	says    string
	options decode.Options

	texts []decode.Text
	cer   float64
}

// read reads the lines of the test.
func (h *handwriting) read(ctx context.Context, r *program.Run, test []*frames.Emissions, by *reading) error {
	by.options.Symbols = symbolNames
	d, err := decode.New(by.options)
	if err != nil {
		return err
	}
	by.texts = make([]decode.Text, len(test))
	err = r.Each(ctx, "", len(test), func(i int) error {
		var texts []decode.Text
		var err error
		if by.options.Language == nil {
			by.texts[i], _, err = d.BestPath(ctx, test[i])
			return err
		}
		if texts, _, err = d.Decode(ctx, test[i], 1); err == nil && len(texts) > 0 {
			by.texts[i] = texts[0]
		}
		return err
	})
	if err != nil {
		return err
	}
	edits, symbols := 0., 0
	for i, t := range by.texts {
		n, err := nbest.EditDistance(t.Labels, h.test[i].text)
		if err != nil {
			return err
		}
		edits, symbols = edits+n, symbols+len(h.test[i].text)
	}
	by.cer = edits / float64(symbols)
	return nil
}

// shown is the number of lines to print with all readings.
const shown = 4

// report prints the readings and their errors, and writes the files of the flags.
func (h *handwriting) report(r *program.Run, test []*frames.Emissions, readings []reading) error {
	var rows [][]string
	for i := range min(shown, len(h.test)) {
		rows = append(rows, []string{"text", spelling(h.test[i].text)})
		for _, by := range readings {
			rows = append(rows, []string{by.says, by.texts[i].Text})
		}
		rows = append(rows, []string{"", ""})
	}
	program.WriteTable(r.Out, rows[:len(rows)-1])
	if h.channel != nil {
		fmt.Fprintf(r.Out, "Letters that the network reads as others in this hand: %s\n\n", h.channel.describe())
	}
	rows, cer := [][]string{{"symbols read wrong", "%"}}, map[string]float64{}
	for _, by := range readings {
		cer[by.Name] = by.cer
		rows = append(rows, []string{by.says, fmt.Sprintf("%.1f", 100*by.cer)})
	}
	program.WriteTable(r.Out, rows)
	r.Set("lines", len(h.train))
	r.Set("strange_lines", len(h.strange))
	r.Set("test_lines", len(h.test))
	r.Set("cer", cer)
	last := readings[len(readings)-1]
	if err := h.draw(newPicture(h.test[0].image, test[0], symbolNames, last.texts[0])); err != nil {
		return err
	}
	return h.output.Write(func(w io.Writer) error {
		for i, l := range h.test {
			if _, err := fmt.Fprintf(w, "%s\t%s\n", spelling(l.text), last.texts[i].Text); err != nil {
				return err
			}
		}
		return nil
	})
}

// describe lists the letters that are read most often as another one, the most frequent first.
func (c *channel) describe() string {
	type misreading struct {
		e, f int32
		p    float64
	}
	var all []misreading
	for e := int32(1); e <= letters; e++ {
		for i, p := range c.rows[e].In(c.theta) {
			if f := int32(i + 1); f != e {
				all = append(all, misreading{e, f, p})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b misreading) int { return cmp.Compare(b.p, a.p) })
	var s string
	for i, m := range all[:5] {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%s as %s %.0f %%", spelling([]int32{m.e}), spelling([]int32{m.f}), 100*m.p)
	}
	return s
}
