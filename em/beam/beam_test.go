package beam_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/beam/models"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// Kinds of models in the tests: cascades by either way, and a cascade that skips examples.
const (
	byLattice = "test by lattice"
	byBlocks  = "test by blocks"
	skipping  = "test skipping"
)

func init() {
	models.RegisterCascade(byLattice, cascade.Data{Strategy: cascade.ByLattice}, example)
	models.RegisterCascade(byBlocks, cascade.Data{Strategy: cascade.ByBlocks}, example)
	models.RegisterCascade(skipping, cascade.Data{Underivable: em.Skip}, example)
}

// role is an environment variable that makes the test program run as another process.
const role = "PATHSUM_BEAM_ROLE"

func TestMain(m *testing.M) {
	log.LogLevel = "error"
	beam.Init()
	if r := os.Getenv(role); r != "" {
		if err := play(r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// example makes an example from a line: labels, a tab, labels, and optionally a tab and a weight.
func example(_ *cascade.Model, l cascade.Line) (cascade.Example, error) {
	columns := strings.Split(l.Text, "\t")
	if len(columns) < 2 {
		return cascade.Example{}, fmt.Errorf("%d columns", len(columns))
	}
	x := cascade.Example{Name: fmt.Sprintf("%s:%d", filepath.Base(l.File), l.Number)}
	for i, side := range []*cascade.Side{&x.X, &x.Y} {
		var labels []int32
		for _, field := range strings.Fields(columns[i]) {
			n, err := strconv.Atoi(field)
			if err != nil {
				return x, err
			}
			labels = append(labels, int32(n))
		}
		*side = cascade.Labels(labels...)
	}
	if len(columns) > 2 {
		weight, err := strconv.ParseFloat(columns[2], 64)
		if err != nil {
			return x, err
		}
		x.Weight = em.Times(weight)
	}
	return x, nil
}

// channel returns a model of strings with errors over n symbols, at its start.
func channel(t testing.TB, n int) *cascade.Model {
	t.Helper()
	params := em.NewParams()
	g := params.Group("edits", (n+1)*(n+1), em.Multinomial{})
	space := params.Space()
	b := fst.NewBuilder[expr.W](space)
	s := b.AddState()
	b.AddStart(s, space.One())
	b.SetFinal(s, g.Weight(0))
	for i := 1; i < (n+1)*(n+1); i++ {
		b.AddArc(s, fst.Arc[expr.W]{In: int32(i / (n + 1)), Out: int32(i % (n + 1)), Weight: g.Weight(i), To: s})
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	m := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{f}})
	m.Theta = params.Random(rand.NewPCG(uint64(n), 1))
	return &m
}

// noisy returns lines of pairs over n symbols, with weights.
func noisy(lines, n int) []string {
	rng := rand.New(rand.NewPCG(uint64(lines), uint64(n)))
	var all []string
	for range lines {
		var in, out []string
		for range 1 + rng.IntN(6) {
			s := rng.IntN(n)
			in = append(in, fmt.Sprint(1+s))
			if rng.IntN(5) > 0 {
				out = append(out, fmt.Sprint(1+(s+1)%n))
			}
		}
		all = append(all, fmt.Sprintf("%s\t%s\t%g", strings.Join(in, " "), strings.Join(out, " "), 1/float64(1+rng.IntN(5))))
	}
	return all
}

// write writes lines to files of a folder; file i gets counts[i] lines.
func write(t testing.TB, dir string, lines []string, counts ...int) []string {
	t.Helper()
	var names []string
	for i, n := range counts {
		name := filepath.Join(dir, fmt.Sprintf("text-%d", i))
		content := []byte(strings.Join(lines[:n], "\n"))
		if n > 0 && i%2 == 0 {
			content = append(content, '\n') // the last line may lack its end
		}
		if i%3 == 1 {
			name += ".gz"
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			w.Write(content)
			w.Close()
			content = b.Bytes()
		}
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		names, lines = append(names, name), lines[n:]
	}
	if len(lines) > 0 {
		t.Fatalf("%d lines are in no file", len(lines))
	}
	return names
}

// surveyed returns the shards of files, cut as in most likelihoods.
func surveyed(t testing.TB, dir string, files ...string) []beam.Shard {
	t.Helper()
	text, err := beam.Survey(context.Background(), dir, nil, files...)
	if err != nil {
		t.Fatal(err)
	}
	return text.Cut(em.NewCut(text.Lines()))
}

// save returns the saved form of a model.
func save(t testing.TB, m *cascade.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// examples returns the examples in the lines of all files.
func examples(t testing.TB, lines []string) []cascade.Example {
	t.Helper()
	var all []cascade.Example
	for i, l := range lines {
		x, err := example(nil, cascade.Line{File: "text", Number: i + 1, Text: l})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	return all
}

// local returns the likelihood of lines in this process.
func local(t testing.TB, m *cascade.Model, lines []string, data cascade.Data) em.Excluder {
	t.Helper()
	data.Examples = examples(t, lines)
	l, err := m.Likelihood(data)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// remote returns the likelihood of a job, which ends with the test.
func remote(t testing.TB, j beam.Job) *beam.Likelihood {
	t.Helper()
	l, err := beam.New(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// sameResult fails the test unless two results have the same bits.
func sameResult(t testing.TB, got, want *em.Result) {
	t.Helper()
	if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) || got.Status != want.Status {
		t.Errorf("other bits: %v, objectives %v\nwant %v, %v", got.Status, got.Objective, want.Status, want.Objective)
	}
}

// growing returns a model of the strings 1:1, with a loop that writes nothing.
func growing(t testing.TB) *cascade.Model {
	t.Helper()
	params := em.NewParams()
	g := params.Group("free", 2, em.Fixed{})
	g.SetStart([]float64{.25, .5})
	space := params.Space()
	b := fst.NewBuilder[expr.W](space)
	s, end := b.AddState(), b.AddState()
	b.AddStart(s, space.One())
	b.SetFinal(end, space.One())
	b.AddArc(s, fst.Arc[expr.W]{In: 1, Out: 1, Weight: g.Weight(0), To: end})
	b.AddArc(s, fst.Arc[expr.W]{Weight: g.Weight(1), To: s})
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	m := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{f}})
	return &m
}
