// Package bayes is Bayesian networks of discrete and normally distributed variables:
// exact inference, sampling and estimation with any cells missing.
//
// The idea: to sum over what is missing is to eliminate variables, and an elimination is
// a forest: a node for each entry of a message, an edge for each value of the variable
// that the message has summed over (package forest). So likelihoods are tree sums,
// posteriors are posteriors of edges, the most probable explanation is a best tree,
// completions are random trees, and em.Derivations make the E step. The order is min-fill;
// rows with the same cells missing share the elimination.
//
// # Use
//
// Make a Network by New, from its variables and families, or read one (ReadBIF, Load). A
// Row has a cell per variable, NaN where it is missing; see Evidence and package table.
//
//	LogProb      ln P(row)                         Sample        a row
//	Posteriors   of every missing cell             Complete      missing cells, drawn jointly
//	Best         the best joint explanation        LogLoss       of complete rows
//
// To estimate the numbers, make a Model, choose laws (em.Multinomial, em.Dirichlet,
// em.Fixed, em.Variational, Ridge, em.Gaussian), and Fit it:
//
//	model, err := bayes.NewModel(network, nil)
//	result, err := model.Fit(ctx, bayes.Data{Rows: rows}, nil)
//	fitted, err := model.Network()
//	posteriors, err := fitted.Posteriors(row)
//
// Model.Likelihood works with all methods of package em; ConditionalLikelihood is for
// discriminative training. States of a hidden variable come out in any order: Match names
// them as fits labelled rows best. Relax begins without starts at random, by package convex.
//
// Families are P(discrete | discrete), a table, and P(continuous … | discrete), a normal
// distribution per configuration of the parents. It may be of several correlated variables,
// and its means may be linear in other continuous variables that are known.
//
// A mixture is a network of one hidden variable that is the parent of all others. NaiveBayes
// makes one of discrete and continuous features, NewMixture one of vectors, with diagonal or
// full covariance matrices; Posteriors says which component a row is of.
//
// # What goes wrong elsewhere
//
//   - A start at which the states of a hidden variable are alike would stay so for ever:
//     Fit refuses it (em.ErrSymmetric).
//   - Rows of tables that no data visit keep their numbers, or take the prior's;
//     they are never 0/0.
//   - A probability of 0 stays 0 under em.Multinomial, as it must, and comes back under a
//     prior. A row that it makes impossible is an error with the row's number, or skipped
//     if the Data say so. No objective is NaN.
//   - Many hidden variables cost what their elimination costs. One that would not fit in
//     memory is refused (ErrWide) before it is begun.
//
// # Cost
//
// Elimination takes time and memory in proportion to the entries of its tables: for each
// variable, the product of the sizes of those it is then tied to. ../PERFORMANCE.md has
// numbers. A row of a Likelihood takes 4 bytes per entry of a table that it looks up.
// Probabilities do not underflow, and log likelihoods are accurate to about 1e-15 times the
// number of variables, relative.
//
// # Sources
//
// Pearl 1988; Lauritzen and Spiegelhalter 1988; Zhang and Poole 1994 for variable
// elimination; Dechter 1999 for bucket elimination; Lauritzen 1995 for EM.
package bayes
