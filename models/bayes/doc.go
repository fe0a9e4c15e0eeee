// Package bayes implements Bayesian networks of discrete and normally distributed variables, and
// factor graphs of discrete variables. It provides exact inference, sampling and estimation with
// any cells missing.
//
// A network is a list of variables, each with a table of probabilities given its parents. Variable
// elimination sums over missing cells, one variable at a time: it multiplies the tables that
// contain the variable and sums over its values. The computation is a forest, so likelihoods are
// tree sums, and the best explanation is a best tree. Rows with the same missing cells share it.
//
//	n, err := bayes.ReadBIF(strings.NewReader(sprinkler), "sprinkler.bif")
//	...
//	row, err := n.Evidence(map[string]string{"grass": "wet"})
//	p, err := n.Posteriors(row)
//
// Which function:
//
//   - a network: [New], [ReadBIF], [Load]; of the columns of a table, by their names:
//     table.Table.Network; one hidden variable that is the parent of all others: [NaiveBayes], and
//     for vectors [NewMixture]
//   - a row, NaN where a cell is missing: [Network.Evidence], package table
//   - one probability by names, for instance an entry of a table: [Network.P]
//   - ln P(row): [Network.LogProb]; every missing cell: [Network.Posteriors], by name
//     [Posterior.P]; some: [Network.PosteriorsOf]; drawn jointly: [Network.Complete]
//   - the best joint explanation: [Network.Best]; of some variables, summed over the others:
//     [Network.BestOf]
//   - a row at random: [Network.Sample]; the loss of complete rows: [Network.LogLoss]
//   - probabilities estimated from data: [Network.Fit]; in steps: [NewModel], [Model.Fit],
//     [Model.Network]; by any method of em: [Model.Likelihood]; discriminatively:
//     [Model.ConditionalLikelihood]
//   - a start without randomness: [Model.StartKMeans] of a mixture, [Network.Relax] with
//     [Model.Polish]
//   - the names of the states of a hidden variable: [Network.Match]
//   - undirected models: [NewFactorGraph], with the same questions; trained: [NewFactorModel]
//   - files: [Network.Save], [Network.WriteBIF]
//
// # Training
//
// Three lines estimate the probabilities from a table with missing cells:
//
//	rows, err := table.ReadRows(csv, "diary.csv", n)
//	prior := bayes.SameLaw(em.Dirichlet{Alpha: 2})
//	fitted, result, err := n.Fit(ctx, bayes.Data{Rows: rows}, prior, nil)
//
// # Families and laws
//
// Families are P(discrete | discrete), a table, and P(continuous … | discrete), a normal
// distribution per configuration of the parents. It may be the joint distribution of several
// correlated variables, and its means may be linear in other, known continuous variables.
//
// Laws are em.Multinomial, em.Dirichlet, em.Fixed, em.Variational, [Ridge] and em.Gaussian.
//
// # Factor graphs
//
// The factors of a [FactorGraph] need not be conditional probabilities. It has the same queries as
// a network, by the same elimination. [FactorModel.Fit] trains it by moments, or by any method of
// em: its objective is ln of the product of factors less ln Z ([FactorGraph.LogPartition]). If Z is
// too expensive, [FactorModel.FitPseudo] trains it by pseudolikelihood.
//
// # Difficult data
//
//   - If the states of a hidden variable are alike at the start, training cannot separate them: Fit
//     returns an error (em.ErrSymmetric).
//   - Rows of tables without data keep their probabilities, or take those that the prior prefers;
//     they are never 0/0.
//   - A probability of 0 stays 0 under em.Multinomial, as it must, and becomes positive under a
//     prior. A row that it makes impossible causes an error with the row's index, or is skipped,
//     depending on Data.Underivable. The objective is never NaN.
//   - The cost of many hidden variables is the cost of their elimination. If it would exceed a
//     limit on memory, it is not begun and the error is ErrTreewidth. The limit can be set
//     ([Network.WithMaxEntries]).
//
// # Cost
//
// The time and memory of an elimination are proportional to the entries of its tables. A variable's
// table has the product of the sizes of the variable and its current neighbours. Three orders are
// tried, min-fill, weighted min-fill and table size, and the cheapest is used. LogProb,
// PosteriorsOf, P, BestOf and Complete first remove irrelevant variables; Posteriors, Best and
// training need all missing cells. ../PERFORMANCE.md has numbers. A row of a Likelihood takes 4
// bytes per entry of a table that it looks up. Probabilities do not underflow. The relative error
// of log likelihoods is about 1e-15 times the number of variables.
//
// Sources: Pearl 1988; Lauritzen and Spiegelhalter 1988; Zhang and Poole 1994 for variable
// elimination; Kjærulff 1990 for its orders; Shachter 1998 for relevant variables; Dechter 1999 for
// bucket elimination; Park and Darwiche 2004 for marginal maxima; Lauritzen 1995 for EM; Besag 1975
// for pseudolikelihood.
package bayes
