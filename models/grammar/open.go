package grammar

import (
	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// Open returns the model for sentences outside the training text. The DMV gives a share of the
// probability of each choice, 0 < share < 1, uniformly to all outcomes, so that outcomes of
// probability 0 become possible. It has one additional tag for all tags unknown to m; as a head it
// has the mean of the known heads' parameters. A smoothed CCM has probabilities for unknown spans
// already.
//
// Use an open model for prediction only: training would remove the shares. The error wraps
// ErrInvalid for a share out of range or a model that is already open, or em.ErrParameter for an
// invalid Theta.
func (m *Model) Open(share float64) (*Model, error) {
	if !(share > 0 && share < 1) {
		return nil, nested.Errorf("grammar: %w: share %v, want more than 0 and less than 1", ErrInvalid, share)
	}
	if m.tags.open {
		return nil, nested.Errorf("grammar: %w: the model is open", ErrInvalid)
	}
	if err := m.Params.Check(m.Theta); err != nil {
		return nil, err
	}
	tags := newSymbols(m.tags.names)
	tags.open = true
	var spans *table
	if m.kind.hasContext() {
		spans = m.ccm.table
	}
	o := newModel(m.kind, m.smoothing, tags, spans)
	if m.kind.hasContext() {
		for i, g := range o.ccm.groups() {
			copy(g.In(o.Theta), m.ccm.groups()[i].In(m.Theta))
		}
	}
	if m.kind.hasHeads() {
		o.openHeads(m, share)
	}
	return o, nil
}

// openHeads sets the parameters of the DMV.
func (o *Model) openHeads(m *Model, share float64) {
	known := len(m.tags.names)
	perHead := (len(o.dmv.groups()) - 1) / (known + 1)
	groups := o.dmv.groups() // the root, then the groups of each head, the unknown one last
	unknown := groups[1+known*perHead:]
	for _, g := range unknown {
		clear(g.In(o.Theta))
	}
	for i, from := range m.dmv.groups() {
		to := groups[i].In(o.Theta)
		clear(to)
		copy(to, from.In(m.Theta))
		for k := range to {
			to[k] = (1-share)*to[k] + share/float64(len(to))
		}
		if i > 0 {
			addTo(unknown[(i-1)%perHead], o.Theta, to, 1/float64(known))
		}
	}
}

// addTo adds values, each multiplied by a factor, to the parameters of a group.
func addTo(g *em.Group, theta, values []float64, factor float64) {
	for k, x := range values {
		g.In(theta)[k] += factor * x
	}
}
