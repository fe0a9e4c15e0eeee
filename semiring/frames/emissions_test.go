package frames_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// TestTwoFrames: two frames of (a .4, blank .6), read as "a" by CTC: .64.
func TestTwoFrames(t *testing.T) {
	e, err := frames.Probabilities(2, 2, []float64{.4, .6, .4, .6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	gamma := make([]float64, 4)
	total, err := chain(t, 2, []int32{0}).Counts(e, 1, frames.Parts{}, gamma, new(frames.Scratch))
	if err != nil || math.Abs(total.Float64()-.64) > 1e-15 {
		t.Fatal(total, err)
	}
	if math.Abs(gamma[0]-.4/.64) > 1e-15 || math.Abs(gamma[3]-.24/.64) > 1e-15 {
		t.Error(gamma)
	}
}

// domains make emissions from numbers, which they can draw at random.
var domains = []struct {
	name   string
	make   func(frames, symbols int, x []float64, o *frames.Options) (*frames.Emissions, error)
	number func(r *rand.Rand) float64
	log    func(row []float64, v int) float64 // ln p
}{
	{"probabilities", frames.Probabilities[float64], func(r *rand.Rand) float64 { return .1 + r.Float64() },
		func(row []float64, v int) float64 { return math.Log(row[v]) }},
	{"logarithms", frames.LogProbabilities[float64], func(r *rand.Rand) float64 { return r.NormFloat64() },
		func(row []float64, v int) float64 { return row[v] }},
	{"scores", frames.Scores[float64], func(r *rand.Rand) float64 { return 3 * r.NormFloat64() },
		func(row []float64, v int) float64 {
			sum := 0.0
			for _, x := range row {
				sum += math.Exp(x)
			}
			return row[v] - math.Log(sum)
		}},
}

// TestWeights compares Log and Weight with κ·(ln p − ln prior).
func TestWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const n, symbols = 7, 4
	for _, d := range domains {
		for _, o := range []frames.Options{{}, {Scale: .3}, {Prior: []float64{.1, 2, .3, 1e-9}}, {Scale: 5, Prior: []float64{.1, .2, .3, .4}}} {
			o.Unnormalized = true
			x := make([]float64, n*symbols)
			for i := range x {
				x[i] = d.number(r)
			}
			e, err := d.make(n, symbols, x, &o)
			if err != nil {
				t.Fatal(err)
			}
			part := e.Slice(2, 5)
			if part.Frames() != 3 || part.Symbols() != symbols {
				t.Fatalf("a slice of %d frames of %d symbols", part.Frames(), part.Symbols())
			}
			for frame := range n {
				for v := range symbols {
					want := d.log(x[frame*symbols:][:symbols], v)
					if o.Prior != nil {
						want -= math.Log(o.Prior[v])
					}
					if o.Scale != 0 {
						want *= o.Scale
					}
					log, w := e.Log(frame, v), e.Weight(frame, v)
					if math.Abs(log-want) > 1e-13*(1+math.Abs(want)) || math.Abs(w.Log()-want) > 1e-13*(1+math.Abs(want)) {
						t.Errorf("%s, %+v: frame %d, symbol %d: %v and %v, want %v", d.name, o, frame, v, log, w.Log(), want)
					}
					if frame >= 2 && frame < 5 && (part.Log(frame-2, v) != log || part.Weight(frame-2, v) != w) {
						t.Errorf("%s: the slice differs in frame %d", d.name, frame)
					}
				}
			}
		}
	}
}

// TestGradient compares derivatives of ln Z by the numbers that emissions are made of with divided
// differences, extrapolated.
func TestGradient(t *testing.T) {
	var s frames.Scratch
	for seed := range trials.Seeds(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		const n, symbols, factor = 4, 3, -2
		m := shape{states: 3, symbols: symbols, arcs: 14, epsilon: .2, spread: 1, acyclic: true}.machine(t, r)
		for _, d := range domains {
			for _, o := range []frames.Options{{}, {Scale: .4}, {Scale: 2, Prior: []float64{.1, .2, 3}}} {
				o.Unnormalized = true
				x := make([]float64, n*symbols)
				for i := range x {
					x[i] = d.number(r)
				}
				sum := func(x []float64) (*frames.Emissions, float64) {
					e, err := d.make(n, symbols, x, &o)
					if err != nil {
						t.Fatal(err)
					}
					z, err := m.PathSum(e, &s)
					if err != nil {
						t.Fatal(err)
					}
					return e, z.Log()
				}
				e, z := sum(x)
				if math.IsInf(z, -1) {
					continue
				}
				gamma, gradient := make([]float64, len(x)), make([]float64, len(x))
				if _, err := m.Counts(e, 1, frames.Parts{}, gamma, &s); err != nil {
					t.Fatal(err)
				}
				e.Gradient(gradient, factor, gamma)
				for i := range x {
					slope := func(h float64) float64 {
						before := x[i]
						x[i] = before + h
						_, up := sum(x)
						x[i] = before - h
						_, down := sum(x)
						x[i] = before
						return (up - down) / (2 * h)
					}
					const h = 1e-3
					if want := factor * (4*slope(h/2) - slope(h)) / 3; math.Abs(gradient[i]-want) > 1e-7*(1+math.Abs(want)) {
						t.Fatalf("seed %d: %s, %+v: derivative %d is %v, want %v", seed, d.name, o, i, gradient[i], want)
					}
				}
			}
		}
	}
}

// TestTinyWeights checks that weights below the range of float64 relative to the others count.
func TestTinyWeights(t *testing.T) {
	x := []float64{0, -5000, math.Inf(-1), -1e9, -1e30}
	e := scores(t, 1, 5, x, nil)
	one := semiring.NewScaled(1)
	for v, l := range x {
		m := newMachine(t, 1, 5, []frames.Arc{{From: 0, To: 0, Symbol: int32(v)}}, frames.Weights{Initial: []weight{one}, Arc: []weight{one}, Final: []weight{one}})
		gamma := make([]float64, 5)
		total, err := m.Counts(e, 1, frames.Parts{}, gamma, new(frames.Scratch))
		if v == 2 || v == 4 { // 0, and 0 by the documentation
			if err != nil || !total.IsZero() {
				t.Errorf("symbol %d: %v, %v", v, total, err)
			}
			continue
		}
		if err != nil || math.Abs(total.Log()-l) > 1e-12*math.Abs(l) || gamma[v] != 1 {
			t.Errorf("symbol %d: ln Z = %v, %v, want %v, γ %v", v, total.Log(), err, l, gamma)
		}
	}
}

func TestFloat32(t *testing.T) {
	e, err := frames.Probabilities(1, 3, []float32{.1, .2, .7}, nil)
	if err != nil || math.Abs(e.Log(0, 1)-math.Log(.2)) > 1e-7 {
		t.Error(e, err)
	}
}

func TestRefusesEmissions(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		domain, frames int
		x              []float64
		o              *frames.Options
		want           error
		text           string
	}{
		"no frames":          {0, 0, nil, nil, semiring.ErrShape, "0 frames"},
		"numbers":            {0, 2, []float64{1, 0, 0}, nil, semiring.ErrShape, "3 numbers for 2 frames of 2 symbols"},
		"NaN":                {2, 2, []float64{0, 0, nan, 0}, nil, semiring.ErrNotFinite, "frame 1: symbol 0"},
		"infinite score":     {2, 1, []float64{0, inf}, nil, semiring.ErrNotFinite, "frame 0: symbol 1"},
		"infinite":           {0, 1, []float64{0, inf}, nil, semiring.ErrNotFinite, "frame 0: symbol 1"},
		"negative":           {0, 1, []float64{1.5, -.5}, nil, semiring.ErrNegative, "frame 0: symbol 1: a probability of -0.5"},
		"sum":                {0, 2, []float64{.5, .5, .5, .2}, nil, nested.ErrInvalid, "frame 1: probabilities sum to 0.7"},
		"sum of logarithms":  {1, 1, []float64{0, 0}, nil, nested.ErrInvalid, "frame 0: probabilities sum to 2"},
		"all 0":              {0, 1, []float64{0, 0}, &frames.Options{Unnormalized: true}, nested.ErrInvalid, "no symbol"},
		"all ln 0":           {2, 1, []float64{-inf, -inf}, nil, nested.ErrInvalid, "no symbol"},
		"scale":              {2, 1, []float64{0, 0}, &frames.Options{Scale: -1}, nested.ErrInvalid, "scale of -1"},
		"scale NaN":          {2, 1, []float64{0, 0}, &frames.Options{Scale: nan}, nested.ErrInvalid, "scale of NaN"},
		"tolerance":          {0, 1, []float64{1, 0}, &frames.Options{Tolerance: -1}, nested.ErrInvalid, "tolerance of -1"},
		"prior of 0":         {2, 1, []float64{0, 0}, &frames.Options{Prior: []float64{1, 0}}, nested.ErrInvalid, "prior of 0 for symbol 1"},
		"length of prior":    {2, 1, []float64{0, 0}, &frames.Options{Prior: []float64{1}}, semiring.ErrShape, "prior of 1"},
		"out of range":       {1, 1, []float64{1e10, 0}, &frames.Options{Unnormalized: true}, semiring.ErrNotFinite, "frame 0"},
		"scale out of range": {2, 1, []float64{0, 0}, &frames.Options{Scale: math.MaxFloat64}, semiring.ErrNotFinite, "frame 0"},
	} {
		_, err := domains[c.domain].make(c.frames, 2, c.x, c.o)
		if !errors.Is(err, c.want) || err == nil || !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), "frames: ") {
			t.Errorf("%s: %v, want %v with %q", name, err, c.want, c.text)
		}
	}
}

func TestPanics(t *testing.T) {
	e := scores(t, 3, 2, make([]float64, 6), nil)
	m := chain(t, 2, []int32{0})
	for name, f := range map[string]func(){
		"empty slice":   func() { e.Slice(1, 1) },
		"slice too far": func() { e.Slice(1, 4) },
		"gradient":      func() { e.Gradient(make([]float64, 6), 1, make([]float64, 5)) },
		"starts": func() {
			m.Counts(e, 1, frames.Parts{Initial: make([]float64, 1)}, nil, new(frames.Scratch))
		},
		"arcs": func() {
			m.HessianVector(e, frames.Parts{}, 1, frames.Parts{Arc: make([]float64, 1)}, frames.Parts{}, new(frames.Scratch))
		},
		"ends": func() {
			m.Counts(e, 1, frames.Parts{Final: make([]float64, 9)}, nil, new(frames.Scratch))
		},
		"gamma": func() {
			m.Counts(e, 1, frames.Parts{}, make([]float64, 5), new(frames.Scratch))
		},
	} {
		func() {
			defer func() {
				if x, ok := recover().(string); !ok || !strings.HasPrefix(x, "frames: ") {
					t.Errorf("%s: panic %v", name, x)
				}
			}()
			f()
		}()
	}
}
