package trials

import "testing"

func TestFactor(t *testing.T) {
	for long, want := range map[string]uint64{"": 1, "1": gate, "yes": gate, "0": gate, "25": 25} {
		if got := factor(long); got != want {
			t.Errorf("PATHSUM_LONG=%q: %d, want %d", long, got, want)
		}
	}
}

func TestSeeds(t *testing.T) {
	t.Setenv("PATHSUM_LONG", "3")
	n := uint64(0)
	for seed := range Seeds(5) {
		if seed != n {
			t.Fatalf("seed %d, want %d", seed, n)
		}
		n++
	}
	if n != 15 {
		t.Errorf("%d seeds, want 15", n)
	}
}
