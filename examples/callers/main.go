// Callers keeps prices by day in a list, which two callers search in different ways. See README.md.
package main

import "fmt"

// days is how many days have a price.
const days = 1 << 16

// A price is that of a day.
type price struct{ day, cents int }

// history has prices in the order of their days, and remembers where it found the last.
type history struct {
	prices []price
	last   int
}

// find returns the index of the first price that is not before a day.
func (h *history) find(day int) int {
	if next := h.last + 1; next < len(h.prices) && h.prices[h.last].day < day && h.prices[next].day >= day {
		h.last = next
		return next
	}
	low, high := 0, len(h.prices)
	for low < high {
		middle := (low + high) / 2
		if h.prices[middle].day < day {
			low = middle + 1
		} else {
			high = middle
		}
	}
	h.last = low % len(h.prices)
	return low
}

// average returns the mean of the prices from one day to another, which it finds one after the other.
func (h *history) average(from, to int) int {
	sum := 0
	for day := from; day < to; day++ {
		sum += h.prices[h.find(day)].cents
	}
	return sum / (to - from)
}

// quote returns the sum of the prices of a customer's days, which are all over the place.
func (h *history) quote(customer, orders int) int {
	sum := 0
	for i := range orders {
		sum += h.prices[h.find((customer+i)*40_503%days)].cents
	}
	return sum
}

func main() {
	h := new(history)
	for day := range days {
		h.prices = append(h.prices, price{day, 100 + day%7})
	}
	averages, quotes := 0, 0
	for week := range 4000 {
		averages += h.average(week, week+60_000)
		quotes += h.quote(week, 6_000)
	}
	fmt.Println(averages, quotes)
}
