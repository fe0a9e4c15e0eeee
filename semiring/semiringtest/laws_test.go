package semiringtest_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

// hooked is the ring (min, +) of costs with every capability. A test can replace each operation
// by a broken one.
type hooked struct {
	zero, one   float64
	plus, times func(a, b float64) float64
	isZero      func(a float64) bool
	star        func(a float64) (float64, bool)
	lDiv, rDiv  func(a, b float64) (float64, bool)
	compare     func(a, b float64) int
	dist        func(a, b float64) float64
	fromLog     func(l float64) float64
	log         func(w float64) float64
	key         func(dst []byte, w, delta float64) []byte
	parse       func(s string) (float64, error)
	format      func(w float64) string
	reverse     func(w float64) float64
	dot         func(dst *float64, w []float64, k []int32, x []float64, i []int32)
	dot2        func(dst *float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32)
	marginals   func(p []float64, a float64, w []float64, k []int32, x []float64, i []int32)
	sweep       bulkSweep
	spread      bulkSweep
	laws        semiring.Laws
}

func (h *hooked) Zero() float64                               { return h.zero }
func (h *hooked) One() float64                                { return h.one }
func (h *hooked) Plus(a, b float64) float64                   { return h.plus(a, b) }
func (h *hooked) Times(a, b float64) float64                  { return h.times(a, b) }
func (h *hooked) IsZero(a float64) bool                       { return h.isZero(a) }
func (h *hooked) Star(a float64) (float64, bool)              { return h.star(a) }
func (h *hooked) LDiv(a, b float64) (float64, bool)           { return h.lDiv(a, b) }
func (h *hooked) RDiv(a, b float64) (float64, bool)           { return h.rDiv(a, b) }
func (h *hooked) Compare(a, b float64) int                    { return h.compare(a, b) }
func (h *hooked) Dist(a, b float64) float64                   { return h.dist(a, b) }
func (h *hooked) FromLog(l float64) float64                   { return h.fromLog(l) }
func (h *hooked) Log(w float64) float64                       { return h.log(w) }
func (h *hooked) Parse(s string) (float64, error)             { return h.parse(s) }
func (h *hooked) Format(w float64) string                     { return h.format(w) }
func (h *hooked) Reverse(w float64) float64                   { return h.reverse(w) }
func (h *hooked) Laws() semiring.Laws                         { return h.laws }
func (h *hooked) AppendKey(d []byte, w, delta float64) []byte { return h.key(d, w, delta) }
func (h *hooked) Dot(dst *float64, w []float64, k []int32, x []float64, i []int32) {
	h.dot(dst, w, k, x, i)
}
func (h *hooked) Dot2(dst *float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32) {
	h.dot2(dst, w, k, x, i, y, j)
}
func (h *hooked) Marginals(p []float64, a float64, w []float64, k []int32, x []float64, i []int32) {
	h.marginals(p, a, w, k, x, i)
}
func (h *hooked) Marginals2(p []float64, a float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32) {
	semiring.KernelOf(core{h}).Marginals2(p, a, w, k, x, i, y, j)
}
func (h *hooked) Sweep(x []float64, order, row []int32, w []float64, i []int32) {
	h.sweep(x, order, row, w, i)
}
func (h *hooked) Spread(x []float64, order, row []int32, w []float64, i []int32) {
	h.spread(x, order, row, w, i)
}

// bulkSweep is a method of a Sweeper.
type bulkSweep func(x []float64, order, row []int32, w []float64, i []int32)

