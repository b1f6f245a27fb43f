package chart

import "math"

// A Scale places values between its ends.
type Scale struct {
	Least, Most float64   // at its ends
	Log         bool      // else it is linear
	Ticks       []float64 // values that have a label
}

// Position returns the place of a value: 0 and 1 are the ends of the scale. What is below it is at its beginning.
func (s *Scale) Position(v float64) float64 {
	v = max(v, s.Least)
	if s.Log {
		return math.Log(v/s.Least) / math.Log(s.Most/s.Least)
	}
	return (v - s.Least) / (s.Most - s.Least)
}

// RoundTicks returns the round values on the scale: with one digit on a logarithmic one, about six on a linear one.
func (s *Scale) RoundTicks() (list []float64) {
	if s.Log {
		for v := math.Pow(10, math.Floor(math.Log10(s.Least))); v <= s.Most; v *= 10 {
			for _, digit := range digits {
				if v*digit >= s.Least && v*digit <= s.Most {
					list = append(list, v*digit)
				}
			}
		}
		return list
	}
	step := roundStep((s.Most - s.Least) / 6)
	for v := math.Ceil(s.Least/step) * step; v <= s.Most; v += step {
		list = append(list, v)
	}
	return list
}

// digits are those of round numbers.
var digits = []float64{1, 2, 5}

// RoundScale returns a logarithmic scale from one round number to another, with all values between least and most on it.
func RoundScale(least, most float64) Scale {
	s := Scale{Log: true}
	for power := math.Pow(10, math.Floor(math.Log10(least))); ; power *= 10 {
		for _, digit := range digits {
			v := digit * power
			if 2.5*v <= least { // the next one is below it, too
				continue
			}
			s.Ticks = append(s.Ticks, math.Round(v*1e9)/1e9)
			if v >= most {
				s.Least, s.Most = s.Ticks[0], v
				return s
			}
		}
	}
}

// roundStep returns the least of 1, 2 and 5 times a power of ten that is not less than x.
func roundStep(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, digit := range digits {
		if digit*unit >= x {
			return digit * unit
		}
	}
	return 10 * unit
}

// tenths rounds a length: a tenth of a pixel is less than anybody sees.
func tenths(x float64) float64 { return math.Round(10*x) / 10 }
