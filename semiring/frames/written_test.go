package frames_test

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
	"example.org/pathsum/semiring/graph"
)

// written returns the answers of package graph about the product.
func (m *machine) written(t testing.TB, e *frames.Emissions) (total weight, uses frames.Parts, gamma []float64) {
	t.Helper()
	product, arc, err := m.Product(e)
	if err != nil {
		t.Fatal(err)
	}
	uses, gamma = m.parts(), make([]float64, e.Frames()*m.symbols)
	p, err := graph.Posteriors(product)
	if err != nil {
		t.Fatal(err)
	}
	if p.Total.IsZero() {
		return p.Total, uses, gamma
	}
	for state := range product.NumStates() {
		frame, q := state/m.states, state%m.states
		for k := product.Row()[state]; k < product.Row()[state+1]; k++ {
			uses.Arc[arc[k]] += p.Arc[k]
			if v := m.arcs[arc[k]].Symbol; v != frames.Epsilon {
				gamma[frame*m.symbols+int(v)] += p.Arc[k]
			}
		}
		if frame == e.Frames() {
			uses.Final[q] += p.Final[state]
		}
	}
	for k, start := range product.Starts() {
		uses.Initial[start.State] += p.Start[k]
	}
	return p.Total, uses, gamma
}

// matches compares sums, counts and the best path with the product's.
func (m *machine) matches(t testing.TB, e *frames.Emissions, s *frames.Scratch, tolerance float64) weight {
	t.Helper()
	want, wantUses, wantGamma := m.written(t, e)
	uses, gamma := m.parts(), make([]float64, len(wantGamma))
	total, err := m.Counts(e, 1, uses, gamma, s)
	if err != nil || apart(total, want) > tolerance {
		t.Fatalf("sum %v, %v, want %v", total, err, want)
	}
	if sum, err := m.PathSum(e, s); err != nil || sum != total {
		t.Fatalf("PathSum %v, %v, want %v", sum, err, total)
	}
	if d := farthest(gamma, wantGamma); d > tolerance {
		t.Fatalf("γ is wrong by %v", d)
	}
	if d := farthest(uses.Initial, wantUses.Initial); d > tolerance {
		t.Fatalf("uses of starts are wrong by %v", d)
	}
	if d := farthest(uses.Final, wantUses.Final); d > tolerance {
		t.Fatalf("uses of ends are wrong by %v", d)
	}
	for k, x := range uses.Arc {
		if d := math.Abs(x - wantUses.Arc[k]); !(d <= tolerance*(1+x)) {
			t.Fatalf("uses of arc %d are %v, want %v", k, x, wantUses.Arc[k])
		}
	}
	return total
}

// TestProduct compares with the product, for graphs of any kind and weights up to e^±2000.
func TestProduct(t *testing.T) {
	defer frames.Largest(1 << 20)()
	var s frames.Scratch
	positive := 0
	for seed := range trials.Seeds(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		states := 1 + r.IntN(30)
		shape := shape{
			states: states, symbols: 1 + r.IntN(6), arcs: r.IntN(5*states + 5), epsilon: []float64{0, .3}[r.IntN(2)],
			spread: []float64{1, 30, 800, 2000}[r.IntN(4)], acyclic: r.IntN(3) > 0,
		}
		m := shape.machine(t, r)
		e := noise(t, r, 1+r.IntN(50), m.symbols, []float64{1, 30, 600, 3000}[r.IntN(4)], r.IntN(2) == 0)
		frames.Segment([]int{1 << 20, 100}[r.IntN(2)])
		if total := m.matches(t, e, &s, 1e-11); !total.IsZero() {
			positive++
		}
	}
	if positive < 100 {
		t.Errorf("only %d sums are positive", positive)
	}
}

