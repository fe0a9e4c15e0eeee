package counts

import (
	"context"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// BeamStates returns the number of states that a beam of the given width keeps at theta.
func (t *Tagger) BeamStates(ctx context.Context, width int, theta []float64) (int, error) {
	weight := make([]semiring.ScaledFloat, len(theta))
	for i, p := range theta {
		weight[i] = semiring.NewScaled(p)
	}
	states := 0
	var m labelings
	for i := range t.data.annotations {
		m.set(semiring.Scaled{}, t.data, &t.data.annotations[i], weight)
		part, err := graph.Beam(ctx, &m, &graph.BeamOptions[semiring.ScaledFloat]{Width: width})
		if err != nil {
			return 0, err
		}
		states += part.Graph.NumStates()
	}
	return states, nil
}
