package semiring_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

// Generators. With dyadic numbers of few bits sums of products are exact, so signed weights can
// be compared without cancellation.

func probability(r *rand.Rand) float64 { return r.Float64() * 0.45 }

func dyadic(r *rand.Rand) float64 { return float64(r.IntN(33)-16) / 8 }

func scaledAnywhere(r *rand.Rand) semiring.ScaledFloat {
	return semiring.ScaledFromLog(2000 * (r.Float64() - 0.5))
}

func logProb(r *rand.Rand) semiring.LogProb { return semiring.LogProb(-20 * r.Float64()) }

func cost(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(400)-40) / 16 }

func truth(r *rand.Rand) bool { return r.IntN(2) == 0 }

func number(r *rand.Rand) *big.Int {
	return new(big.Int).Lsh(big.NewInt(r.Int64N(1000)), uint(r.IntN(200)))
}

func TestLaws(t *testing.T) {
	t.Run("Real", func(t *testing.T) { semiringtest.Test(t, semiring.Real{}, probability, nil) })
	t.Run("Real signed", func(t *testing.T) { semiringtest.Test(t, semiring.Real{}, dyadic, nil) })
	t.Run("Scaled", func(t *testing.T) {
		semiringtest.Test(t, semiring.Scaled{}, func(r *rand.Rand) semiring.ScaledFloat {
			return semiring.NewScaled(probability(r))
		}, nil)
	})
	t.Run("Scaled signed", func(t *testing.T) {
		semiringtest.Test(t, semiring.Scaled{}, func(r *rand.Rand) semiring.ScaledFloat {
			return semiring.NewScaled(dyadic(r))
		}, nil)
	})
	t.Run("Scaled everywhere", func(t *testing.T) { semiringtest.Test(t, semiring.Scaled{}, scaledAnywhere, nil) })
	t.Run("Log", func(t *testing.T) { semiringtest.Test(t, semiring.Log{}, logProb, nil) })
	t.Run("Tropical", func(t *testing.T) { semiringtest.Test(t, semiring.Tropical{}, cost, nil) })
	t.Run("Viterbi", func(t *testing.T) { semiringtest.Test(t, semiring.Viterbi{}, scaledAnywhere, nil) })
	t.Run("Bottleneck", func(t *testing.T) {
		semiringtest.Test(t, semiring.Bottleneck{}, func(r *rand.Rand) semiring.Width { return semiring.Width(r.NormFloat64()) }, nil)
	})
	t.Run("Boolean", func(t *testing.T) { semiringtest.Test(t, semiring.Boolean{}, truth, nil) })
	t.Run("Counting with nil", func(t *testing.T) {
		semiringtest.Test(t, semiring.Counting{}, func(r *rand.Rand) *big.Int {
			if r.IntN(3) == 0 {
				return nil
			}
			return big.NewInt(r.Int64N(100))
		}, nil)
	})
	t.Run("Counting", func(t *testing.T) { semiringtest.Test(t, semiring.Counting{}, number, nil) })
	t.Run("Matrices", func(t *testing.T) {
		semiringtest.Test(t, matrices{}, randomMatrix, &semiringtest.Options[matrix]{Near: nearMatrix})
	})
}

func pairOf[A, B any](a func(*rand.Rand) A, b func(*rand.Rand) B) func(*rand.Rand) semiring.Pair[A, B] {
	return func(r *rand.Rand) semiring.Pair[A, B] { return semiring.Pair[A, B]{First: a(r), Second: b(r)} }
}

func TestProductLaws(t *testing.T) {
	realTropical := semiring.Product(semiring.Real{}, semiring.Tropical{})
	semiringtest.Test(t, realTropical, pairOf(probability, cost), nil)
	semiringtest.Test(t, semiring.Product(semiring.Boolean{}, semiring.Boolean{}), pairOf(truth, truth), nil)
	semiringtest.Test(t,
		semiring.Product(realTropical, semiring.Counting{}),
		pairOf(pairOf(probability, cost), number), nil)
	near := func(a, b semiring.Pair[matrix, semiring.LogProb]) bool {
		return nearMatrix(a.First, b.First) && semiring.Log{}.Dist(a.Second, b.Second) < 1e-10
	}
	semiringtest.Test(t, semiring.Product(matrices{}, semiring.Log{}),
		pairOf(randomMatrix, logProb), &semiringtest.Options[semiring.Pair[matrix, semiring.LogProb]]{Near: near})
}