// sound returns a ring without any violation: Tropical on non-negative costs, where it is
// bounded.
func sound() *hooked {
	t := semiring.Tropical{}
	cost := func(x float64) semiring.Cost { return semiring.Cost(x) }
	h := &hooked{
		zero: math.Inf(1), one: 0,
		plus:    func(a, b float64) float64 { return min(a, b) },
		times:   func(a, b float64) float64 { return a + b },
		isZero:  func(a float64) bool { return math.IsInf(a, 1) },
		star:    func(float64) (float64, bool) { return 0, true },
		compare: func(a, b float64) int { return t.Compare(cost(a), cost(b)) },
		dist:    func(a, b float64) float64 { return t.Dist(cost(a), cost(b)) },
		fromLog: func(l float64) float64 { return 0 - l },
		log:     func(w float64) float64 { return 0 - w },
		key:     func(d []byte, w, delta float64) []byte { return t.AppendKey(d, cost(w), delta) },
		parse:   func(s string) (float64, error) { return strconv.ParseFloat(s, 64) },
		format:  func(w float64) string { return strconv.FormatFloat(w, 'g', -1, 64) },
		reverse: func(w float64) float64 { return w },
		laws:    semiring.Commutative | semiring.Selective | semiring.Bounded | semiring.Cancellative,
	}
	h.lDiv = func(a, b float64) (float64, bool) { return b - a, !math.IsInf(a, 1) }
	h.rDiv = func(a, b float64) (float64, bool) { return a - b, !math.IsInf(b, 1) }
	h.dot = func(dst *float64, w []float64, k []int32, x []float64, i []int32) {
		fold := semiring.KernelOf(core{h})
		fold.Dot(dst, w, k, x, i)
	}
	h.dot2 = func(dst *float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32) {
		fold := semiring.KernelOf(core{h})
		fold.Dot2(dst, w, k, x, i, y, j)
	}
	h.marginals = func(p []float64, a float64, w []float64, k []int32, x []float64, i []int32) {
		fold := semiring.KernelOf(core{h})
		fold.Marginals(p, a, w, k, x, i)
	}
	inCosts := func(f func(x []semiring.Cost, order, row []int32, w []semiring.Cost, i []int32)) bulkSweep {
		costs := func(s []float64) (c []semiring.Cost) {
			for _, x := range s {
				c = append(c, semiring.Cost(x))
			}
			return c
		}
		return func(x []float64, order, row []int32, w []float64, i []int32) {
			result := costs(x)
			f(result, order, row, costs(w), i)
			for s, c := range result {
				x[s] = float64(c)
			}
		}
	}
	h.sweep, h.spread = inCosts(t.Sweep), inCosts(t.Spread)
	return h
}

// core is a hooked ring without capabilities but Probabilistic.
type core struct{ h *hooked }

func (c core) Zero() float64              { return c.h.zero }
func (c core) One() float64               { return c.h.one }
func (c core) Plus(a, b float64) float64  { return min(a, b) }
func (c core) Times(a, b float64) float64 { return a + b }
func (c core) IsZero(a float64) bool      { return math.IsInf(a, 1) }
func (c core) FromLog(l float64) float64  { return 0 - l }
func (c core) Log(w float64) float64      { return 0 - w }

func cost(r *rand.Rand) float64 { return float64(r.IntN(160)) / 16 }

