package convex

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/lbfgs"
	"example.org/pathsum/internal/nonnil"
)

// LowRank minimizes over M = VVᵀ where V has few columns, no negative entry and rows of
// unit length, by L-BFGS: for thousands of distinct rows, in O(t·Rank) memory and time per
// step for t merged rows (Burer and Monteiro 2003). All such M are in C, so the value is
// an upper bound. It is not convex: the result is a local minimum, a few per cent above
// the optimum as a rule, and has no lower bound. Where matrices of t×t numbers fit in
// memory, some iterations of Splitting give one, which holds for whatever LowRank found.
//
// Products of relations are exact, (V₁V₁ᵀ)∘(V₂V₂ᵀ), and take the product of the ranks;
// hidden parents of hidden children are minimized over together with them.
type LowRank struct {
	// Rank is the number of columns of V (default 12).
	Rank int
	// Iterations bounds the steps of each separate part (default 200).
	Iterations int
	// Tolerance ends it at a gradient whose largest entry, relative to the greater of the
	// value and 1, is at most this (default 1e-6).
	Tolerance float64
	// Rand is the source of the random start (default: the same start every time).
	Rand rand.Source
	// Observer, if not nil, is called after every tenth step.
	Observer func(Event)
}

// String returns "low rank".
func (LowRank) String() string { return "low rank" }

// Solve implements Solver. Result.Lower is Constant, or −Inf. Errors wrap ErrInvalid
// (settings that make no sense) or the context's, with the Result so far.
func (s LowRank) Solve(ctx context.Context, p *Problem) (*Result, error) {
	nonnil.Check("convex: Solve", "context", ctx, "problem", p)
	set(&s.Rank, 12)
	set(&s.Iterations, 200)
	set(&s.Tolerance, 1e-6)
	switch {
	case s.Rank < 1:
		return nil, invalid("rank %d", s.Rank)
	case s.Iterations < 0:
		return nil, invalid("%d iterations", s.Iterations)
	case !(s.Tolerance > 0):
		return nil, invalid("tolerance %g, want a number > 0", s.Tolerance)
	}
	out := &Result{Lower: p.constant, LabelsLower: p.constant, Upper: p.constant, Relations: make([]*Relation, len(p.hidden))}
	began := time.Now()
	if s.Rand == nil {
		s.Rand = rand.NewPCG(0, 0)
	}
	rng := rand.New(s.Rand)
	var failed error
	for i, b := range p.parts {
		d := newFactors(b.fresh(), s.Rank, rng)
		status, err := d.descend(ctx, &s, func(e Event) {
			e.Part, e.Parts, e.Elapsed = i, len(p.parts), time.Since(began)
			s.Observer(e)
		})
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		failed = errors.Join(failed, err)
		out.Lower += b.floor()
		out.Upper += d.value
		out.Iterations += d.steps
		for k, r := range b.relations {
			if r.variable == none {
				continue
			}
			v := d.at[k].factor
			x := &Relation{Variable: r.variable, Row: slices.Clone(b.row), Weight: slices.Clone(b.n)}
			x.Factor = mat.DenseCopyOf(mat.NewDense(v.Rows, v.Cols, v.Data).T())
			out.Relations[slices.Index(p.hidden, r.variable)] = x
			if status == Converged && d.together(k) {
				status = Degenerate
			}
		}
		out.Status = worse(out.Status, status)
	}
	return out, failed
}

// factors is a point of LowRank: a matrix U, r×t, per hidden variable of a part, one after
// the other. V has the squares of its entries, in columns divided by their length.
type factors struct {
	*part
	rank   int
	u      []float64 // of the best point so far, as are the following
	at     []*point
	value  float64
	steps  int
	hidden []int // relations of hidden variables
}

func newFactors(p *part, rank int, rng *rand.Rand) *factors {
	f := &factors{part: p, rank: rank, value: math.Inf(1)}
	for k, r := range p.relations {
		if r.variable != none {
			f.hidden = append(f.hidden, k)
		}
	}
	f.u = make([]float64, len(f.hidden)*rank*len(p.n))
	for i := range f.u {
		f.u[i] = .2 + rng.Float64()
	}
	return f
}

// steep is a gradient, relative to the value or 1, that no minimum has.
const steep = 1e-3

// descend goes down from u.
func (f *factors) descend(ctx context.Context, s *LowRank, observe func(Event)) (Status, error) {
	state := lbfgs.New(f.u, nil, 0)
	gradient := make([]float64, len(f.u))
	for f.steps = 0; ; {
		at := f.points(state.Next())
		value := f.evaluate(gradient, state.Next(), at)
		accepted, err := state.Tell(value, gradient)
		if accepted {
			f.at, f.value = at, value
			f.steps++
			if s.Observer != nil && f.steps%10 == 0 {
				observe(Event{Iteration: f.steps, Iterations: s.Iterations, Lower: f.floor(), Upper: value, Rank: f.rank * len(f.hidden), Step: state.Step})
			}
		}
		switch {
		case errors.Is(err, lbfgs.ErrStalled) && !(state.Norm() <= steep*max(1, value)):
			return Stalled, nil
		case errors.Is(err, lbfgs.ErrStalled):
			return Converged, nil
		case err != nil:
			return Canceled, err
		case accepted && state.Norm() <= s.Tolerance*max(1, value):
			return Converged, nil
		case f.steps > s.Iterations: // the start counts as one
			return IterationLimit, nil
		}
		if err := ctx.Err(); err != nil {
			return Canceled, err
		}
	}
}

