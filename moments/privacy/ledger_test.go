package privacy

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/big"
	"sync"
	"testing"
)

// TestSequentialComposition: the loss of two releases about one person, by enumeration of
// both, is what is accounted for.
func TestSequentialComposition(t *testing.T) {
	a, b := must(NewRandomizedResponse(3, nil, .7)), must(NewRandomizedResponse(3, []float64{.2, .3, .5}, 1.1))
	enumerated := must(EnumeratedLoss(both{a, b}, []int{0, 1, 2}))
	if sum := Sequential(a.Loss(), b.Loss()); enumerated > sum || sum > 1.8*(1+0x1p-52) {
		t.Errorf("loss %v, accounted for as %v", enumerated, sum)
	}
	if p := Parallel(a.Loss(), b.Loss()); p != b.Loss() || Parallel() != 0 || Sequential() != 0 {
		t.Errorf("loss %v for different people, want %v", p, b.Loss())
	}
}

// both releases two records.
type both struct {
	Mechanism[int]
	second Mechanism[int]
}

func (m both) Outcomes(category int) ([]Outcome, error) {
	var pairs []Outcome
	for _, a := range must(m.Mechanism.Outcomes(category)) {
		for _, b := range must(m.second.Outcomes(category)) {
			pairs = append(pairs, Outcome{P: new(big.Rat).Mul(a.P, b.P)})
		}
	}
	return pairs, nil
}

func TestLedger(t *testing.T) {
	l := must(NewLedger[string](2))
	m := must(NewRandomizedResponse(3, nil, .6))
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			if r, err := Spend(l, "ann", m, 1, nil); err != nil || r.Loss() != m.Loss() || !r.Private() {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	wait.Wait()
	if _, err := Spend(l, "bob", m, 1, nil); err != nil {
		t.Error(err)
	}
	before := l.Spent("ann")
	if want := 3 * m.Loss(); before < want || before > want*(1+0x1p-51) || l.Loss() != before || l.Spent("bob") != m.Loss() || l.Spent("eve") != 0 {
		t.Errorf("ann %v, bob %v, all %v", before, l.Spent("bob"), l.Loss())
	}
	nothing(t, "over the budget", ErrBudget)(Spend(l, "ann", m, 1, nil))
	nothing(t, "no such category", ErrInvalid)(Spend(l, "bob", m, 7, nil))
	nothing(t, "no randomness", io.EOF)(Spend(l, "bob", m, 0, FromReader(bytes.NewReader(nil))))
	if l.Spent("ann") != before || l.Spent("bob") != m.Loss() {
		t.Error("what was not released was entered")
	}
}

// TestLedgerRefusesKeysUnlikeThemselves: no map finds them again, and a budget of 1 would last
// for any number of releases.
func TestLedgerRefusesKeysUnlikeThemselves(t *testing.T) {
	checkRefused(t, math.NaN(), 1.5)
	checkRefused(t, complex(1, math.NaN()), 1i)
	checkRefused(t, [2]float64{1, math.NaN()}, [2]float64{1, 2})
	checkRefused(t, struct{ x any }{math.NaN()}, struct{ x any }{"name"})
	checkRefused(t, any(math.NaN()), any(7))
}

func checkRefused[K comparable](t *testing.T, bad, good K) {
	t.Helper()
	m := must(NewRandomizedResponse(3, nil, .7))
	l := must(NewLedger[K](1))
	source := FromReader(bytes.NewReader(make([]byte, 1<<12)))
	for range 3 {
		if _, err := Spend(l, bad, m, 1, source); !errors.Is(err, ErrInvalid) {
			t.Errorf("person %v: error %v, want ErrInvalid", bad, err)
		}
	}
	if l.Loss() != 0 {
		t.Errorf("person %v: a loss of %v was entered", bad, l.Loss())
	}
	if _, err := Spend(l, good, m, 1, source); err != nil {
		t.Errorf("person %v: %v", good, err)
	}
	if _, err := Spend(l, good, m, 1, source); !errors.Is(err, ErrBudget) {
		t.Errorf("person %v again: error %v, want ErrBudget", good, err)
	}
}
