// Transliterate trains a model of the transliteration of names into katakana by pipelines. Letters
// become romaji, at most two of them each, and a table maps romaji to katakana. The driver
// reads the names once, for their letters; workers read their shards themselves.
//
// It runs on the prism runner within the process, or on another engine by flags of Beam's SDK. With
// -check it also trains in the process, and compares bits.
//
//	go -C em/beam run ./examples/transliterate
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	// Runners and filesystems that flags and file names can select.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/beam/models"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/semiring/expr"
)

var (
	pairs      = flag.String("pairs", "../../internal/loanwords/pairs.tsv", "the names: letters, a tab, katakana with spaces in between, perhaps a tab and a count")
	romaji     = flag.String("romaji", "../../internal/experiments/katakanacascade/romaji.tsv", "the table: romaji, a tab, katakana with spaces in between")
	dir        = flag.String("dir", "", "the folder that driver and workers share (default: a temporary one of this machine)")
	iterations = flag.Int("iterations", 5, "iterations of EM")
	checkpoint = flag.String("checkpoint", "", "the file from which training goes on after a break")
	check      = flag.Bool("check", true, "train in this process, too, and compare")
)

// names is the registered name of the model, which determines the format of its lines.
const names = "transliterate"

func init() { models.RegisterCascade(names, cascade.Data{}, example) }

func main() {
	flag.Parse()
	log.LogLevel = "error"
	beam.Init()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "transliterate:", err)
		os.Exit(1)
	}
}

// run trains, and reports to out.
func run(ctx context.Context, out io.Writer) (err error) {
	shared := *dir
	if shared == "" {
		if shared, err = os.MkdirTemp("", "pathsum-transliterate-"); err != nil {
			return err
		}
		defer os.RemoveAll(shared)
	}
	m, err := newModel(ctx, *pairs, *romaji)
	if err != nil {
		return err
	}
	text, err := beam.Survey(ctx, shared, nil, *pairs)
	if err != nil {
		return err
	}
	var saved bytes.Buffer
	if err := m.Save(&saved); err != nil {
		return err
	}
	shards := text.Cut(em.NewCut(text.Lines()))
	l, err := beam.New(ctx, beam.Job{Model: names, Saved: saved.Bytes(), Shards: shards, Dir: shared})
	if err != nil {
		return err
	}
	defer l.Close()
	fmt.Fprintf(out, "%d names in %d shards, %d parameters, on %s\n", text.Lines(), len(shards), m.Params.Len(), beam.Runner())
	opts := &em.Options{Start: m.Theta, Iterations: *iterations, Checkpoint: *checkpoint}
	began := time.Now()
	opts.Observer = func(e em.Event) {
		fmt.Fprintf(out, "iteration %d: log likelihood %.4f, %v\n", e.Iteration, e.LogLikelihood, time.Since(began).Round(time.Millisecond))
	}
	got, err := em.Fit(ctx, l, opts)
	if err != nil || !*check {
		return err
	}
	// Use the model that workers have loaded: in a saved model, expressions have another order.
	loaded, err := cascade.Load(&saved)
	if err != nil {
		return err
	}
	opts.Observer, opts.Checkpoint = nil, ""
	want, err := inProcess(ctx, loaded, *pairs, opts)
	if err != nil {
		return err
	}
	if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) {
		return errors.New("θ differs in its bits from θ of a run in one process")
	}
	fmt.Fprintln(out, "θ has the bits of a run in one process.")
	return nil
}

// inProcess trains in this process.
func inProcess(ctx context.Context, m *cascade.Model, file string, opts *em.Options) (*em.Result, error) {
	data := cascade.Data{Strategy: cascade.ByLattice} // as RegisterCascade has it
	for l, err := range all(file).Read(ctx) {
		if err != nil {
			return nil, err
		}
		x, err := example(m, l)
		if err != nil {
			return nil, err
		}
		data.Examples = append(data.Examples, x)
	}
	return m.Problem.Fit(ctx, data, opts)
}

// all returns all lines of a file.
func all(file string) beam.Shard {
	return beam.Shard{Lines: []beam.Range{{File: file, First: 1}}}
}

// newModel returns an untrained model for the letters in a file of names and for a table.
func newModel(ctx context.Context, pairs, romaji string) (*channel.Model, error) {
	letters, roman, kana := fst.NewSymbols(), fst.NewSymbols(), fst.NewSymbols()
	for l, err := range all(pairs).Read(ctx) {
		if err != nil {
			return nil, err
		}
		latin, _, _ := strings.Cut(l.Text, "\t")
		for _, letter := range strings.Split(latin, "") {
			letters.Add(letter)
		}
	}
	p := em.NewParams()
	b := fst.NewBuilder[expr.W](p.Space())
	hub, one := b.AddState(), p.Space().One()
	b.AddStart(hub, one)
	b.SetFinal(hub, one)
	for l, err := range all(romaji).Read(ctx) {
		if err != nil {
			return nil, err
		}
		from, to, _ := strings.Cut(l.Text, "\t")
		in, out := strings.Split(from, ""), strings.Fields(to)
		if from == "" {
			return nil, fmt.Errorf("%s:%d: no romaji", l.File, l.Number)
		}
		s := hub
		for i := range max(len(in), len(out)) {
			a := fst.Arc[expr.W]{Weight: one, To: hub}
			if i < len(in) {
				a.In = roman.Add(in[i])
			}
			if i < len(out) {
				a.Out = kana.Add(out[i])
			}
			if i+1 < max(len(in), len(out)) {
				a.To = b.AddState()
			}
			b.AddArc(s, a)
			s = a.To
		}
	}
	table, err := b.Freeze()
	if err != nil {
		return nil, err
	}
	spread, err := channel.NewFertility(p, "channel", labels(letters), labels(roman),
		channel.FertilityStart{Delete: .1, One: .6, Two: .3, Insert: .02}, em.Multinomial{})
	if err != nil {
		return nil, err
	}
	return channel.New(p, spread.Machine.WithSymbols(letters, roman), table.WithSymbols(roman, kana)), nil
}

// labels returns all labels of a table of symbols but ε.
func labels(s *fst.Symbols) []int32 {
	var labels []int32
	for l := range s.All() {
		if l != fst.Epsilon {
			labels = append(labels, l)
		}
	}
	return labels
}

// example makes an example from a line.
func example(m *cascade.Model, l cascade.Line) (cascade.Example, error) {
	x := cascade.Example{Name: fmt.Sprintf("%s:%d", l.File, l.Number)}
	columns := strings.Split(l.Text, "\t")
	if len(columns) < 2 {
		return x, fmt.Errorf("%d columns, want letters and katakana", len(columns))
	}
	letters, _ := fst.SymbolsOf(m.Stages[0])
	_, kana := fst.SymbolsOf(m.Stages[1])
	from, err := letters.Encode(strings.Split(columns[0], "")...)
	if err != nil {
		return x, err
	}
	to, err := kana.Encode(strings.Fields(columns[1])...)
	if err != nil {
		return x, err
	}
	if len(columns) > 2 {
		count, err := strconv.ParseFloat(columns[2], 64)
		if err != nil {
			return x, err
		}
		x.Weight = em.Times(math.Log2(1 + count))
	}
	x.X, x.Y = cascade.Labels(from...), cascade.Labels(to...)
	return x, nil
}
