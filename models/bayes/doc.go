// Package bayes is Bayesian networks of discrete and normally distributed variables, and factor
// graphs of discrete ones: exact inference, sampling and estimation with any cells missing.
//
// To sum over what is missing is to eliminate variables, and an elimination is a forest: a node
// for each entry of a message, an edge for each value of the variable that the message has
// summed over. So likelihoods are tree sums, the most probable explanation is a best tree, and
// completions are random trees. Rows with the same cells missing share one elimination.
//
//	n, err := bayes.ReadBIF(strings.NewReader(sprinkler), "sprinkler.bif")
//	...
//	row, err := n.Evidence(map[string]string{"grass": "wet"})
//	p, err := n.Posteriors(row)
//
// Its numbers are learnt from a table with cells missing, in three lines:
//
//	rows, err := table.ReadRows(csv, "diary.csv", n)
//	prior := bayes.Same(em.Dirichlet{Alpha: 2})
//	fitted, result, err := n.Fit(ctx, bayes.Data{Rows: rows}, prior, nil)
//
// Which function:
//
//   - a network: [New], [ReadBIF], [Load]; of the columns of a table, by their names:
//     table.Table.Network; one hidden variable that is the parent of all others:
//     [NaiveBayes], and for vectors [NewMixture]
//   - a row, NaN where a cell is missing: [Network.Evidence], package table
//   - one probability, an entry of a table for instance, by names: [Network.P]
//   - ln P(row): [Network.LogProb]; every missing cell: [Network.Posteriors], by name
//     [Posterior.P]; some: [Network.PosteriorsOf]; drawn jointly: [Network.Complete]
//   - the best joint explanation: [Network.Best]; of some variables, the others being summed
//     over: [Network.BestOf]
//   - a row at random: [Network.Sample]; the loss of complete rows: [Network.LogLoss]
//   - the numbers from data: [Network.Fit]; in steps: [NewModel], [Model.Fit], [Model.Network];
//     by any method of em: [Model.Likelihood]; discriminatively: [Model.ConditionalLikelihood]
//   - a start without randomness: [Model.StartKMeans] of a mixture, [Network.Relax] with
//     [Model.Polish]
//   - the names of the states of a hidden variable: [Network.Match]
//   - undirected models: [NewFactorGraph], with the same questions; trained: [NewFactorModel]
//   - files: [Network.Save], [Network.WriteBIF]
//
// # Families and laws
//
// Families are P(discrete | discrete), a table, and P(continuous … | discrete), a normal
// distribution per configuration of the parents. It may be of several correlated variables, and
// its means may be linear in other continuous variables that are known.
//
// Laws are em.Multinomial, em.Dirichlet, em.Fixed, em.Variational, [Ridge] and em.Gaussian.
//
// # Factor graphs
//
// The factors of a [FactorGraph] are no conditional probabilities, and it has the questions of a
// network, by the same elimination. [FactorModel.Fit] trains it by moments, or by any method of em:
// its objective is ln of the product of factors less ln Z ([FactorGraph.LogPartition]). Where Z is
// out of reach, [FactorModel.FitPseudo] trains it by pseudolikelihood.
//
// # What goes wrong elsewhere
//
//   - A start at which the states of a hidden variable are alike would stay so for ever: Fit
//     refuses it (em.ErrSymmetric).
//   - Rows of tables that no data visit keep their numbers, or take the prior's; they are never
//     0/0.
//   - A probability of 0 stays 0 under em.Multinomial, as it must, and comes back under a prior.
//     A row that it makes impossible is an error with the row's number, or skipped if the Data
//     say so. No objective is NaN.
//   - Many hidden variables cost what their elimination costs. One that would not fit in memory
//     is refused (ErrWide) before it is begun, by a limit that can be set
//     ([Network.WithMaxEntries]).
//
// # Cost
//
// Elimination takes time and memory in proportion to the entries of its tables: for each
// variable, the product of the sizes of those it is then tied to. Three orders are tried, min-fill,
// weighted min-fill and by the size of tables, and the cheapest is taken. LogProb, PosteriorsOf, P,
// BestOf and Complete leave out first what they do not need; Posteriors, Best and training need
// everything that is missing. ../PERFORMANCE.md has numbers.
// A row of a Likelihood takes 4 bytes per entry of a table that it looks up. Probabilities do
// not underflow, and log likelihoods are accurate to about 1e-15 times the number of variables,
// relative.
//
// Sources: Pearl 1988; Lauritzen and Spiegelhalter 1988; Zhang and Poole 1994 for variable
// elimination; Kjærulff 1990 for its orders; Shachter 1998 for what a question needs; Dechter 1999
// for bucket elimination; Park and Darwiche 2004 for marginal maxima; Lauritzen 1995 for EM; Besag
// 1975 for pseudolikelihood.
package bayes
