package em

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em/internal/normal"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Gaussian is the law of one normal distribution of vectors, whose density a model
// multiplies into its weights. Components are correlated within blocks and not
// between them: NewGaussian(d) has a full covariance matrix, NewGaussian(1, 1, …) a
// diagonal one. Its group has Len parameters:
//
//	θ       1, the mean, the lower triangle of each block's covariance, row by row
//	counts  Σ p, Σ p·z,  Σ p·z_i·z_j for j ≤ i in a block,   z = x − Center
//
// where p is the posterior probability that the distribution generated x. The
// parameters are not factors of weights. Where other laws use ln value, this law uses the
// coefficient of a count in the log density, for instance of z_i².
//
// Without a prior a covariance has no finite optimum once a distribution has
// specialized in too few points: the M step's error wraps ErrNoMode. A Prior or a Floor
// prevents this.
type Gaussian struct {
	// Blocks contains the number of components of each block, all > 0.
	Blocks []int
	// Center is subtracted from observations before they are multiplied, so that
	// rounding errors do not dominate variances. It is also the first mean (nil: 0).
	Center []float64
	// Scale holds the first standard deviations (nil: 1). Random means are drawn
	// with these standard deviations around Center.
	Scale []float64 `json:"Spread"`
	// Prior is the prior of mean and covariance.
	Prior GaussianPrior
	// Floor holds the least variances, all > 0 (nil: none). It bounds the variances of single
	// components. Of a block it bounds the variance in every direction: the covariance minus
	// diag(Floor) has no negative eigenvalue. The M step finds the maximum under this constraint,
	// so EM still climbs; em.Result.Remarks name the components that end at their floor.
	// Coordinates do not satisfy the constraint: methods that follow a gradient return ErrMethod,
	// and FisherInformation returns ErrNotMaximum if the constraint is active.
	Floor []float64 `json:",omitempty"`
}

// GaussianPrior is a normal-inverse-Wishart prior of the mean μ and the covariance Σ
// of each block, with the log density
//
//	−½·Degrees·ln|Σ| − ½·Σⱼ Scaleⱼ·(Σ⁻¹)ⱼⱼ − ½·Weight·(μ−m)ᵀΣ⁻¹(μ−m), m = Mean.
//
// (In the usual notation Degrees is ν + d + 2, Scale the diagonal of Ψ and Weight κ.)
// It acts like Degrees observations with the variances Scale/Degrees and Weight
// observations of m. The zero value means no prior.
type GaussianPrior struct {
	Mean    []float64 // nil: 0
	Weight  float64
	Scale   []float64 // nil: 0
	Degrees float64
}

// NewGaussian returns the law with blocks of the given sizes.
func NewGaussian(blocks ...int) Gaussian { return Gaussian{Blocks: blocks} }

// Around returns g with Center and Scale set to the means and standard deviations of
// data. A constant component gets the scale 1. The error, wrapping
// ErrParameter, names a vector that has the wrong length or contains a number that is not
// finite, or reports that data is empty.
func (g Gaussian) Around(data [][]float64) (Gaussian, error) {
	d := g.Size()
	g.Center, g.Scale = make([]float64, d), make([]float64, d)
	if len(data) == 0 {
		return g, nested.Errorf("em: %w: no data", ErrParameter)
	}
	for i, x := range data {
		if len(x) != d {
			return g, nested.Errorf("em: %w: vector %d has %d components, want %d", ErrParameter, i, len(x), d)
		}
		for j, v := range x {
			if v-v != 0 {
				return g, nested.Errorf("em: %w: component %d of vector %d is %g", ErrParameter, j, i, v)
			}
			g.Center[j] += (v - g.Center[j]) / float64(i+1)
		}
	}
	for j := range d {
		for _, x := range data {
			g.Scale[j] += (x[j] - g.Center[j]) * (x[j] - g.Center[j]) / float64(len(data))
		}
		g.Scale[j] = math.Sqrt(g.Scale[j])
		g.Scale[j] = cmp.Or(g.Scale[j], 1)
	}
	return g, nil
}

// Size returns the number of components of a vector.
func (g Gaussian) Size() int {
	d := 0
	for _, n := range g.Blocks {
		d += n
	}
	return d
}

// Len returns the number of parameters.
func (g Gaussian) Len() int {
	n := 1 + g.Size()
	for _, b := range g.Blocks {
		n += b * (b + 1) / 2
	}
	return n
}

