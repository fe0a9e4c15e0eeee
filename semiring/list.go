package semiring

// Capabilities of weights that are lists of weights: those of KBest, Series and Dense.

// entry returns a[n], 0̄ where a has ended.
func entry[W any](base Semiring[W], a []W, n int) W {
	if n < len(a) {
		return a[n]
	}
	return base.Zero()
}

// singleton returns the list of w alone, the empty one if w is 0̄.
func singleton[L ~[]W, W any](base Semiring[W], w W) L {
	if base.IsZero(w) {
		return nil
	}
	return L{w}
}

func each[L ~[]W, W any](a L, f func(W) W) L {
	image := make(L, len(a))
	for n, w := range a {
		image[n] = f(w)
	}
	return image
}

type listDist[L ~[]W, W any] struct {
	base   Semiring[W]
	metric Metric[W]
}

// Dist returns the greatest distance at one place.
func (c listDist[L, W]) Dist(a, b L) float64 {
	d := 0.0
	for n := range max(len(a), len(b)) {
		d = max(d, c.metric.Dist(entry(c.base, a, n), entry(c.base, b, n)))
	}
	return d
}

// listProb takes a list for the mass of its first entry.
type listProb[L ~[]W, W any] struct {
	base   Semiring[W]
	prober Prober[W]
}

func (c listProb[L, W]) FromLog(logp float64) L { return singleton[L](c.base, c.prober.FromLog(logp)) }
func (c listProb[L, W]) Log(a L) float64        { return c.prober.Log(entry(c.base, a, 0)) }

type listReader[L ~[]W, W any] struct {
	base Semiring[W]
	read func(ScaledFloat) W
}

func (c listReader[L, W]) fromScaled(x ScaledFloat) L { return singleton[L](c.base, c.read(x)) }

// listReverse reverses every entry.
type listReverse[L ~[]W, W any] struct{ reverser Reverser[W] }

func (c listReverse[L, W]) Reverse(a L) L { return each(a, c.reverser.Reverse) }

func appendEntries[W any](dst []byte, keyer Keyer[W], a []W, delta float64) []byte {
	for _, w := range a {
		dst = appendPart(dst, keyer, w, delta)
	}
	return dst
}

func formatEntries[W any](texter Texter[W], a []W) string {
	parts := make([]string, len(a))
	for n, w := range a {
		parts[n] = texter.Format(w)
	}
	return formatList('[', parts, ']')
}

// parseEntries undoes formatEntries.
func parseEntries[W any](texter Texter[W], s string) ([]W, error) {
	parts, err := cutList(s, '[', ']')
	if err != nil {
		return nil, err
	}
	var a []W
	for _, part := range parts {
		w, err := texter.Parse(part)
		if err != nil {
			return nil, err
		}
		a = append(a, w)
	}
	return a, nil
}