// points returns the relations at u.
func (f *factors) points(u []float64) []*point {
	t := len(f.n)
	at := make([]*point, len(f.relations))
	for i, k := range f.hidden {
		v := general(f.rank, t, make([]float64, f.rank*t))
		length := make([]float64, t)
		for at, x := range u[i*f.rank*t : (i+1)*f.rank*t] {
			v.Data[at] = x * x
			length[at%t] += x * x * x * x
		}
		for at := range v.Data {
			v.Data[at] /= math.Sqrt(length[at%t])
		}
		at[k] = &point{factor: v}
	}
	for _, a := range f.ands { // after their factors
		x, y := at[a.a].factor, at[a.b].factor
		v := general(x.Rows*y.Rows, t, make([]float64, x.Rows*y.Rows*t))
		for i := range x.Rows {
			for j := range y.Rows {
				floats.MulTo(v.Data[(i*y.Rows+j)*t:(i*y.Rows+j+1)*t], x.Data[i*t:(i+1)*t], y.Data[j*t:(j+1)*t])
			}
		}
		at[a.m] = &point{factor: v}
	}
	for _, x := range at {
		vn := make([]float64, x.factor.Rows)
		x.mass = make([]float64, t)
		times(x.factor, blas.NoTrans, f.n, vn)
		times(x.factor, blas.Trans, vn, x.mass)
	}
	return at
}

func times(m blas64.General, trans blas.Transpose, x, dst []float64) {
	blas64.Gemv(trans, 1, m, blas64.Vector{N: len(x), Data: x, Inc: 1}, 0, blas64.Vector{N: len(dst), Data: dst, Inc: 1})
}

// evaluate returns the value at the points of u, and stores its derivatives by u.
func (f *factors) evaluate(gradient, u []float64, at []*point) float64 {
	t := len(f.n)
	all := make([]int, len(at))
	for k := range all {
		all[k] = k
	}
	_, value := f.part.evaluate(all, at)
	by := make([][]float64, len(at)) // by V
	for k, g := range f.part.gradient(all, at) {
		by[k] = g.timesFactor(f.part, at[k].factor)
	}
	for _, a := range slices.Backward(f.ands) {
		x, y := at[a.a].factor, at[a.b].factor
		for i := range x.Rows {
			for j := range y.Rows {
				d := by[a.m][(i*y.Rows+j)*t : (i*y.Rows+j+1)*t]
				for c, v := range d {
					by[a.a][i*t+c] += v * y.Data[j*t+c]
					by[a.b][j*t+c] += v * x.Data[i*t+c]
				}
			}
		}
	}
	for i, k := range f.hidden {
		u, dst := u[i*f.rank*t:(i+1)*f.rank*t], gradient[i*f.rank*t:(i+1)*f.rank*t]
		along, length := make([]float64, t), make([]float64, t)
		for c, v := range at[k].factor.Data {
			along[c%t] += v * by[k][c]
			length[c%t] += u[c] * u[c] * u[c] * u[c]
		}
		for c, v := range at[k].factor.Data {
			dst[c] = 2 * u[c] * (by[k][c] - v*along[c%t]) / math.Sqrt(length[c%t])
		}
	}
	return value
}

// timesFactor returns the derivative by V, 2VG in its layout r×t.
func (g *gradient) timesFactor(p *part, v blas64.General) []float64 {
	t := len(p.n)
	x := general(len(g.x)/t, t, slices.Clone(g.x))
	for i := range x.Rows {
		floats.Mul(x.Data[i*t:(i+1)*t], p.s)
	}
	out := general(v.Rows, t, make([]float64, v.Rows*t))
	vx := general(v.Rows, x.Rows, make([]float64, v.Rows*x.Rows))
	if x.Rows > 0 {
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, v, x, 0, vx)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1/p.ridge, vx, x, 0, out)
	}
	mass := slices.Clone(g.mass)
	floats.Mul(mass, p.s)
	vn, vmass := make([]float64, v.Rows), make([]float64, v.Rows)
	times(v, blas.NoTrans, p.n, vn)
	times(v, blas.NoTrans, mass, vmass)
	for i := range v.Rows {
		row := out.Data[i*t : (i+1)*t]
		floats.AddScaled(row, vn[i], mass)
		floats.AddScaled(row, vmass[i], p.n)
	}
	return out.Data
}

// together reports whether relation k puts all rows into one class.
func (f *factors) together(k int) bool {
	return f.total-floats.Dot(f.n, f.at[k].mass)/f.total < oneClass*f.total
}
