// Aligncurve makes figure 1 of Liang, Klein and Jordan 2007, "Agreement-based learning", and of
// Liang, Taskar and Klein 2006, "Alignment by agreement": the alignment error rate on a development
// set after each iteration of training, at the threshold that is best then, for several ways to
// train two hidden Markov models, one for each direction.
//
//	go run ./internal/experiments/aligncurve -plot curve.svg
//	go run ./internal/experiments/aligncurve -train agreement -e E -f F -dev-e E -dev-f F -dev-gold G
//
// The ways are
//
//	agreement      as examples/align trains, by align.Recipe
//	independent    each direction by itself
//	product2006    links counted by the product of the two posteriors
//	agreement2007  the E step of both directions' potentials together
//
// IBM Model 1 initializes the hidden Markov models; its last iteration is number 0.
//
// Texts and settings are the same as in examples/align, with additional settings: its
// PERFORMANCE.md compares them, with a run for each line of a table. -null and -reach change
// the models; -backoff and -jumps pool rare words and rare jumps of two classes. With -deleted
// a training sentence is aligned without a fraction of its own counts, which requires -train
// agreement. -dirichlet and -variational are priors of the translations; variational Bayes
// requires -train independent.
package main
