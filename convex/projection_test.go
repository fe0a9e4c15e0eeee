package convex

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/trials"
)

// withSpectrum returns a random symmetric matrix with the given eigenvalues.
func withSpectrum(rng *rand.Rand, values []float64) []float64 {
	n := len(values)
	a := mat.NewDense(n, n, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	var qr mat.QR
	qr.Factorize(a)
	var q, x mat.Dense
	qr.QTo(&q)
	x.Mul(&q, mat.NewDiagDense(n, values))
	x.Mul(&x, q.T())
	for i := range n {
		for j := range i {
			x.Set(i, j, x.At(j, i))
		}
	}
	return x.RawMatrix().Data
}

// TestProject compares with the projection by a full decomposition, with few and many
// positive eigenvalues, alone, close to each other and equal, and checks the factor.
func TestProject(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 23))
		n := 1 + rng.IntN(30)
		values := make([]float64, n)
		positive := rng.IntN(n + 1)
		for i := range values {
			values[i] = -rng.Float64()
			if i < positive {
				values[i] = math.Exp(3 * rng.NormFloat64())
				if i > 0 && rng.IntN(2) == 0 {
					values[i] = values[i-1] * (1 + math.Pow(10, -float64(rng.IntN(18))))
				}
			}
			if rng.IntN(10) == 0 {
				values[i] = 0
			}
		}
		x := withSpectrum(rng, values)
		if seed%4 == 0 { // of ones in blocks: multiple eigenvalues, and T falls apart
			for i := range n {
				for j := range n {
					x[i*n+j] = 0
					if i%3 == j%3 {
						x[i*n+j] = 1
					}
				}
			}
		}
		b := make([]float64, n*n)
		l := exact(n, x, b)
		var full mat.EigenSym
		if !full.Factorize(mat.NewSymDense(n, x), true) {
			t.Fatal("no eigenvalues")
		}
		var u mat.Dense
		full.VectorsTo(&u)
		want := mat.NewDense(n, n, nil)
		for k, w := range full.Values(nil) {
			if w > 0 {
				var outer mat.Dense
				outer.Outer(w, u.ColView(k), u.ColView(k))
				want.Add(want, &outer)
			}
		}
		scale := math.Max(1, floats.Norm(x, 2))
		if d := floats.Distance(b, want.RawMatrix().Data, math.Inf(1)); !(d <= 1e-11*scale) {
			t.Errorf("seed %d: the projection is off by %g of %g", seed, d, scale)
		}
		product := make([]float64, n*n)
		symmetric(n, 1, l, product)
		if d := floats.Distance(b, product, math.Inf(1)); !(d <= 1e-11*scale) {
			t.Errorf("seed %d: the factor is off by %g of %g", seed, d, scale)
		}
		for i := range l.Rows {
			for j := range i {
				if p := floats.Dot(l.Data[i*n:(i+1)*n], l.Data[j*n:(j+1)*n]); math.Abs(p) > 1e-10*scale {
					t.Errorf("seed %d: rows %d and %d have the product %g", seed, i, j, p)
				}
			}
		}
		if least := least(n, x); least > full.Values(nil)[0]+1e-14*scale || least < full.Values(nil)[0]-1e-12*scale {
			t.Errorf("seed %d: least eigenvalue %g, want %g", seed, least, full.Values(nil)[0])
		}
	}
}

// BenchmarkProject: rank 10, one by one, beside a full decomposition.
func BenchmarkProject(b *testing.B) {
	for _, n := range []int{50, 100, 200} {
		rng := rand.New(rand.NewPCG(1, 24))
		values := make([]float64, n)
		for i := range values {
			values[i] = -rng.Float64()
			if i < 10 {
				values[i] = rng.ExpFloat64()
			}
		}
		x := withSpectrum(rng, values)
		dst := make([]float64, n*n)
		b.Run(fmt.Sprintf("few/%d", n), func(b *testing.B) {
			for b.Loop() {
				near(n, x, dst)
			}
		})
		b.Run(fmt.Sprintf("all/%d", n), func(b *testing.B) {
			m := mat.NewSymDense(n, x)
			var e mat.EigenSym
			for b.Loop() {
				e.Factorize(m, true)
			}
		})
	}
}

