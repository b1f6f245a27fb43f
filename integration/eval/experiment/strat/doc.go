// Package strat compresses streams of events, recorded ones and random ones, by the measures of integration/eval/strat:
// eval strat. Traces are recorded once, below -dir; delete them there to have them recorded anew.
package strat