// testExpectation checks an expectation ring on weights ⟨p, p·v⟩. Errors of the
// vector are measured in units of p, by a function that returns the greatest
// component of the difference of two vectors and of the vectors.
func testExpectation[W, V any](t *testing.T, name string, base semiring.Semiring[W], m semiring.Module[W, V],
	mass func(*rand.Rand) W, vector func(*rand.Rand) V, compare func(u, v V, p W) (difference, size float64)) {
	metric, _ := semiring.As[semiring.Metric[W]](base)
	testExpectationNear(t, name, base, m, mass, vector, func(a, b semiring.Expected[W, V]) bool {
		difference, size := compare(a.V, b.V, a.P)
		return metric.Dist(a.P, b.P) < 1e-10 && difference <= 1e-10*(1+size)
	})
}

func testExpectationNear[W, V any](t *testing.T, name string, base semiring.Semiring[W], m semiring.Module[W, V],
	mass func(*rand.Rand) W, vector func(*rand.Rand) V, near func(a, b semiring.Expected[W, V]) bool) {
	t.Run(name, func(t *testing.T) {
		gen := func(r *rand.Rand) semiring.Expected[W, V] {
			p := mass(r)
			return semiring.Expected[W, V]{P: p, V: m.Left(p, vector(r))}
		}
		semiringtest.Test(t, semiring.Expectation(base, m), gen,
			&semiringtest.Options[semiring.Expected[W, V]]{Near: near})
	})
}

func compareReal(u, v, p float64) (difference, size float64) {
	return math.Abs(u - v), max(math.Abs(u), math.Abs(v))
}

func compareLog(u, v, _ semiring.LogProb) (difference, size float64) {
	return semiring.Log{}.Dist(u, v), 0
}

func compareScaled(u, v, p semiring.ScaledFloat) (difference, size float64) {
	if p.IsZero() {
		return semiring.Scaled{}.Dist(u, v), 0
	}
	return math.Abs(u.Sub(v).Div(p).Float64()), math.Abs(u.Div(p).Float64())
}

// compareDense compares by component; components(v) returns all of them.
func compareDense[W, V any](zero W, components func(V) []W, compare func(u, v, p W) (float64, float64)) func(u, v V, p W) (float64, float64) {
	return func(u, v V, p W) (difference, size float64) {
		a, b := components(u), components(v)
		for i := range max(len(a), len(b)) {
			x, y := zero, zero
			if i < len(a) {
				x = a[i]
			}
			if i < len(b) {
				y = b[i]
			}
			d, s := compare(x, y, p)
			difference, size = max(difference, d), max(size, s)
		}
		return difference, size
	}
}

func denseOf[W any](n int, gen func(*rand.Rand) W) func(*rand.Rand) []W {
	return func(r *rand.Rand) []W {
		if r.IntN(4) == 0 {
			return nil
		}
		v := make([]W, n)
		for i := range v {
			v[i] = gen(r)
		}
		return v
	}
}

func sparseOf[W any](n int32, gen func(*rand.Rand) W) func(*rand.Rand) semiring.SparseVector[W] {
	return func(r *rand.Rand) (v semiring.SparseVector[W]) {
		for i := range n {
			if r.IntN(3) == 0 {
				v.Index, v.Value = append(v.Index, i), append(v.Value, gen(r))
			}
		}
		return v
	}
}

func sparseComponents[W any](n int, zero W) func(semiring.SparseVector[W]) []W {
	return func(v semiring.SparseVector[W]) []W {
		all := slices.Repeat([]W{zero}, n)
		for i, index := range v.Index {
			all[index] = v.Value[i]
		}
		return all
	}
}

func same[T any](x T) T { return x }