// TestKrylov: few positive eigenvalues, near to each other or not, above many that are
// negative, give the projection; too many give none.
func TestKrylov(t *testing.T) {
	for seed := range trials.Seeds(6) {
		rng := rand.New(rand.NewPCG(seed, 29))
		n := 160 + rng.IntN(60)
		values := make([]float64, n)
		r := 1 + rng.IntN(6)
		for i := range values {
			values[i] = -rng.Float64()
			if i < r {
				values[i] = 1 + 3*rng.Float64()
			}
		}
		if seed%2 == 0 && r > 1 {
			values[1] = values[0] * (1 + 1e-2)
		}
		x := withSpectrum(rng, values)
		l, ok := krylov(n, x)
		if !ok || l.Rows != r {
			t.Fatalf("seed %d: %d of %d eigenvalues, %v", seed, l.Rows, r, ok)
		}
		got, want := make([]float64, n*n), make([]float64, n*n)
		symmetric(n, 1, l, got)
		exact(n, x, want)
		if d := floats.Distance(got, want, 2); d > 1e-5 {
			t.Errorf("seed %d: projections %g apart", seed, d)
		}
		for i := range values {
			values[i] = rng.Float64()
		}
		if _, ok := krylov(n, withSpectrum(rng, values)); ok {
			t.Errorf("seed %d: a positive definite matrix in a small space", seed)
		}
	}
}

// quadraticForm is the objective ⟨A, M⟩ + c/2·|M|² of one relation of unit weights.
type quadraticForm struct {
	a []float64
	c float64
}

func (q *quadraticForm) bound(at []*point) float64 {
	m := at[0].m
	return floats.Dot(q.a, m) + q.c/2*floats.Dot(m, m)
}

func (q *quadraticForm) evaluate(at []*point) (lower, upper float64) {
	v := q.bound(at)
	return v, v
}

func (q *quadraticForm) slopes(at []*point, dst [][]float64) {
	floats.AddScaledTo(dst[0], q.a, q.c, at[0].m)
}

// minimize returns the bounds of the minimum over C of t×t matrices, and the best.
func (q *quadraticForm) minimize(t int, gap float64, iterations int) *descent {
	p := &part{relations: []relation{{states: 2}}}
	n := make([]float64, t)
	floats.AddConst(1, n)
	p.weigh(n)
	d := newPartRun(p, &Splitting{}).descent
	d.objective = q
	d.run(context.Background(), &Splitting{Gap: gap, Iterations: iterations, Every: 20}, func() error { return nil })
	return d
}

func flat(rows [][]float64) (x []float64) {
	for _, r := range rows {
		x = append(x, r...)
	}
	return x
}

type formFixture struct {
	A, M   [][]float64
	Lb, Ub float64
}

func readForm(t *testing.T, name string) (x formFixture) {
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(text, &x)
	}
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestProjectionFixture: the nearest matrix of C.
func TestProjectionFixture(t *testing.T) {
	x := readForm(t, "f7_projection")
	a := flat(x.A)
	q := &quadraticForm{a: a, c: 1}
	floats.Scale(-1, q.a)
	shift := floats.Dot(a, a) / 2
	d := q.minimize(len(x.A), 1e-10, 20000)
	if d.Upper+shift < x.Lb-1e-6 || d.Lower+shift > x.Ub+1e-6 {
		t.Errorf("bounds %.9f and %.9f, want %.9f", d.Lower+shift, d.Upper+shift, x.Ub)
	}
	if e := floats.Distance(d.Best[0], flat(x.M), math.Inf(1)); !(e <= 1e-5) {
		t.Errorf("the projection is off by %g", e)
	}
}

