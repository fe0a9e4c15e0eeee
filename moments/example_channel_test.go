package moments_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/moments"
)

// Half of the answers to a question with two answers are decided by a coin. None of four people
// said 1, although the coins alone should lead to a quarter: the least-squares estimate is
// negative, and the projection 0.
func ExampleChannel_Project() {
	survey, err := moments.RandomizedResponse(.5, []float64{.5, .5})
	if err != nil {
		log.Fatal(err)
	}
	q := []float64{1, 0} // frequencies of the answers
	r, err := survey.LeastSquares(q)
	if err != nil {
		log.Fatal(err)
	}
	p, err := survey.Project(q, 1e-12, 1000)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f becomes %.2f\n", r, p.R)
	// Output: [1.50 -0.50] becomes [1.00 0.00]
}

// A thousand people were asked whether they cheat: for three in ten a die decided the answer, yes
// or no with equal probability, and the others told the truth. So 0.29 of them cheat, with a
// standard error of 0.02.
func ExampleChannel_Shares() {
	survey, err := moments.RandomizedResponse(.7, []float64{.5, .5})
	if err != nil {
		log.Fatal(err)
	}
	shares, stdErr, err := survey.Shares([]float64{353, 647})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("cheat: %.2f ± %.2f\n", shares[0], stdErr[0])
	// Output: cheat: 0.29 ± 0.02
}

// Apples and pears were sold as fruit. Sales do not determine the numbers of apples and pears, but
// they determine the amount of fruit.
func ExampleChannel_Invert() {
	const apples, pears, bread = 0, 1, 2
	seen, err := moments.Deterministic([]int{apples: 0, pears: 0, bread: 1}, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, statistic := range [][]float64{{1, 1, 0}, {1, 0, 0}} {
		family, err := moments.NewFamily(mat.NewDense(3, 1, statistic), []string{"statistic"})
		if err != nil {
			log.Fatal(err)
		}
		beta, err := seen.Invert(family)
		if errors.Is(err, moments.ErrUnidentifiable) {
			fmt.Println("cannot be known")
			continue
		} else if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("fruit counts %.0f, bread %.0f\n", beta.At(0, 0), beta.At(1, 0))
	}
	// Output:
	// fruit counts 1, bread 0
	// cannot be known
}

// A channel given by its probabilities: a test is positive for nine in ten of the sick and for two
// in ten of the healthy. If it is positive for 34 of 100 people, 20 are sick.
func ExampleNewChannel() {
	test, err := moments.NewChannel(mat.NewDense(2, 2, []float64{
		.9, .2, // positive, if sick and if healthy
		.1, .8,
	}))
	if err != nil {
		log.Fatal(err)
	}
	r, err := test.LeastSquares([]float64{.34, .66})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("sick: %.2f\n", r[0])
	// Output: sick: 0.20
}

// The same by maximum likelihood: θ is the ln of the odds of being sick.
func ExampleFamily_MarginalLikelihood() {
	family, err := moments.NewFamily(mat.NewDense(2, 1, []float64{1, 0}), []string{"sick"})
	if err != nil {
		log.Fatal(err)
	}
	test, err := moments.NewChannel(mat.NewDense(2, 2, []float64{.9, .2, .1, .8}))
	if err != nil {
		log.Fatal(err)
	}
	likelihood, err := family.MarginalLikelihood(test, []float64{34, 66})
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), likelihood, &em.Options{Method: em.LBFGS{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("sick: %.2f\n", family.Probabilities(result.Theta)[0])
	// Output: sick: 0.20
}

// Dice have a mean between 1 and 6. How far is each of these means from impossible? The margin is
// the probability that every side can still have.
func ExampleFamily_Margin() {
	die, err := moments.NewFamily(mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6}), nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, mean := range []float64{3.5, 5, 6, 6.5} {
		s, err := die.Margin(context.Background(), []float64{mean})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.1f: %.3f\n", mean, s)
	}
	// Output:
	// 3.5: 0.167
	// 5.0: 0.067
	// 6.0: 0.000
	// 6.5: -0.033
}

// A mean that is estimated from few data can be impossible: here the mean of a die is 6.1. Without
// a ridge Fit returns an error; with the default ridge it still returns an estimate.
func ExampleFit() {
	die, err := moments.NewFamily(mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6}), nil)
	if err != nil {
		log.Fatal(err)
	}
	const throws = 10
	for _, ridge := range []float64{-1, 1} { // none, 1
		result, err := moments.Fit(context.Background(), die.LogPartition(throws), []float64{6.1 * throws}, &moments.Options{Ridge: ridge})
		if errors.Is(err, moments.ErrOutside) {
			fmt.Println("outside")
			continue
		} else if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("θ = %.1f, P(6) = %.1f\n", result.Theta[0], die.Probabilities(result.Theta)[5])
	}
	// Output:
	// outside
	// θ = 2.2, P(6) = 0.9
}

// The distribution that maximizes the likelihood of frequencies. The test is positive for 15 of 100
// people, less than its rate of false positives among the healthy, a fifth: so the estimate is 0.
func ExampleChannel_ProjectKL() {
	test, err := moments.NewChannel(mat.NewDense(2, 2, []float64{.9, .2, .1, .8}))
	if err != nil {
		log.Fatal(err)
	}
	p, err := test.ProjectKL([]float64{.15, .85}, 1e-6, 10000)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("sick: %.2f\n", p.R[0])
	// Output: sick: 0.00
}

// Do people buy on sunny days (x = 1) and on others (x = 0)? Three quarters and a quarter of eighty
// people each did. The weight of the sun is the difference of the log odds, and the standard errors
// equal the standard errors of logistic regression.
func ExampleConditionalCovariance() {
	var logPartition [2]em.Likelihood
	for x := range 2 {
		f, err := moments.NewFamily(mat.NewDense(2, 2, []float64{0, 0, 1, float64(x)}), nil) // not buy, buy
		if err != nil {
			log.Fatal(err)
		}
		logPartition[x] = f.LogPartition(1)
	}
	theta := []float64{-math.Log(3), 2 * math.Log(3)} // as moments.Fit finds it without a ridge
	buyers := [2]int{20, 60}
	covariance, err := moments.ConditionalCovariance(context.Background(), theta, 0, func(yield func(em.Likelihood, []float64) bool) {
		for x, n := range buyers {
			for i := range 80 {
				statistics := []float64{0, 0}
				if i < n {
					statistics = []float64{1, float64(x)}
				}
				if !yield(logPartition[x], statistics) {
					return
				}
			}
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	for j, name := range []string{"any day", "sun"} {
		fmt.Printf("%s: %.2f ± %.2f\n", name, theta[j], math.Sqrt(covariance.At(j, j)))
	}
	// Output:
	// any day: -1.10 ± 0.26
	// sun: 2.20 ± 0.37
}
