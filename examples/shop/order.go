package main

import (
	"bytes"
	"encoding/json"
)

// An order is what a customer buys. Amounts are cents.
type order struct {
	Lines   []line
	Member  bool // of the shop's club: 5% less
	Voucher int
}

type line struct{ Price, Quantity int }

const (
	shipping = 490
	freeFrom = 5000 // no shipping
)

// total returns what an order costs.
func (o *order) total() int {
	sum := 0
	for _, l := range o.Lines {
		price := l.Price
		if l.Quantity >= 10 {
			price -= price / 10
		}
		sum += price * l.Quantity
	}
	off := 0
	if o.Member {
		off = sum / 20
	}
	if o.Voucher > 0 {
		off = min(o.Voucher, sum)
	}
	sum -= off
	if sum < freeFrom {
		sum += shipping
	}
	return sum
}

// body is the order of a request that is simulated.
func body(i int) *bytes.Reader {
	o := order{Lines: []line{{Price: 100 + i%900, Quantity: 1 + i%12}}, Member: i%3 == 0}
	if i%7 == 0 {
		o.Voucher = 500
	}
	data, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return bytes.NewReader(data)
}