func TestExpectationLaws(t *testing.T) {
	reals := semiring.Real{}
	scaled := semiring.Scaled{}
	logs := semiring.Log{}
	square := semiring.Semiring[matrix](matrices{})
	zero, none := semiring.ScaledFloat{}, semiring.Log{}.Zero()
	number := func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(probability(r)) }

	testExpectation(t, "Real Scalar", reals, semiring.Scalar(reals), probability, probability, compareReal)
	testExpectation(t, "Real Scalar signed", reals, semiring.Scalar(reals), dyadic, dyadic, compareReal)
	testExpectation(t, "Real Dense", reals, semiring.Dense(reals, 3), probability, denseOf(3, dyadic),
		compareDense(0, same[[]float64], compareReal))
	testExpectation(t, "Real Sparse", reals, semiring.Sparse(reals), probability, sparseOf(9, dyadic),
		compareDense(0, sparseComponents(9, 0.0), compareReal))
	testExpectation(t, "Scaled Scalar", scaled, semiring.Scalar(scaled), scaledAnywhere, number, compareScaled)
	testExpectation(t, "Scaled Sparse", scaled, semiring.Sparse(scaled), scaledAnywhere, sparseOf(9, number),
		compareDense(zero, sparseComponents(9, zero), compareScaled))
	testExpectation(t, "Scaled Dense", scaled, semiring.Dense(scaled, 4), scaledAnywhere, denseOf(4, number),
		compareDense(zero, same[[]semiring.ScaledFloat], compareScaled))
	testExpectation(t, "Log Scalar", logs, semiring.Scalar(logs), logProb, logProb, compareLog)
	testExpectation(t, "Log Dense", logs, semiring.Dense(logs, 2), logProb, denseOf(2, logProb),
		compareDense(none, same[[]semiring.LogProb], compareLog))
	testExpectationNear(t, "Matrices Scalar", square, semiring.Scalar(square), randomMatrix, randomMatrix,
		func(a, b semiring.Expected[matrix, matrix]) bool { return nearMatrix(a.P, b.P) && nearMatrix(a.V, b.V) })
	type expected = semiring.Expected[float64, float64]
	inner := semiring.Expectation(reals, semiring.Scalar(reals))
	near := func(a, b expected) bool { return math.Abs(a.P-b.P)+math.Abs(a.V-b.V) < 1e-9 }
	testExpectationNear(t, "Expectation of Expectation", inner, semiring.Scalar(inner),
		func(r *rand.Rand) expected { return expected{P: probability(r) + 0.05, V: probability(r)} },
		func(r *rand.Rand) expected { return expected{P: probability(r), V: probability(r)} },
		func(a, b semiring.Expected[expected, expected]) bool { return near(a.P, b.P) && near(a.V, b.V) })

	// A base ring whose weights have storage.
	type vector = semiring.Expected[float64, []float64]
	vectors := semiring.Expectation(reals, semiring.Dense(reals, 2))
	nearVector := func(a, b vector) bool {
		difference, _ := compareDense(0, same[[]float64], compareReal)(a.V, b.V, 0)
		return math.Abs(a.P-b.P)+difference < 1e-9
	}
	gen := func(r *rand.Rand) vector {
		return vector{P: probability(r) + 0.05, V: denseOf(2, probability)(r)}
	}
	testExpectationNear(t, "Expectation of Dense", vectors, semiring.Scalar(vectors), gen, gen,
		func(a, b semiring.Expected[vector, vector]) bool { return nearVector(a.P, b.P) && nearVector(a.V, b.V) })
}

// matrices is the ring of 2×2 real matrices, which is not commutative.
type matrices struct{}

type matrix [4]float64

func randomMatrix(r *rand.Rand) matrix {
	return matrix{r.Float64() / 4, r.Float64() / 4, r.Float64() / 4, r.Float64() / 4}
}

func (matrices) Zero() matrix { return matrix{} }
func (matrices) One() matrix  { return matrix{1, 0, 0, 1} }
func (matrices) Plus(a, b matrix) matrix {
	return matrix{a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]}
}
func (matrices) Times(a, b matrix) matrix {
	return matrix{a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3], a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3]}
}
func (matrices) IsZero(a matrix) bool { return a == matrix{} }
func (matrices) Neg(a matrix) matrix  { return matrix{-a[0], -a[1], -a[2], -a[3]} }
func (matrices) Dist(a, b matrix) float64 {
	d := 0.0
	for i := range a {
		d = max(d, semiring.Real{}.Dist(a[i], b[i]))
	}
	return d
}
func (matrices) Reverse(a matrix) matrix { return matrix{a[0], a[2], a[1], a[3]} }