func TestLinearFixture(t *testing.T) {
	x := readForm(t, "f8_linear")
	d := (&quadraticForm{a: flat(x.A)}).minimize(len(x.A), 1e-6, 20000)
	t.Log(d.Lower, d.Upper, d.Iteration)
	if d.Upper < x.Lb-1e-5 || d.Lower > x.Ub+1e-5 || d.Upper-d.Lower > 1e-4 {
		t.Errorf("bounds %.9f and %.9f, want %.9f", d.Lower, d.Upper, x.Ub)
	}
}

// clusters returns −RRᵀ/2 for t residuals R around three centres.
func clusters(seed uint64, t int) *quadraticForm {
	rng := rand.New(rand.NewPCG(seed, 0))
	const d = 6
	r := make([][d]float64, t)
	for i := range r {
		for k := range d {
			r[i][k] = rng.NormFloat64()
		}
		r[i][i%3] += 2
		r[i][3+i%3] -= 1
	}
	q := &quadraticForm{a: make([]float64, t*t)}
	for i := range t {
		for j := range t {
			for k := range d {
				q.a[i*t+j] -= r[i][k] * r[j][k] / 2
			}
		}
	}
	return q
}

// csdp minimizes the linear form by an interior-point method (Borchers 1999), one block for
// M and a diagonal one for its entries above the diagonal, or skips if the program is not
// there.
func csdp(t testing.TB, q *quadraticForm, n int) (optimum float64, cpu time.Duration) {
	program, err := exec.LookPath("csdp")
	if err != nil {
		t.Skip("no csdp")
	}
	var b bytes.Buffer
	pairs := n * (n - 1) / 2
	fmt.Fprintf(&b, "%d\n2\n%d -%d\n", n+pairs, n, pairs)
	b.WriteString(strings.Repeat("1 ", n) + strings.Repeat("0 ", pairs) + "\n")
	for i := range n {
		for j := i; j < n; j++ {
			fmt.Fprintf(&b, "0 1 %d %d %.17g\n", i+1, j+1, -q.a[i*n+j])
		}
	}
	for i := range n {
		fmt.Fprintf(&b, "%d 1 %d %d 1\n", i+1, i+1, i+1)
	}
	k := 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			k++
			fmt.Fprintf(&b, "%d 1 %d %d 1\n%d 2 %d %d -2\n", n+k, i+1, j+1, n+k, k, k)
		}
	}
	name := filepath.Join(t.TempDir(), "problem.dat-s")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, name)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) == 4 && f[0] == "Primal" && f[1] == "objective" {
			v, err := strconv.ParseFloat(f[3], 64)
			if err != nil {
				t.Fatal(err)
			}
			return -v, c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		}
	}
	t.Fatalf("no objective in %s", out)
	return 0, 0
}

// TestLinearBesideInteriorPoint: the same optimum as another method.
func TestLinearBesideInteriorPoint(t *testing.T) {
	const n = 15
	q := clusters(1, n)
	want, _ := csdp(t, q, n)
	d := q.minimize(n, 1e-7, 20000)
	if e := 1e-5 * math.Abs(want); d.Lower > want+e || d.Upper < want-e || d.Upper-d.Lower > e {
		t.Errorf("bounds %g and %g, want %g", d.Lower, d.Upper, want)
	}
}

func BenchmarkLinear50(b *testing.B) {
	q := clusters(1, 50)
	var d *descent
	defer benchtime.Per(b, 1, "solution")()
	for b.Loop() {
		d = q.minimize(50, 1e-6, 20000)
	}
	b.ReportMetric(float64(d.Iteration), "iterations")
	b.ReportMetric(d.Upper, "upper")
	b.ReportMetric(relativeGap(d.Lower, d.Upper), "gap")
}

func BenchmarkLinear50InteriorPoint(b *testing.B) {
	q := clusters(1, 50)
	v, total := 0.0, time.Duration(0)
	for b.Loop() {
		var cpu time.Duration
		v, cpu = csdp(b, q, 50)
		total += cpu
	}
	b.ReportMetric(float64(total)/float64(b.N), "cpu-ns/solution")
	b.ReportMetric(v, "optimum")
}