// TestTranscripts compares with the product for peaky emissions and right, wrong and nearly right
// transcripts, down to e⁻⁴⁰⁰ a symbol.
func TestTranscripts(t *testing.T) {
	defer frames.Largest(1 << 20)()
	var s frames.Scratch
	for seed := range trials.Seeds(24) {
		r := rand.New(rand.NewPCG(seed, 5))
		const symbols = 12
		n := 40 + r.IntN(200)
		labels := randomLabels(r, r.IntN(n/3), symbols)
		e := peaky(t, r, n, symbols, labels, []float64{8, 30, 100, 400}[seed%4])
		frames.Segment([]int{1 << 20, 1000}[r.IntN(2)])
		for name, y := range map[string][]int32{
			"right": labels, "wrong": randomLabels(r, len(labels), symbols), "longer": append(randomLabels(r, n/8, symbols), labels...),
			"shorter": labels[len(labels)/2:], "empty": nil, "too long": randomLabels(r, n+1, symbols),
		} {
			total := chain(t, symbols, y).matches(t, e, &s, 1e-11)
			if total.IsZero() != (name == "too long") {
				t.Errorf("seed %d: %s: sum %v", seed, name, total)
			}
		}
	}
}

// TestMasked compares with the product for emissions of which some are too small for float64 numbers
// beside others.
func TestMasked(t *testing.T) {
	defer frames.Largest(1 << 20)()
	var s frames.Scratch
	for seed := range trials.Seeds(60) {
		r := rand.New(rand.NewPCG(seed, 8))
		const symbols = 12
		n := 5 + r.IntN(60)
		labels := randomLabels(r, r.IntN(n/3+1), symbols)
		e := masked(t, r, peaky(t, r, n, symbols, labels, 10), []float64{150, 500, 700, 1000, 1e5, 1e9}[seed%6])
		frames.Segment([]int{1 << 20, 300}[r.IntN(2)])
		for _, y := range [][]int32{labels, randomLabels(r, len(labels), symbols)} {
			chain(t, symbols, y).matches(t, e, &s, 1e-11)
		}
		shape{states: 9, symbols: symbols, arcs: 60, epsilon: .2, spread: 3, acyclic: true}.machine(t, r).matches(t, e, &s, 1e-11)
	}
}

// TestPeakyIsFast checks that few rows need a new basis, even for wrong transcripts and masked
// symbols.
func TestPeakyIsFast(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	const n, symbols = 500, 30
	labels := randomLabels(r, 100, symbols)
	e := peaky(t, r, n, symbols, labels, 30)
	for name, c := range map[string]struct {
		labels []int32
		e      *frames.Emissions
		most   int
	}{
		"right":  {labels, e, 40},
		"wrong":  {randomLabels(r, 100, symbols), e, 40},
		"masked": {labels, masked(t, r, peaky(t, r, n, symbols, labels, 10), 1e9), 250},
	} {
		e := c.e
		var s frames.Scratch
		m := chain(t, symbols, c.labels)
		if total, err := m.Counts(e, 1, frames.Parts{}, nil, &s); err != nil || total.IsZero() {
			t.Fatal(total, err)
		}
		t.Logf("%s: %d of %d rows", name, s.Bases(), n)
		if s.Bases() > c.most {
			t.Errorf("%s: %d rows of %d were given a basis of their own", name, s.Bases(), n)
		}
	}
}

// TestSegments checks that the bits of results do not depend on which rows are kept.
func TestSegments(t *testing.T) {
	defer frames.Largest(1 << 20)()
	r := rand.New(rand.NewPCG(2, 7))
	for range 20 {
		m := shape{states: 12, symbols: 4, arcs: 40, epsilon: .2, spread: 100, acyclic: true}.machine(t, r)
		e := noise(t, r, 1+r.IntN(90), 4, 100, true)
		var all [2][]float64
		for i, n := range []int{1 << 20, 0} {
			frames.Segment(n)
			gamma := make([]float64, e.Frames()*4)
			total, err := m.Counts(e, 1, frames.Parts{}, gamma, new(frames.Scratch))
			if err != nil {
				t.Fatal(err)
			}
			all[i] = append(gamma, total.Log())
		}
		if !slices.Equal(all[0], all[1]) {
			t.Errorf("%v in segments, %v at once", all[1], all[0])
		}
	}
}

