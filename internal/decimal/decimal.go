// Package decimal compares numbers in decimal notation. The idea: two texts denote the same
// number exactly if their canonical forms are equal, for any number of digits.
package decimal

import (
	"math"
	"strconv"
	"strings"
)

// Canonical returns a text that is equal for all notations of a decimal number: 5, 5.0, +5 and
// 50e-1. It returns false for a text that is not a finite decimal number, and for one with a
// zero before its digits, such as 007, which is a code and not a number. It takes time in
// proportion to the length of the text.
func Canonical(text string) (string, bool) {
	digits, negative := strings.CutPrefix(text, "-")
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	digits, exponent, ok := cutExponent(digits)
	if !ok {
		return "", false
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole+fraction == "" || !allDigits(whole) || !allDigits(fraction) || len(whole) > 1 && whole[0] == '0' {
		return "", false
	}
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0", true
	}
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short)
	if negative {
		short = "-" + short
	}
	return short + "e" + strconv.Itoa(exponent), true
}

// cutExponent splits a number into its digits and its exponent, 0 if it has no exponent.
func cutExponent(text string) (digits string, exponent int, ok bool) {
	i := strings.IndexAny(text, "eE")
	if i < 0 {
		return text, 0, true
	}
	exponent, err := strconv.Atoi(text[i+1:])
	return text[:i], exponent, err == nil && exponent > math.MinInt32 && exponent < math.MaxInt32
}

func allDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }
