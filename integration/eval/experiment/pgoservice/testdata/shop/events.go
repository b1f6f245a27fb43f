package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"time"
)

// An event changes the state of a cart. What it is, its kind says.
type event interface{ apply(c *cart) }

type cart struct {
	Items   map[string]int `json:"items"`
	Viewed  int            `json:"viewed"`
	Cents   int64          `json:"cents"`
	Last    time.Time      `json:"last"`
	Busiest []string       `json:"busiest"`
}

type added struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"`
	Cents    int64  `json:"cents"`
}

type removed struct {
	SKU string `json:"sku"`
}

type viewed struct {
	Path    string  `json:"path"`
	Seconds float64 `json:"seconds"`
}

func (e *added) apply(c *cart) {
	c.Items[e.SKU] += e.Quantity
	c.Cents += int64(e.Quantity) * e.Cents
}

func (e *removed) apply(c *cart) { delete(c.Items, e.SKU) }

func (e *viewed) apply(c *cart) {
	if e.Seconds > 1 {
		c.Viewed++
	}
}

// stamped is an event with its kind and time.
type stamped struct {
	at time.Time
	event
}

// UnmarshalJSON decodes what the kind says.
func (s *stamped) UnmarshalJSON(data []byte) error {
	var head struct {
		Kind string          `json:"kind"`
		At   time.Time       `json:"at"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return err
	}
	switch head.Kind {
	case "added":
		s.event = new(added)
	case "removed":
		s.event = new(removed)
	case "viewed":
		s.event = new(viewed)
	default:
		return fmt.Errorf("event %q: want added, removed or viewed", head.Kind)
	}
	s.at = head.At
	return json.Unmarshal(head.Data, s.event)
}

// events applies events to a cart in the order of their times.
func events(body []byte) (any, error) {
	var list []stamped
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].at.Before(list[j].at) })
	c := &cart{Items: make(map[string]int)}
	for i := range list {
		list[i].apply(c)
		c.Last = list[i].at
	}
	for sku := range c.Items {
		c.Busiest = append(c.Busiest, sku)
	}
	sort.Slice(c.Busiest, func(i, j int) bool {
		a, b := c.Busiest[i], c.Busiest[j]
		return c.Items[a] > c.Items[b] || c.Items[a] == c.Items[b] && a < b
	})
	return c, nil
}
