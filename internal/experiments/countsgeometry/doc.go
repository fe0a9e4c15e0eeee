// Countsgeometry illustrates moment estimates. Three values are observed through a noisy
// channel, and a family of distributions that does not contain the true one is fitted to the
// observations.
//
// A single distribution explains the observations exactly. The moment estimate is the member of
// the family with the same mean; the maximum of the marginal likelihood is the member that
// makes the observations most probable, a different one. Packages moments and em compute both,
// as they do for labels from counts.
//
//	go run ./internal/experiments/countsgeometry -plot geometry.svg
package main