// TestLong compares a million frames with a closed form: a state that is left for another one once.
// The sum over the frame k in which that happens is Σ aᵏ⁻¹·b·cⁿ⁻ᵏ.
func TestLong(t *testing.T) {
	n := trials.Serial(1_000_000)
	const a, b, c = .7, .01, .2
	x := make([]float64, 0, 3*n)
	for range n {
		x = append(x, a, b, c)
	}
	e, err := frames.Probabilities(n, 3, x, &frames.Options{Unnormalized: true})
	if err != nil {
		t.Fatal(err)
	}
	one, zero := semiring.NewScaled(1), weight{}
	m := newMachine(t, 2, 3, []frames.Arc{{From: 0, To: 0, Symbol: 0}, {From: 0, To: 1, Symbol: 1}, {From: 1, To: 1, Symbol: 2}},
		frames.Weights{Initial: []weight{one, zero}, Arc: []weight{one, one, one}, Final: []weight{zero, one}})
	uses, gamma := m.parts(), make([]float64, 3*n)
	total, err := m.Counts(e, 1, uses, gamma, new(frames.Scratch))
	// b·(aⁿ − cⁿ)/(a − c), and cⁿ is negligible compared with aⁿ.
	power := one
	for range n {
		power = power.Mul(semiring.NewScaled(a))
	}
	want := power.Mul(semiring.NewScaled(b / (a - c)))
	d := apart(total, want)
	t.Logf("ln Z = %v, relative error %.1e", total.Log(), d)
	if err != nil || d > 1e-11 {
		t.Errorf("%v, %v, want %v", total, err, want)
	}
	// The number of frames after the change is geometric, of mean (c/a)/(1 − c/a).
	after := (c / a) / (1 - c/a)
	if math.Abs(uses.Arc[2]-after) > 1e-9 || math.Abs(uses.Arc[0]/(float64(n)-1-after)-1) > 1e-11 || math.Abs(uses.Arc[1]-1) > 1e-11 {
		t.Errorf("uses %v, want %v, 1, %v", uses.Arc, float64(n)-1-after, after)
	}
	worst := 0.0
	for t := range n {
		worst = max(worst, math.Abs(gamma[3*t]+gamma[3*t+1]+gamma[3*t+2]-1))
	}
	t.Logf("γ of a frame sums to 1 within %.1e", worst)
	if worst > 1e-11 {
		t.Errorf("γ of a frame sums to 1 within %v only", worst)
	}
}

// TestKnownLikelihood compares with the likelihood of a line of handwriting that others computed. The
// folder PATHSUM_EMISSIONS has its scores, columns and text.
func TestKnownLikelihood(t *testing.T) {
	folder := os.Getenv("PATHSUM_EMISSIONS")
	if folder == "" {
		t.Skip("PATHSUM_EMISSIONS names no folder")
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Trim(string(b), "\n")
	}
	file, err := os.Open(filepath.Join(folder, "line.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	table := csv.NewReader(text)
	table.Comma = ';'
	rows, err := table.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var x []float64
	for _, row := range rows {
		for _, cell := range row[:len(row)-1] {
			number, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			x = append(x, number)
		}
	}
	symbols := len(rows[0]) - 1
	e := scores(t, len(rows), symbols, x, nil)
	columns := []rune(read("line.chars.txt"))
	var labels []int32
	for _, c := range read("line.txt") {
		labels = append(labels, int32(slices.Index(columns, c)))
	}
	total, err := chain(t, symbols, labels).PathSum(e, new(frames.Scratch))
	const want = -28.090721774903226
	if err != nil || math.Abs(total.Log()-want) > 1e-12 {
		t.Errorf("ln P = %v, %v, want %v", total.Log(), err, want)
	}
}
