package semiring

import (
	"math"
	"slices"
)

// Bilinear is a product r⊗s of a vector of module R and one of module S, a vector of
// module T: the outer product of numbers, or of vectors. All are modules of one
// commutative semiring, and the product is linear in both factors:
// (a·r)⊗s = a·(r⊗s) = r⊗(a·s), and it distributes over both additions.
type Bilinear[W, R, S, T any] interface {
	// Modules returns the modules of r, s and r⊗s.
	Modules() (Module[W, R], Module[W, S], Module[W, T])
	// AddProduct adds a·(r⊗s) to *dst, which shares no storage with r and s. It
	// uses the storage of *dst where it can.
	AddProduct(dst *T, a W, r R, s S)
}

// ScalarProduct returns ⊗ of a commutative ring as a product of its Scalar module.
func ScalarProduct[W any](base Semiring[W]) Bilinear[W, W, W, W] {
	return scalarProduct[W]{scalar[W]{base}}
}

type scalarProduct[W any] struct{ module scalar[W] }

func (p scalarProduct[W]) Modules() (r, s, t Module[W, W]) { return p.module, p.module, p.module }

func (p scalarProduct[W]) AddProduct(dst *W, a, r, s W) {
	base := p.module
	*dst = base.Plus(*dst, base.Times(base.Times(a, r), s))
}

// DenseProduct returns the outer product of Dense vectors of m and n weights of a
// commutative ring: a vector of m·n weights, in which r[i] ⊗ s[j] is component
// i·n+j, a matrix row by row.
func DenseProduct[W any](base Semiring[W], m, n int) Bilinear[W, []W, []W, []W] {
	return denseProduct[W]{newDense(base, m), newDense(base, n), newDense(base, m*n)}
}

type denseProduct[W any] struct{ r, s, t dense[W] }

func (p denseProduct[W]) Modules() (r, s, t Module[W, []W]) { return p.r, p.s, p.t }

func (p denseProduct[W]) AddProduct(dst *[]W, a W, r, s []W) {
	if len(r) == 0 || len(s) == 0 {
		return
	}
	base := p.t.base
	if len(*dst) == 0 {
		*dst = slices.Grow(*dst, p.t.n)[:p.t.n]
		for i := range *dst {
			(*dst)[i] = base.Zero()
		}
	}
	for i, x := range r {
		row := (*dst)[i*p.s.n:][:p.s.n]
		x = base.Times(a, x)
		for j, y := range s {
			row[j] = base.Plus(row[j], base.Times(x, y))
		}
	}
}

// DenseScaledProduct is DenseProduct for vectors of DenseScaled.
func DenseScaledProduct(m, n int) Bilinear[ScaledFloat, ScaledVector, ScaledVector, ScaledVector] {
	return denseScaledProduct{denseScaled{m}, denseScaled{n}, denseScaled{m * n}}
}

type denseScaledProduct struct{ r, s, t denseScaled }

func (p denseScaledProduct) Modules() (r, s, t Module[ScaledFloat, ScaledVector]) {
	return p.r, p.s, p.t
}

func (p denseScaledProduct) AddProduct(dst *ScaledVector, a ScaledFloat, r, s ScaledVector) {
	if a.Mant == 0 || len(r.Mant) == 0 || len(s.Mant) == 0 {
		return
	}
	// The greatest components are brought near 1, which makes room for small ones:
	// their magnitude goes to a.
	unitR, unitS := unit(r.top()), unit(s.top())
	a = a.Mul(ScaledFloat{Mant: 1 / unitR, Exp: r.Exp}).Mul(ScaledFloat{Mant: 1 / unitS, Exp: s.Exp})
	factor := p.t.align(dst, a.Mant, a.Exp)
	for i, x := range r.Mant {
		row := dst.Mant[i*p.s.n:][:len(s.Mant)]
		x = factor * (x * unitR)
		x *= unitS
		for j, y := range s.Mant {
			row[j] += x * y
		}
	}
	dst.normalize()
}

// unit returns the power of 2 that brings a mantissa near 1.
func unit(top float64) float64 {
	_, e := math.Frexp(top)
	return math.Ldexp(1, -e)
}
