package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// An Order is what a customer sends.
type Order struct {
	Customer string            `json:"customer"`
	Email    string            `json:"email"`
	Coupon   string            `json:"coupon,omitempty"`
	Address  Address           `json:"address"`
	Lines    []Line            `json:"lines"`
	Notes    map[string]string `json:"notes,omitempty"`
}

type Address struct {
	Street  string `json:"street"`
	City    string `json:"city"`
	Zip     string `json:"zip"`
	Country string `json:"country"`
}

type Line struct {
	SKU      string   `json:"sku"`
	Quantity int      `json:"quantity"`
	Cents    int64    `json:"cents"`
	Tags     []string `json:"tags,omitempty"`
}

// A Receipt is the answer to an order.
type Receipt struct {
	Customer string        `json:"customer"`
	Lines    []ReceiptLine `json:"lines"`
	Net      int64         `json:"net"`
	Discount int64         `json:"discount"`
	Tax      int64         `json:"tax"`
	Total    int64         `json:"total"`
	Tags     []string      `json:"tags"`
}

type ReceiptLine struct {
	SKU   string `json:"sku"`
	Cents int64  `json:"cents"`
	Text  string `json:"text"`
}

var (
	emails = regexp.MustCompile(`^[a-z0-9.+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$`)
	skus   = regexp.MustCompile(`^[A-Z]{2,3}-[0-9]{3,6}(/[a-z]+)?$`)
	zips   = regexp.MustCompile(`^[0-9]{5}(-[0-9]{4})?$`)
)

// order decodes an order, and answers with a receipt.
func order(body []byte) (any, error) {
	o, err := decodeOrder(body)
	if err != nil {
		return nil, err
	}
	return receipt(o), nil
}

func decodeOrder(body []byte) (*Order, error) {
	o := new(Order)
	if err := json.Unmarshal(body, o); err != nil {
		return nil, err
	}
	if wrong := o.check(); len(wrong) > 0 {
		return nil, wrong
	}
	return o, nil
}

// check returns what is wrong, by field.
func (o *Order) check() invalid {
	wrong := make(invalid)
	if n := len(o.Customer); n == 0 || n > 100 {
		wrong["customer"] = "want a name of at most 100 bytes"
	}
	if !emails.MatchString(o.Email) {
		wrong["email"] = "want an address"
	}
	if !zips.MatchString(o.Address.Zip) {
		wrong["address.zip"] = "want five digits"
	}
	for i := range o.Lines {
		if text := o.Lines[i].check(); text != "" {
			wrong[fmt.Sprintf("lines.%d", i)] = text
		}
	}
	return wrong
}

func (l *Line) check() string {
	switch {
	case !skus.MatchString(l.SKU):
		return "no such sku"
	case l.Quantity < 1 || l.Quantity > 1000:
		return "want a quantity from 1 to 1000"
	case l.Cents < 0:
		return "want a price"
	}
	return ""
}

// receipt prices an order.
func receipt(o *Order) *Receipt {
	r := &Receipt{Customer: o.Customer}
	tags := make(map[string]bool)
	for _, l := range o.Lines {
		cents := l.Cents * int64(l.Quantity)
		r.Net += cents
		r.Lines = append(r.Lines, ReceiptLine{l.SKU, cents, fmt.Sprintf("%d × %s", l.Quantity, money(l.Cents))})
		for _, tag := range l.Tags {
			tags[strings.ToLower(tag)] = true
		}
	}
	sort.Slice(r.Lines, func(i, j int) bool { return r.Lines[i].SKU < r.Lines[j].SKU })
	for tag := range tags {
		r.Tags = append(r.Tags, tag)
	}
	sort.Strings(r.Tags)
	r.Discount = discount(o.Coupon, r.Net)
	r.Tax = tax(o.Address.Country, r.Net-r.Discount)
	r.Total = r.Net - r.Discount + r.Tax
	return r
}

func money(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

func discount(coupon string, cents int64) int64 {
	switch {
	case strings.HasPrefix(coupon, "TEN"):
		return cents / 10
	case coupon == "FIVER" && cents > 500:
		return 500
	}
	return 0
}

func tax(country string, cents int64) int64 {
	percent := int64(20)
	switch country {
	case "US":
		percent = 8
	case "DE":
		percent = 19
	case "CH":
		percent = 8
	}
	return (cents*percent + 50) / 100
}