// at returns component j of v, or otherwise if v is nil.
func at(v []float64, j int, otherwise float64) float64 {
	if v == nil {
		return otherwise
	}
	return v[j]
}

// AddCounts adds the counts of the observation x with probability p to counts.
func (g Gaussian) AddCounts(counts, x []float64, p float64) {
	counts[0] += p
	for j, v := range x {
		counts[1+j] += p * (v - at(g.Center, j, 0))
	}
	k, lo := 1+g.Size(), 0
	for _, n := range g.Blocks {
		for i := lo; i < lo+n; i++ {
			z := p * (x[i] - at(g.Center, i, 0))
			for j := lo; j <= i; j++ {
				counts[k] += z * (x[j] - at(g.Center, j, 0))
				k++
			}
		}
		lo += n
	}
}

// Start sets the mean to Center and the covariance to independent components with the standard
// deviations Scale, or the variances Floor if these are greater. If the law is invalid, it sets
// 0, which Check rejects.
func (g Gaussian) Start(theta []float64) {
	clear(theta)
	if g.check() != nil {
		return
	}
	theta[0] = 1
	for _, b := range g.blocks() {
		tri := b.In(theta)
		for i := range b.N {
			j := b.Lo + i
			theta[1+j] = at(g.Center, j, 0)
			s := at(g.Scale, j, 1)
			tri[i*(i+3)/2] = max(s*s, at(g.Floor, j, 0))
		}
	}
}

// Random draws the mean.
func (g Gaussian) Random(theta []float64, src rand.Source) {
	rng := rand.New(src)
	if g.Start(theta); g.check() != nil {
		return
	}
	for j := range g.Size() {
		theta[1+j] += at(g.Scale, j, 1) * rng.NormFloat64()
	}
}

// Check requires a first parameter of 1 and positive definite covariances that are no lower than
// Floor.
func (g Gaussian) Check(theta []float64) error {
	if err := g.check(); err != nil {
		return err
	}
	if len(theta) != g.Len() {
		return fmt.Errorf("%d parameters, want %d", len(theta), g.Len())
	}
	if theta[0] != 1 {
		return fmt.Errorf("the first parameter is %g, want 1", theta[0])
	}
	for i, b := range g.blocks() {
		if _, err := normal.NewFactor(b.In(theta), b.N); err != nil {
			return nested.Errorf("block %d: %w", i, err)
		}
		if least, low := b.Low(b.In(theta)); low {
			return fmt.Errorf("block %d: a variance is %.6g of its floor %g", i, least, b.Floor)
		}
	}
	return nil
}

// check returns an error if the law itself is invalid.
func (g Gaussian) check() error {
	for _, n := range g.Blocks {
		if n <= 0 {
			return fmt.Errorf("blocks of sizes %d, want sizes > 0", g.Blocks)
		}
	}
	d := g.Size()
	for _, v := range [][]float64{g.Center, g.Scale, g.Prior.Mean, g.Prior.Scale, g.Floor} {
		if v != nil && len(v) != d {
			return fmt.Errorf("center, scale, prior or floor of %d components, want %d", len(v), d)
		}
	}
	for j := range d {
		if s := at(g.Scale, j, 1); !(s > 0) || math.IsInf(s, 1) {
			return fmt.Errorf("scale %g of component %d, want a finite number > 0", s, j)
		}
		if s := at(g.Prior.Scale, j, 0); !(s >= 0) || math.IsInf(s, 1) {
			return fmt.Errorf("prior with scale %g of component %d, want a finite number ≥ 0", s, j)
		}
	}
	for j, v := range g.Floor {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("floor %g of component %d, want a finite number > 0", v, j)
		}
	}
	if p := g.Prior; !(p.Weight >= 0 && p.Degrees >= 0) || math.IsInf(p.Weight+p.Degrees, 1) {
		return fmt.Errorf("prior with weight %g and %g degrees, want finite numbers ≥ 0", p.Weight, p.Degrees)
	}
	return nil
}

// Values sets NaN: the parameters are not factors of weights.
func (g Gaussian) Values(values []semiring.ScaledFloat, _ []float64) {
	for i := range values {
		values[i] = semiring.NewScaled(math.NaN())
	}
}

// Score returns the expected log density of the data with these counts:
// −½(N·ln|2πΣ| + tr(Σ⁻¹·scatter around the mean)) over the blocks.
func (g Gaussian) Score(theta, counts []float64) float64 {
	norm := counts[0] * float64(g.Size()) * math.Log(2*math.Pi)
	return g.score(theta, counts) - norm/2
}

