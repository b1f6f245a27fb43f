package main

import "math"

// A scale places values between its ends.
type scale struct {
	least, most float64 // at its ends
	log         bool
	base        float64 // where bars begin
	ticks       []float64
}

// position returns the place of a value: 0 and 1 are the ends of the scale. What is below it is at its beginning.
func (s *scale) position(v float64) float64 {
	v = max(v, s.least)
	if s.log {
		return math.Log(v/s.least) / math.Log(s.most/s.least)
	}
	return (v - s.least) / (s.most - s.least)
}

// scale returns a scale for what is to be drawn.
func (m *measure) scale(rows []plotRow) *scale {
	if m.Shares {
		return shareScale
	}
	// Logarithmic, so that twice as slow is as far from 1 as twice as fast.
	s := &scale{least: 0.8, most: 1.1, log: true, base: 1, ticks: []float64{0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20}}
	for _, r := range rows {
		for _, c := range r.cells {
			s.most = max(s.most, c.high)
		}
	}
	return s
}

var shareScale = &scale{most: 1, ticks: []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}}
