package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A Product is one of the catalog.
type Product struct {
	SKU   string   `json:"sku"`
	Title string   `json:"title"`
	Cents int64    `json:"cents"`
	Tags  []string `json:"tags"`
	words []string
}

// A Query asks for products.
type Query struct {
	Text  string `json:"text"`
	Most  int64  `json:"most_cents"`
	Tag   string `json:"tag"`
	Limit int    `json:"limit"`
}

// A hit is a product and how well it fits.
type hit struct {
	*Product
	Score int `json:"score"`
}

var catalog = func() (all []*Product) {
	things := strings.Fields("lamp chair table shelf rug vase clock mirror frame basket stool bench desk sofa pillow curtain")
	looks := strings.Fields("red green blue oak pine steel glass wool linen small large round square plain old new")
	for i := range 600 {
		title := looks[i%len(looks)] + " " + looks[i*7%len(looks)] + " " + things[i*i%len(things)]
		all = append(all, &Product{
			SKU: fmt.Sprintf("AB-%04d", i), Title: title, Cents: int64(i*37%9000 + 99),
			Tags: []string{looks[i*3%len(looks)], things[i%len(things)]}, words: words(title),
		})
	}
	return all
}()

// words returns the words of a text, small.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// search answers with the products that fit best.
func search(body []byte) (any, error) {
	var q Query
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	if q.Limit < 1 || q.Limit > 100 {
		return nil, invalid{"limit": "want 1 to 100"}
	}
	asked := words(q.Text)
	hits := []hit{}
	for _, p := range catalog {
		if q.Most > 0 && p.Cents > q.Most {
			continue
		}
		if n := p.score(asked, q.Tag); n > 0 {
			hits = append(hits, hit{p, n})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		if a.Score != b.Score {
			return b.Score - a.Score
		}
		return strings.Compare(a.SKU, b.SKU)
	})
	return map[string]any{"found": len(hits), "hits": hits[:min(q.Limit, len(hits))]}, nil
}

// score returns how well a product fits what is asked for; 0 if it does not.
func (p *Product) score(asked []string, tag string) (n int) {
	for _, word := range asked {
		for _, own := range p.words {
			switch {
			case own == word:
				n += 10
			case strings.HasPrefix(own, word):
				n += 3
			}
		}
	}
	if tag != "" && slices.Contains(p.Tags, tag) {
		n += 5
	}
	return n
}
