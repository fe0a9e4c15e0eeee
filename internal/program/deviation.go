package program

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// Deviation is a mean and a standard deviation, as the JSON object has them.
type Deviation struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// NewDeviation returns those of numbers; the deviation of a single one is 0.
func NewDeviation(x []float64) Deviation {
	mean, sd := stat.MeanStdDev(x, nil)
	if math.IsNaN(sd) {
		sd = 0
	}
	return Deviation{mean, sd}
}

// String returns mean ± deviation, with three decimals.
func (d Deviation) String() string { return fmt.Sprintf("%.3f ± %.3f", d.Mean, d.SD) }