func TestSoundRingPasses(t *testing.T) {
	for seed := range uint64(5) {
		if err := semiringtest.Check(sound(), cost, &semiringtest.Options[float64]{Rand: rand.NewPCG(seed, 0), Tolerance: -1}); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// Each entry breaks one operation; Check must find it and name one of the laws.
var broken = []struct {
	law   string
	crack func(h *hooked)
}{
	{"IsZero(0̄)", func(h *hooked) { h.isZero = func(float64) bool { return false } }},
	{"not IsZero(1̄)", func(h *hooked) { h.isZero = func(float64) bool { return true } }},
	{"IsZero(a) if and only if a = 0̄", func(h *hooked) { h.isZero = func(a float64) bool { return a > 8 } }},
	{"a ⊕ b = b ⊕ a", func(h *hooked) { h.plus = func(a, _ float64) float64 { return a } }},
	{"(a ⊕ b) ⊕ c = a ⊕ (b ⊕ c)", func(h *hooked) {
		h.plus = func(a, b float64) float64 {
			if math.IsInf(a+b, 1) {
				return min(a, b)
			}
			return (a + b) / 2
		}
	}},
	{"a ⊕ 0̄ = a", func(h *hooked) { h.zero = 3; h.isZero = func(a float64) bool { return a == 3 } }},
	{"(a ⊗ b) ⊗ c = a ⊗ (b ⊗ c)", func(h *hooked) { h.times = func(a, b float64) float64 { return a + 2*b } }},
	{"a ⊗ 1̄ = a", func(h *hooked) { h.one = 1 }},
	{"1̄ ⊗ a = a", func(h *hooked) { h.times = func(a, b float64) float64 { return a + 2*b } }},
	{"a ⊗ (b ⊕ c) = a⊗b ⊕ a⊗c", func(h *hooked) { h.plus = func(a, b float64) float64 { return max(0, min(a, b)-0.125) } }},
	{"(a ⊕ b) ⊗ c = a⊗c ⊕ b⊗c", func(h *hooked) { h.plus = func(a, b float64) float64 { return max(0, min(a, b)-0.125) } }},
	{"a ⊗ 0̄ = 0̄", func(h *hooked) { h.times = func(a, b float64) float64 { return min(a+b, 1e6) } }},
	{"Commutative: a ⊗ b = b ⊗ a", func(h *hooked) { h.times = func(a, _ float64) float64 { return a } }},
	{"Idempotent: a ⊕ a = a", func(h *hooked) { h.plus = func(a, b float64) float64 { return min(a, b) / 2 } }},
	{"Selective: a ⊕ b is a or b", func(h *hooked) { h.plus = func(a, b float64) float64 { return min(a, b) / 2 } }},
	{"Bounded: 1̄ ⊕ a = 1̄", func(h *hooked) { h.plus = func(a, b float64) float64 { return max(a, b) } }},
	{"KClosed: 1̄ ⊕ a ⊕ … ⊕ aⁿ = a* for some n", func(h *hooked) { h.star = func(a float64) (float64, bool) { return a, true } }},
	{"KClosed: 1̄ ⊕ a ⊕ … ⊕ aⁿ = a* for some n", func(h *hooked) {
		h.plus = func(a, b float64) float64 { return -math.Log(math.Exp(-a) + math.Exp(-b)) }
		h.star = func(a float64) (float64, bool) { return math.Log1p(-math.Exp(-a)), a > 0 && a < 0.1 }
	}},
	{"Cancellative: a ⊗ b = a ⊗ c only if b = c", func(h *hooked) { h.times = math.Max }},
	{"Cancellative: b ⊗ a = c ⊗ a only if b = c", func(h *hooked) { h.times = math.Max }},
	{"Bounded: a* = 1̄", func(h *hooked) { h.star = func(a float64) (float64, bool) { return a, true } }},
	{"Bounded: a* exists", func(h *hooked) { h.star = func(a float64) (float64, bool) { return 0, a > 5 } }},
	{"0̄* exists", func(h *hooked) { h.star = func(a float64) (float64, bool) { return 0, a < 5 } }},
	{"0̄* = 1̄", func(h *hooked) { h.star = func(a float64) (float64, bool) { return 1, true } }},
	{"a* = 1̄ ⊕ a⊗a*", func(h *hooked) { h.star = func(a float64) (float64, bool) { return 1, true } }},
	{"a* = 1̄ ⊕ a*⊗a", func(h *hooked) { h.star = func(a float64) (float64, bool) { return 1, true } }},
	{"a ⊗ (a\\b) = b", func(h *hooked) { h.lDiv = h.rDiv }},
	{"(b/a) ⊗ a = b", func(h *hooked) { h.rDiv = h.lDiv }},
	{"a ⊗ (a\\(a⊗b)) = a⊗b", func(h *hooked) { h.lDiv = h.rDiv }},
	{"((b⊗a)/a) ⊗ a = b⊗a", func(h *hooked) { h.rDiv = h.lDiv }},
	{"1̄\\a exists", func(h *hooked) { h.lDiv = func(a, b float64) (float64, bool) { return 0, false } }},
	{"a/1̄ = a", func(h *hooked) { h.rDiv = func(a, b float64) (float64, bool) { return a - b + 1, !math.IsInf(b, 1) } }},
	{"division by 0̄ is refused", func(h *hooked) { h.lDiv = func(a, b float64) (float64, bool) { return b - a, true } }},
	{"0̄ ⊕ a = a", func(h *hooked) { h.plus = func(a, _ float64) float64 { return a } }},
	{"0̄ ⊗ a = 0̄", func(h *hooked) { h.times = func(a, b float64) float64 { return min(a+b, 1e6) } }},
	{"(a ⊕ b)* = (a*⊗b)*⊗a*", func(h *hooked) { h.star = func(a float64) (float64, bool) { return a, true } }},
	{"(a⊗b)* = 1̄ ⊕ a⊗(b⊗a)*⊗b", func(h *hooked) { h.star = func(a float64) (float64, bool) { return 1, true } }},
	{"1̄\\a = a", func(h *hooked) { h.lDiv = func(a, b float64) (float64, bool) { return b - a + 1, !math.IsInf(a, 1) } }},
	{"a/1̄ exists", func(h *hooked) { h.rDiv = func(a, b float64) (float64, bool) { return 0, false } }},
	{"(a⊗b⊗c)\\(a⊗b⊗c) = 1̄", func(h *hooked) { h.lDiv = func(a, b float64) (float64, bool) { return b - a + 1, !math.IsInf(a, 1) } }},
	{"(a⊗b⊗c)/(a⊗b⊗c) = 1̄", func(h *hooked) { h.rDiv = func(a, b float64) (float64, bool) { return a - b + 1, !math.IsInf(b, 1) } }},
	{"Compare(a, b) = −Compare(b, a)", func(h *hooked) { h.compare = func(a, b float64) int { return -1 } }},
	{"Compare(a, a) = 0", func(h *hooked) { h.compare = func(a, b float64) int { return 1 } }},
	{"Compare(a, b) = 0 if and only if a = b", func(h *hooked) { h.compare = func(a, b float64) int { return 0 } }},
	{"Compare is transitive", func(h *hooked) {
		h.compare = func(a, b float64) int { // as in a game of rock, paper, scissors
			if a == b || math.IsInf(a+b, 1) {
				return int(math.Copysign(1, a-b))
			}
			return []int{0, 1, -1}[(int(16*(a-b))%3+3)%3]
		}
	}},
	{"a ⊕ b is the one that Compare puts first", func(h *hooked) {
		h.compare = func(a, b float64) int { return semiring.Tropical{}.Compare(semiring.Cost(b), semiring.Cost(a)) }
	}},
	{"Compare puts 0̄ last", func(h *hooked) {
		h.compare = func(a, b float64) int { return semiring.Tropical{}.Compare(semiring.Cost(b), semiring.Cost(a)) }
	}},
	{"Ordered: the ring claims to be Selective", func(h *hooked) { h.laws = semiring.Commutative }},
	{"Kernel: the ring claims to be Commutative", func(h *hooked) { h.laws = semiring.Selective }},
	{"Sweeper: the ring claims to be Commutative", func(h *hooked) { h.laws = semiring.Selective }},
	{"Dist(0̄, 1̄) > 0", func(h *hooked) { h.dist = func(a, b float64) float64 { return 0 } }},
	{"Dist(a, b) ≥ 0", func(h *hooked) { h.dist = func(a, b float64) float64 { return a - b } }},
	{"Dist(a, b) = Dist(b, a)", func(h *hooked) { h.dist = func(a, b float64) float64 { return math.Abs(a-b) * (1 + a) } }},
	{"Dist(a, a) = 0", func(h *hooked) { h.dist = func(a, b float64) float64 { return 1 } }},
	{"Log(FromLog(l)) = l", func(h *hooked) { h.log = func(w float64) float64 { return w } }},
	{"FromLog(−Inf) = 0̄", func(h *hooked) { h.fromLog = func(l float64) float64 { return min(1e9, -l) } }},
	{"FromLog(0) = 1̄", func(h *hooked) { h.fromLog = func(l float64) float64 { return 1 - l } }},
	{"Log(0̄) = −Inf", func(h *hooked) { h.log = func(w float64) float64 { return max(-1e9, -w) } }},
	{"Log(a ⊗ b) = Log(a) + Log(b)", func(h *hooked) { h.log = func(w float64) float64 { return 1 - w } }},
	{"Log(a ⊕ b) is between the greater mass and the sum of both", func(h *hooked) { h.plus = func(a, b float64) float64 { return max(a, b) } }},
	{"AppendKey appends", func(h *hooked) { h.key = func(d []byte, w, delta float64) []byte { return fmt.Append(nil, w) } }},
	{"equal weights have equal keys", func(h *hooked) {
		calls := uint32(0)
		h.key = func(d []byte, w, delta float64) []byte { calls++; return binary.BigEndian.AppendUint32(d, calls) }
	}},
	{"keys for delta = 0 are equal if and only if a = b", func(h *hooked) { h.key = func(d []byte, w, delta float64) []byte { return append(d, 'x') } }},
	{"weights far apart have different keys", func(h *hooked) {
		h.key = func(d []byte, w, delta float64) []byte {
			if delta == 0 {
				return fmt.Append(d, w)
			}
			return fmt.Append(d, math.Round(w))
		}
	}},
	{"Format(a) has no white space", func(h *hooked) { h.format = func(w float64) string { return fmt.Sprint(w, " nats") } }},
	{"Parse(Format(a)) = a", func(h *hooked) { h.format = func(w float64) string { return fmt.Sprintf("%.2f", w) } }},
	{"Parse(Format(a)) = a", func(h *hooked) { h.parse = func(string) (float64, error) { return 0, errors.New("cannot read") } }},
	{"Reverse(Reverse(a)) = a", func(h *hooked) { h.reverse = func(w float64) float64 { return w + 1 } }},
	{"Reverse(a ⊗ b) = Reverse(b) ⊗ Reverse(a)", func(h *hooked) { h.reverse = func(w float64) float64 { return 20 - w } }},
	{"Reverse(a ⊕ b) = Reverse(a) ⊕ Reverse(b)", func(h *hooked) { h.reverse = func(w float64) float64 { return 20 - w } }},
	{"Dot = ⊕ w[k] ⊗ x[i]", func(h *hooked) {
		dot := h.dot
		h.dot = func(dst *float64, w []float64, k []int32, x []float64, i []int32) {
			if k != nil {
				w = w[:len(k)] // and the indices are forgotten
			}
			dot(dst, w, nil, x, i)
		}
	}},
	{"Dot = ⊕ w[k] ⊗ x[i] when *dst is used again", func(h *hooked) {
		dot := h.dot
		h.dot = func(dst *float64, w []float64, k []int32, x []float64, i []int32) {
			old := *dst
			dot(dst, w, k, x, i)
			*dst += old // should have been cleared
		}
	}},
	{"Dot2 = ⊕ w[k] ⊗ x[i] ⊗ y[j]", func(h *hooked) {
		dot2 := h.dot2
		h.dot2 = func(dst *float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32) {
			dot2(dst, w, k, x, i, y, nil)
		}
	}},
	{"Dot2 = ⊕ w[k] ⊗ x[i] ⊗ y[j] when *dst is used again", func(h *hooked) {
		dot2 := h.dot2
		h.dot2 = func(dst *float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32) {
			old := *dst
			dot2(dst, w, k, x, i, y, j)
			*dst += old
		}
	}},
	{"Kernel leaves its operands alone", func(h *hooked) {
		dot := h.dot
		h.dot = func(dst *float64, w []float64, k []int32, x []float64, i []int32) {
			dot(dst, w, k, x, i)
			if len(x) > 0 {
				x[0] = 77
			}
		}
	}},
	{"Marginals = mass of a ⊗ w[k] ⊗ x[i]", func(h *hooked) {
		h.marginals = func(p []float64, a float64, w []float64, k []int32, x []float64, i []int32) { clear(p[:len(p)-1]) }
	}},
	{"Marginals sets n elements", func(h *hooked) {
		h.marginals = func(p []float64, a float64, w []float64, k []int32, x []float64, i []int32) { clear(p) }
	}},
	{"Sweep: x[s] = x[s] ⊕ ⊕ w ⊗ x[i]", func(h *hooked) {
		sweep := h.sweep
		h.sweep = func(x []float64, order, row []int32, w []float64, i []int32) { sweep(x, nil, row, w, i) }
	}},
	{"Sweep: x[s] = x[s] ⊕ ⊕ w ⊗ x[i]", func(h *hooked) {
		sweep := h.sweep
		h.sweep = func(x []float64, order, row []int32, w []float64, i []int32) {
			for s := range x {
				x[s] = h.zero
			}
			sweep(x, order, row, w, i)
		}
	}},
	{"Sweep leaves weights alone and replaces those of x", func(h *hooked) {
		sweep := h.sweep
		h.sweep = func(x []float64, order, row []int32, w []float64, i []int32) {
			sweep(x, order, row, w, i)
			clear(w)
		}
	}},
	{"Spread: x[i] = x[i] ⊕ ⊕ x[s] ⊗ w", func(h *hooked) {
		spread := h.spread
		h.spread = func(x []float64, order, row []int32, w []float64, i []int32) { spread(x, nil, row, w, i) }
	}},
	{"Spread: x[i] = x[i] ⊕ ⊕ x[s] ⊗ w", func(h *hooked) {
		spread := h.spread
		h.spread = func(x []float64, order, row []int32, w []float64, i []int32) {
			for s := range x {
				x[s] = h.zero
			}
			spread(x, order, row, w, i)
		}
	}},
	{"Spread leaves weights alone and replaces those of x", func(h *hooked) {
		spread := h.spread
		h.spread = func(x []float64, order, row []int32, w []float64, i []int32) {
			spread(x, order, row, w, i)
			clear(w)
		}
	}},
}

func TestBrokenRingsAreCaught(t *testing.T) {
	for _, b := range broken {
		h := sound()
		b.crack(h)
		err := semiringtest.Check(h, cost, &semiringtest.Options[float64]{Tolerance: -1})
		if !names(err, b.law) {
			t.Errorf("%s is broken, and found is:\n%v", b.law, err)
		}
	}
}

// names reports whether one of the joined violations violates the law.
func names(err error, law string) bool {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return false
	}
	for _, err := range joined.Unwrap() {
		if v := new(semiringtest.Violation); errors.As(err, &v) && v.Law == law {
			return true
		}
	}
	return false
}
