// Package shapes has a declaration of every kind, for the test of package api.
package shapes

import "io"

const (
	A Kind = iota
	B
	c
	D = "text"
)

var ErrX, errY error

type Kind int

type Pair[K comparable, V any] struct {
	Key     K
	value   V
	X, Y    float64
	Ignored func(a,
		b int) error // in one line
	*Kind
	io.Reader
}

type Alias = Pair[int, string]

type Shape interface {
	io.Reader
	Area(scale float64) (area float64, err error)
	private()
}

type Number interface{ ~int | ~float64 }

type hidden struct{ Field int }

func (hidden) Method() {}

func Map[T, U any](all []T, f func(T) U, more ...int) []U { return nil }

func (p *Pair[K, V]) Swap(a, b int) (ok bool) { return false }

func (k Kind) String() string { return "" }

func unexported() {}
