// Countsgeometry draws what a moment estimate is. Three values are observed through a noisy
// channel, and a family of distributions, of which the truth is none, is to explain them.
//
// One distribution of all explains the observations. The moment estimate is the one of the family
// that has its mean; the maximum of the marginal likelihood is the one of the family that makes the
// observations most probable, which is another. Both are computed as for labels from counts, by
// packages moments and em.
//
//	go run ./internal/experiments/countsgeometry -plot geometry.svg
package main
