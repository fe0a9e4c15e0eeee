package main

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// counting is the table as a machine that counts readings.
func counting(t *testing.T) (*table, *fst.FST[*big.Int]) {
	t.Helper()
	tb, err := loadTable()
	if err != nil {
		t.Fatal(err)
	}
	m, err := newTableMachine(tb, semiring.Counting{})
	if err != nil {
		t.Fatal(err)
	}
	return tb, m
}

// ways returns the number of paths of the composition of machines.
func ways(t *testing.T, machines ...fst.Machine[*big.Int]) int64 {
	t.Helper()
	m := machines[0]
	for _, next := range machines[1:] {
		m = fst.Compose(m, next)
	}
	n, err := fst.PathSum(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return n.Int64()
}

// text returns the machine of a string over the names of s.
func text(t *testing.T, s *fst.Symbols, chars string) fst.Machine[*big.Int] {
	t.Helper()
	labels, err := s.EncodeRunes(chars)
	if err != nil {
		t.Fatal(err)
	}
	return fst.FromString(semiring.Counting{}, labels)
}

func TestReadings(t *testing.T) {
	tb, m := counting(t)
	for _, test := range []struct {
		romaji, kana string
		want         int64
	}{
		{"te-buru", "テーブル", 1},
		{"hoteru", "ホテル", 1},
		{"ko-hi-", "コーヒー", 1},
		{"anna", "アンナ", 1},
		{"ana", "アンア", 0},
		{"an'a", "アンア", 1},
		{"an'a", "アナ", 0},
		{"kin'yobi", "キンヨビ", 1},
		{"kinyobi", "キンヨビ", 0},
		{"kinyobi", "キニョビ", 1},
		{"shi", "シ", 1},
		{"si", "シ", 1},
		{"s'i", "スィ", 1},
		{"ti", "ティ", 1},
		{"chi", "チ", 1},
		{"bahha", "バッハ", 1},
		{"matchi", "マッチ", 1},
		{"macchi", "マッチ", 1},
		{"otto-", "オットー", 1},
		{"vivarudi", "ヴィヴァルディ", 1},
		{"ruxi", "ルィ", 1},
		{"baqma", "バッマ", 1},
		{"baq", "バッ", 1},
		{"xjixzuxwo", "ヂヅヲ", 1},
		{"n", "ン", 1},
		{"", "", 1},
		{"santa", "サンタ", 1},
		{"sirk", "シルク", 1},
		{"sirk", "シルキ", 0},
		{"sua", "スア", 1},
		{"sa", "スア", 0},
		{"supo-ts", "スポーツ", 1},
		{"rokk", "ロック", 1},
		{"hott", "ホット", 1},
		{"match", "マッチ", 1},
		{"y", "イ", 0},
		{"ny", "ニ", 0},
	} {
		if got := ways(t, text(t, tb.romaji, test.romaji), m, text(t, tb.kana, test.kana)); got != test.want {
			t.Errorf("%s is read as %s in %d ways, want %d", test.romaji, test.kana, got, test.want)
		}
	}
}

// TestOneReading: each romaji string has at most one reading, for any katakana.
func TestOneReading(t *testing.T) {
	tb, m := counting(t)
	rng := rand.New(rand.NewPCG(1, 2))
	some := 0
	for range 500 {
		// Prefer sequences of entries, cut anywhere, which are often readable.
		var romaji []int32
		for range 1 + rng.IntN(5) {
			romaji = append(romaji, tb.entries[rng.IntN(len(tb.entries))].in...)
		}
		romaji = romaji[rng.IntN(2):]
		in := fst.FromString(m.Semiring(), romaji)
		switch n := ways(t, in, m); n {
		case 0:
		case 1:
			some++
		default:
			names, _ := tb.romaji.Decode(romaji)
			t.Errorf("%s has %d readings", strings.Join(names, ""), n)
		}
	}
	if some < 250 {
		t.Errorf("only %d of 500 strings have a reading", some)
	}
}

// TestEveryKatakanaHasASpelling: alone, after each other katakana, and in random strings.
func TestEveryKatakanaHasASpelling(t *testing.T) {
	tb, m := counting(t)
	var all []rune
	for r := 'ァ'; r <= 'ヺ'; r++ {
		all = append(all, r)
	}
	all = append(all, 'ー')
	if n := tb.kana.Len() - 1; n != len(all) {
		t.Errorf("the table has %d characters, want the %d katakana", n, len(all))
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for i, a := range all {
		b, c := all[(i*31+7)%len(all)], all[rng.IntN(len(all))]
		s := string([]rune{a, b, c, a})
		if ways(t, m, text(t, tb.kana, s)) == 0 {
			t.Errorf("%s has no spelling", s)
		}
	}
}

// TestDoubledConsonants: a doubled first letter is a ッ before the entry, and the table has it
// for every consonant that can be doubled.
func TestDoubledConsonants(t *testing.T) {
	tb, _ := counting(t)
	kana := map[string]string{}
	for _, e := range tb.entries {
		in, _ := tb.romaji.Decode(e.in)
		out, _ := tb.kana.Decode(e.out)
		kana[strings.Join(in, "")] = strings.Join(out, "")
	}
	for romaji, k := range kana {
		doubled, ok := kana[romaji[:1]+romaji]
		can := strings.Contains("bcdfghjkprstvz", romaji[:1]) && !strings.HasPrefix(k, "ッ")
		if can && !ok {
			t.Errorf("%s%s is not in the table", romaji[:1], romaji)
		}
		if ok && doubled != "ッ"+k {
			t.Errorf("%s%s is %s, want ッ%s", romaji[:1], romaji, doubled, k)
		}
	}
}