func matrixDistance(a, b matrix) (d float64) {
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

func nearMatrix(a, b matrix) bool { return matrixDistance(a, b) < 1e-10 }

func inverse(a matrix) (matrix, bool) {
	det := a[0]*a[3] - a[1]*a[2]
	return matrix{a[3] / det, -a[1] / det, -a[2] / det, a[0] / det}, math.Abs(det) > 1e-3
}

func (m matrices) Star(a matrix) (matrix, bool) {
	if a[0]+a[1] >= 0.99 || a[2]+a[3] >= 0.99 { // row sums bound the spectral radius
		return matrix{}, false
	}
	return inverse(m.Plus(m.One(), m.Neg(a)))
}
func (m matrices) LDiv(a, b matrix) (matrix, bool) {
	i, ok := inverse(a)
	return m.Times(i, b), ok
}
func (m matrices) RDiv(a, b matrix) (matrix, bool) {
	i, ok := inverse(b)
	return m.Times(a, i), ok
}

// tableRow returns which of the capabilities in the table of the package comment a
// ring has.
func tableRow[W any](s semiring.Semiring[W]) map[string]bool {
	return map[string]bool{
		"Divider":       has[semiring.Divider[W]](s),
		"Ordered":       has[semiring.Ordered[W]](s),
		"Negater":       has[semiring.Negater[W]](s),
		"Probabilistic": has[semiring.Probabilistic[W]](s),
		"Kernel":        has[semiring.Kernel[W]](s),
		"Scatterer":     has[semiring.Scatterer[W]](s),
		"Sweeper":       has[semiring.Sweeper[W]](s),
		"TermSweeper":   has[semiring.TermSweeper[W]](s),
	}
}

func has[C, W any](s semiring.Semiring[W]) bool {
	_, ok := semiring.As[C](s)
	return ok
}

// The table of the package comment is correct. A ring derived from rich parts has all its
// possible capabilities.
func TestDocTable(t *testing.T) {
	cost, scaled := semiring.Semiring[semiring.Cost](semiring.Tropical{}), semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{})
	best, err := semiring.KBest(cost, 2)
	if err != nil {
		t.Fatal(err)
	}
	lex, err := semiring.Lex(cost, cost)
	if err != nil {
		t.Fatal(err)
	}
	second, err := semiring.Expectation2(scaled, semiring.ScalarProduct(scaled))
	if err != nil {
		t.Fatal(err)
	}
	rings := map[string]map[string]bool{
		"Real":         tableRow(semiring.Real{}),
		"Scaled":       tableRow(scaled),
		"Log":          tableRow(semiring.Log{}),
		"Viterbi":      tableRow(semiring.Viterbi{}),
		"Tropical":     tableRow(cost),
		"Bottleneck":   tableRow(semiring.Bottleneck{}),
		"Boolean":      tableRow(semiring.Boolean{}),
		"Counting":     tableRow(semiring.Counting{}),
		"LeftString":   tableRow(semiring.LeftString{}),
		"RightString":  tableRow(semiring.RightString{}),
		"KBest":        tableRow(best),
		"Series":       tableRow(semiring.Series(scaled, 2)),
		"Product":      tableRow(semiring.Product(scaled, scaled)),
		"Lex":          tableRow(lex),
		"Expectation":  tableRow(semiring.Expectation(scaled, semiring.Scalar(scaled))),
		"Expectation2": tableRow(second),
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var head []string
	rows := 0
	for line := range strings.Lines(string(doc)) {
		cell := strings.Fields(strings.TrimPrefix(line, "//"))
		switch {
		case len(cell) > 1 && cell[0] == "ring" && cell[1] == "Divider":
			head = cell
		case len(cell) == 0 || head != nil && len(cell) != len(head):
			if rows > 0 {
				head = nil
			}
		case head != nil:
			rows++
			for i, claim := range cell[1:] {
				if (claim != "-") != rings[cell[0]][head[i+1]] {
					t.Errorf("%s: %s %s", cell[0], head[i+1], claim)
				}
			}
		}
	}
	if rows != len(rings) {
		t.Errorf("%d rows, want %d", rows, len(rings))
	}
}

// narrow is a bounded ring without a Star of its own: the widest of the narrowest places.
type narrow struct{ laws semiring.Laws }

func (narrow) Zero() float64              { return 0 }
func (narrow) One() float64               { return 1 }
func (narrow) Plus(a, b float64) float64  { return max(a, b) }
func (narrow) Times(a, b float64) float64 { return min(a, b) }
func (narrow) IsZero(a float64) bool      { return a == 0 }
func (n narrow) Laws() semiring.Laws      { return n.laws }

func TestRequireClosed(t *testing.T) {
	bounded, err := semiring.RequireClosed(narrow{semiring.Bounded})
	if err != nil {
		t.Fatal(err)
	}
	if star, ok := bounded.Star(.5); star != 1 || !ok {
		t.Errorf("bounded: %g, %t", star, ok)
	}
	if _, err := semiring.RequireClosed(narrow{}); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring of which nothing is known: %v", err)
	}
	closed, err := semiring.RequireClosed(semiring.Real{})
	if err != nil {
		t.Fatal(err)
	}
	if star, ok := closed.Star(.5); star != 2 || !ok {
		t.Errorf("a star of its own: %g, %t", star, ok)
	}
}