// score returns −½(N·ln|Σ| + tr(Σ⁻¹·scatter)) for these counts.
func (g Gaussian) score(theta, counts []float64) float64 {
	sum := 0.0
	for _, b := range g.blocks() {
		sum -= b.Score(theta, g.mean(theta, b), b.Moments(counts)) / 2
	}
	return sum
}

// LogPrior is the log density of the Prior.
func (g Gaussian) LogPrior(theta []float64) float64 {
	counts := make([]float64, len(theta))
	g.AddPrior(counts, theta)
	return g.score(theta, counts)
}

// AddPrior adds Weight observations of the prior's mean, Degrees − Weight observations of the mean
// of theta, and the squares Scale.
func (g Gaussian) AddPrior(counts, theta []float64) {
	p := g.Prior
	g.addPriorMean(counts)
	g.AddCounts(counts, theta[1:1+g.Size()], p.Degrees-p.Weight)
	for _, b := range g.blocks() {
		tri := b.In(counts)
		for i := range b.N {
			tri[i*(i+3)/2] += at(p.Scale, b.Lo+i, 0)
		}
	}
}

func (g Gaussian) addPriorMean(counts []float64) {
	mean := g.Prior.Mean
	if mean == nil {
		mean = make([]float64, g.Size())
	}
	g.AddCounts(counts, mean, g.Prior.Weight)
}

// AddPriorTangent adds the change of the observations of the mean.
func (g Gaussian) AddPriorTangent(dcounts, theta, dx []float64) {
	p := g.Prior.Degrees - g.Prior.Weight
	for _, b := range g.blocks() {
		m, tri := g.mean(theta, b), b.In(dcounts)
		for i := range b.N {
			di := dx[b.Lo+i]
			dcounts[1+b.Lo+i] += p * di
			for j := range i + 1 {
				tri[i*(i+1)/2+j] += p * (di*m.AtVec(j) + m.AtVec(i)*dx[b.Lo+j])
			}
		}
	}
}

// mean returns the mean of block b, minus Center.
func (g Gaussian) mean(theta []float64, b normal.Block) *mat.VecDense {
	m := mat.NewVecDense(b.N, nil)
	for i := range b.N {
		m.SetVec(i, theta[1+b.Lo+i]-at(g.Center, b.Lo+i, 0))
	}
	return m
}

func (g Gaussian) blocks() []normal.Block { return normal.Blocks(g.Blocks, g.Floor) }

// floored implements constrained.
func (g Gaussian) floored() bool { return g.Floor != nil }

// Dim returns the number of entries of mean and covariance.
func (g Gaussian) Dim(theta []float64) int { return len(theta) - 1 }

// Coordinates sets the mean and, per covariance L·Lᵀ, the triangle of L, with the diagonal as
// logarithms.
func (g Gaussian) Coordinates(x, theta []float64) {
	copy(x, theta[1:1+g.Size()])
	for _, b := range g.blocks() {
		b.Coordinates(x, theta)
	}
}

// Theta inverts Coordinates.
func (g Gaussian) Theta(theta, x []float64) {
	theta[0] = 1
	copy(theta[1:], x[:g.Size()])
	for _, b := range g.blocks() {
		b.Theta(theta, x)
	}
}

// Gradient sets the derivatives with respect to the coordinates.
func (g Gaussian) Gradient(dx, theta, counts []float64) {
	for _, b := range g.blocks() {
		b.Gradient(dx, theta, g.mean(theta, b), b.Moments(counts))
	}
}

// Tangent sets the change of the coefficients of the counts in the log density:
// −½(ln|2πΣ| + μᵀPμ) for 1, Pμ for z, −½P_ii for z_i² and −P_ij for z_i·z_j, P = Σ⁻¹.
func (g Gaussian) Tangent(direction, theta, dx []float64) {
	direction[0] = 0
	for _, b := range g.blocks() {
		b.Tangent(direction, theta, g.mean(theta, b), dx)
	}
}

// GradientTangent sets the change of Gradient.
func (g Gaussian) GradientTangent(ddx, theta, counts, dx, dcounts []float64) {
	for _, b := range g.blocks() {
		b.GradientTangent(ddx, theta, g.mean(theta, b), b.Moments(counts), b.Moments(dcounts), dx)
	}
}
