package privacy

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// fixture reads numbers worked out by an independent implementation.
func fixture[F any](t *testing.T, name string) F {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var f F
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// near fails unless got is want to a relative error of 1e-11.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-11*max(1, math.Abs(want))) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func value(o Outcome) float64 {
	p, _ := o.P.Float64()
	return p
}

func TestRandomizedResponseFixture(t *testing.T) {
	f := fixture[struct {
		Phi, S, Beta       [][]float64
		U                  []float64
		Eps, Alpha         float64
		EpsForLossOfOneNat float64 `json:"eps_for_alpha_1"`
	}](t, "m1_classic_rr")
	m := must(NewRandomizedResponse(len(f.U), f.U, f.Alpha))
	near(t, "k", m.Keep(), f.Eps)
	near(t, "loss", m.Loss(), f.Alpha)
	near(t, "k for a loss of 1", must(NewRandomizedResponse(len(f.U), f.U, 1)).Keep(), f.EpsForLossOfOneNat)
	for y := range f.U {
		for o, outcome := range must(m.Outcomes(y)) {
			near(t, "S(o|y)", value(outcome), f.S[o][y])
			for j := range f.Phi[0] {
				beta := 0.0
				for category, x := range outcome.Record.Observation() {
					beta += x * f.Phi[category][j]
				}
				near(t, "β(o)", beta, f.Beta[o][j])
			}
		}
	}
}

func TestCoordinateReleaseFixture(t *testing.T) {
	f := fixture[struct {
		Phi, P              []float64
		C, Alpha, Q         float64
		Prob                [][]float64
		Beta                [][][]float64
		Loss                float64 `json:"exact_loss"`
		TruthOfTightRelease float64 `json:"q_tight"`
	}](t, "m2_coordinate_release")
	d := must(NewDomain(repeat(len(f.Phi), Range{0, f.C})...))
	m := must(NewCoordinateRelease(d, f.P, f.Alpha, Published))
	near(t, "q", float64(m.bits[0].hi)/one, f.Q)
	near(t, "loss", m.Loss(), f.Loss)
	near(t, "tight q", float64(must(NewCoordinateRelease(d, f.P, f.Alpha, Tight)).bits[0].hi)/one, f.TruthOfTightRelease)
	for o, outcome := range must(m.Outcomes(must(d.Check(f.Phi)))) {
		near(t, "probability", value(outcome), f.Prob[o/2][o%2])
		for j, x := range outcome.Record.Observation() {
			near(t, "β", x, f.Beta[o/2][o%2][j])
		}
	}
}

func TestPerValueFixture(t *testing.T) {
	f := fixture[struct {
		C, Alpha, Q float64
		Delta       int
		Loss        float64 `json:"exact_loss"`
		Phi0, Prob  []float64
		Outputs     [][]int
		Beta        [][]float64
	}](t, "m3_per_value")
	d := must(must(NewDomain(repeat(len(f.Phi0), Range{0, f.C})...)).Sparse(f.Delta))
	m := must(NewPerValue(d, f.Alpha, Published))
	near(t, "q", float64(m.bits[0].hi)/one, f.Q)
	near(t, "loss", m.Loss(), f.Loss)
	outcomes := must(m.Outcomes(must(d.Check(f.Phi0))))
	for k, bits := range f.Outputs {
		o := 0
		for j, b := range bits {
			o |= b << j
		}
		near(t, "probability", value(outcomes[o]), f.Prob[k])
		for j, x := range outcomes[o].Record.Observation() {
			near(t, "β", x, f.Beta[k][j])
		}
	}
}

func TestRegressionStatisticsFixture(t *testing.T) {
	f := fixture[struct {
		D        int
		Alpha, Q float64
		J, Bits  []int
		Mu       []float64
	}](t, "m9_private_regression_stats")
	d := must(NewDomain(repeat(f.D, Range{-1, 1})...))
	m := must(NewCoordinateRelease(d, nil, f.Alpha, Tight))
	near(t, "q", float64(m.bits[0].hi)/one, f.Q)
	outcomes := must(m.Outcomes(must(d.Check(make([]float64, f.D)))))
	var records []Record
	for i, j := range f.J {
		records = append(records, outcomes[2*j+f.Bits[i]].Record)
	}
	for j, x := range must(Mean(All(records))).Mean {
		near(t, "mean", x, f.Mu[j])
	}
}
