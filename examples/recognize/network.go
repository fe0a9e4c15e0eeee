package main

import (
	"encoding/binary"
	"io"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"example.org/pathsum/em"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring/frames"
)

// The network sees a column of an image with some columns on either side.
const (
	beside   = 4
	window   = (2*beside + 1) * height
	features = window + 1 // and one that is 1
)

// shrink is the standard deviation of the Gaussian prior of a weight.
const shrink = 1

// network is a softmax of linear functions of the window around each column of an image. The
// weights are a matrix with a row for each symbol and a column for each feature.
type network struct {
	params  *em.Params
	weights *em.Group
	theta   []float64
}

// newNetwork returns a network whose weights are 0: it finds all symbols equally probable.
func newNetwork() *network {
	n := &network{params: em.NewParams()}
	n.weights = n.params.Group("network", columns*features, em.Exponents{Mean: em.Times(0), Sigma: shrink})
	n.theta = n.params.Start()
	return n
}

// emissions returns the output of the network for an image.
func (n *network) emissions(m *image) (*frames.Emissions, error) {
	p := pass{network: n}
	return frames.Scores(m.columns, columns, p.scores(n.theta, m), nil)
}

// likelihood returns the likelihood of the texts of lines given their images, as a function of the
// weights.
func (n *network) likelihood(lines []line) (em.Likelihood, error) {
	loss, err := ctc.NewLoss(topology(), nil)
	if err != nil {
		return nil, err
	}
	t := ctc.Training{
		Params:  n.params,
		Network: func() ctc.Network { return &pass{network: n, lines: lines} },
		Fingerprint: func(w io.Writer) {
			for _, l := range lines {
				binary.Write(w, binary.LittleEndian, l.image.ink)
			}
		},
	}
	for _, l := range lines {
		t.Examples = append(t.Examples, ctc.Example{Name: spelling(l.text), Labels: l.text})
	}
	return loss.Likelihood(t)
}

// topology is how columns of an image spell a text.
func topology() ctc.Topology { return ctc.Standard(columns, columns-1) }

// line is a line of text and its image.
type line struct {
	text  []int32
	image *image
}

// pass is the working storage of one goroutine. It is a ctc.Network.
type pass struct {
	*network
	lines     []line
	seen, out []float64
}

// Forward returns the scores of the symbols in each column of the image of line i.
func (p *pass) Forward(theta []float64, i int) ([]float64, error) {
	return p.scores(theta, p.lines[i].image), nil
}

// scores returns the scores of the symbols in each column of an image.
func (p *pass) scores(theta []float64, m *image) []float64 {
	p.seen = m.windows(p.seen[:0])
	p.out = append(p.out[:0], make([]float64, m.columns*columns)...)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, matrixOf(features, p.seen), matrixOf(features, p.weights.In(theta)), 0, matrixOf(columns, p.out))
	return p.out
}

// Backward adds the derivatives by the weights to counts.
func (p *pass) Backward(counts, _ []float64, _ int, gradient []float64) error {
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, matrixOf(columns, gradient), matrixOf(features, p.seen), 1, matrixOf(features, p.weights.In(counts)))
	return nil
}

// matrixOf returns a matrix with n columns, whose rows follow each other in data.
func matrixOf(n int, data []float64) blas64.General {
	return blas64.General{Rows: len(data) / n, Cols: n, Stride: n, Data: data}
}

// middle is about the mean ink of the images. Without it, most features are positive, and training
// takes more iterations.
const middle = .2

// windows appends the features of each column to dst.
func (m *image) windows(dst []float64) []float64 {
	for c := range m.columns {
		for k := c - beside; k <= c+beside; k++ {
			for r := range height {
				ink := 0.0
				if k >= 0 && k < m.columns {
					ink = m.at(k, r)
				}
				dst = append(dst, ink-middle)
			}
		}
		dst = append(dst, 1)
	}
	return dst
}
