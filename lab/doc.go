// Package lab runs the experiments of the articles that this project answers,
// and prints what they claim, what this machine shows, and what the library
// makes of the same work.
//
// An experiment is a set of points: variants of the article, perhaps over an
// axis such as the number of workers, and ours beside them. All points of all
// experiments are measured in turn, round after round, each time in a fresh
// process that first warms the CPUs up. So what disturbs the machine for a while
// disturbs all of them, and neither heap nor what was learnt nor the layout of
// one process favours a variant. A figure is the median over the rounds with its
// confidence interval; ratios are formed within rounds.
//
// The article "Parallelism in Go - Part 2" had the same intent: it measured each
// point three times, and all of them three times, after a heavy load, because CPUs
// may clock down at rest; see experiment A7.
//
// The packages below this one serve the command sweetspot and the examples. They may
// change with any release.
package lab
