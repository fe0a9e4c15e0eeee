package semiring

import (
	"encoding/binary"
	"fmt"
	"strings"

	"example.org/pathsum/internal/text"
)

// derived holds the capabilities of a ring or module that is made of others. Its
// constructor asks the parts; a nil function is a capability that some part lacks.
type derived[W any] struct {
	laws       Laws
	sides      Side
	kernel     Kernel[W]
	sweeper    Sweeper[W]
	star       func(a W) (W, bool)
	lDiv, rDiv func(a, b W) (W, bool)
	neg        func(a W) W
	compare    func(a, b W) int
	dist       func(a, b W) float64
	fromLog    func(logp float64) W
	log        func(w W) float64
	inRange    func(x, a, b W) bool
	key        func(dst []byte, w W, delta float64) []byte
	parse      func(s string) (W, error)
	format     func(w W) string
	reverse    func(a W) W
	read       func(x ScaledFloat) W
}

// As answers the package's As.
func (d *derived[W]) As(target any) bool {
	switch target := target.(type) {
	case *Lawful:
		*target = d
		return true
	case *OneSided:
		*target = d
		return true
	case *Kernel[W]:
		*target = d.kernel
		return d.kernel != nil
	case *Sweeper[W]:
		*target = d.sweeper
		return d.sweeper != nil
	case *Closed[W]:
		*target = d
		return d.star != nil
	case *Divider[W]:
		*target = d
		return d.lDiv != nil
	case *Negater[W]:
		*target = d
		return d.neg != nil
	case *Ordered[W]:
		*target = d
		return d.compare != nil
	case *Metric[W]:
		*target = d
		return d.dist != nil
	case *Prober[W]:
		*target = d
		return d.log != nil
	case *Ranged[W]:
		*target = d
		return d.inRange != nil
	case *Keyer[W]:
		*target = d
		return d.key != nil
	case *Texter[W]:
		*target = d
		return d.parse != nil
	case *Reverser[W]:
		*target = d
		return d.reverse != nil
	case *scaledReader[W]:
		*target = d
		return d.read != nil
	}
	return false
}

func (d *derived[W]) Laws() Laws                 { return d.laws }
func (d *derived[W]) Distributes() Side          { return d.sides }
func (d *derived[W]) Star(a W) (W, bool)         { return d.star(a) }
func (d *derived[W]) LDiv(a, b W) (W, bool)      { return d.lDiv(a, b) }
func (d *derived[W]) RDiv(a, b W) (W, bool)      { return d.rDiv(a, b) }
func (d *derived[W]) Neg(a W) W                  { return d.neg(a) }
func (d *derived[W]) Compare(a, b W) int         { return d.compare(a, b) }
func (d *derived[W]) Dist(a, b W) float64        { return d.dist(a, b) }
func (d *derived[W]) FromLog(logp float64) W     { return d.fromLog(logp) }
func (d *derived[W]) Log(w W) float64            { return d.log(w) }
func (d *derived[W]) InRange(x, a, b W) bool     { return d.inRange(x, a, b) }
func (d *derived[W]) Parse(s string) (W, error)  { return d.parse(s) }
func (d *derived[W]) Format(w W) string          { return d.format(w) }
func (d *derived[W]) Reverse(a W) W              { return d.reverse(a) }
func (d *derived[W]) fromScaled(x ScaledFloat) W { return d.read(x) }
func (d *derived[W]) AppendKey(dst []byte, w W, delta float64) []byte {
	return d.key(dst, w, delta)
}

// both returns a capability of each of two rings or modules, and whether both have it.
func both[CA, CB any](a, b any) (ca CA, cb CB, ok bool) {
	ca, okA := capability[CA](a)
	cb, okB := capability[CB](b)
	return ca, cb, okA && okB
}

// four is both for the base and the three modules of an Expectation2.
func four[CP, CR, CS, CT any](p, r, s, t any) (cp CP, cr CR, cs CS, ct CT, ok bool) {
	cp, cr, okFirst := both[CP, CR](p, r)
	cs, ct, okSecond := both[CS, CT](s, t)
	return cp, cr, cs, ct, okFirst && okSecond
}

// appendPart appends the key of a part, then its length, by which keys of
// several parts can be taken apart from the end and so are distinct.
func appendPart[W any](dst []byte, keyer Keyer[W], w W, delta float64) []byte {
	start := len(dst)
	return appendLength(keyer.AppendKey(dst, w, delta), start)
}

// appendLength ends a part that began at start.
func appendLength(dst []byte, start int) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(len(dst)-start))
}

const lengthSize = 4 // bytes that appendLength appends

// formatList returns the parts between brackets, separated by commas.
func formatList(open byte, parts []string, end byte) string {
	return string(open) + strings.Join(parts, ",") + string(end)
}

// cutList undoes formatList: commas inside inner brackets do not separate.
func cutList(s string, open, end byte) ([]string, error) {
	if len(s) < 2 || s[0] != open || s[len(s)-1] != end {
		return nil, fmt.Errorf("semiring: %s is not of the form %c…%c", text.Quote(s), open, end)
	}
	s = s[1 : len(s)-1]
	if s == "" {
		return nil, nil
	}
	var parts []string
	start, depth := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:]), nil
}

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

// deriveLists sets the capabilities of weights that are lists of weights of base: of
// Ranked, Polynomial and Dense vectors. A list stands for the mass of its first entry.
func deriveLists[L ~[]W, W any](d *derived[L], base Semiring[W]) {
	if metric, ok := As[Metric[W]](base); ok { // the greatest distance at one place
		d.dist = func(a, b L) float64 {
			most := 0.0
			for n := range max(len(a), len(b)) {
				most = max(most, metric.Dist(entry(base, a, n), entry(base, b, n)))
			}
			return most
		}
	}
	if prober, ok := As[Prober[W]](base); ok {
		d.fromLog = func(logp float64) L { return singleton[L](base, prober.FromLog(logp)) }
		d.log = func(a L) float64 { return prober.Log(entry(base, a, 0)) }
	}
	if read, err := FromScaled(base); err == nil {
		d.read = func(x ScaledFloat) L { return singleton[L](base, read(x)) }
	}
	if reverser, ok := As[Reverser[W]](base); ok {
		d.reverse = func(a L) L { return each(a, reverser.Reverse) }
	}
}

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
