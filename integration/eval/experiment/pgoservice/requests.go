package pgoservice

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// bodies is how many different requests of a kind there are.
const bodies = 64

// A kind is what requests are of.
type kind struct {
	name string
	body func(r *rand.Rand) any
}

var kinds = []kind{
	{"order", func(r *rand.Rand) any { return newOrder(r, 3+r.IntN(12)) }},
	{"search", newSearch},
	{"invoice", func(r *rand.Rand) any { return newOrder(r, 5+r.IntN(10)) }},
	{"events", newEvents},
	{"log", newLog},
}

// requests returns the bodies of all kinds, by kind. They are the same each time.
func requests() [][][]byte {
	var all [][][]byte
	for k, of := range kinds {
		random := rand.New(rand.NewPCG(1, uint64(k)))
		var list [][]byte
		for range bodies {
			body, err := json.Marshal(of.body(random))
			if err != nil {
				panic("BUG: " + err.Error())
			}
			list = append(list, body)
		}
		all = append(all, list)
	}
	return all
}

type object map[string]any

func pick(r *rand.Rand, words string) string {
	list := strings.Fields(words)
	return list[r.IntN(len(list))]
}

func newOrder(r *rand.Rand, n int) any {
	var lines []object
	for range n {
		lines = append(lines, object{
			"sku": newSKU(r), "quantity": 1 + r.IntN(20), "cents": r.IntN(20_000),
			"tags": []string{pick(r, "New Sale Fragile Heavy"), pick(r, "blue red green oak")},
		})
	}
	return object{
		"customer": pick(r, "Ada Grace Barbara Frances") + " <" + pick(r, "Allen & Liskov Hopper") + ">",
		"email":    fmt.Sprintf("%s.%d@mail.example.com", pick(r, "ada grace barbara frances"), r.IntN(1000)),
		"coupon":   pick(r, "TEN10 FIVER NONE"),
		"address": object{
			"street": fmt.Sprintf("%d Long Road", r.IntN(300)), "city": pick(r, "Berlin Zürich Paris Boston"),
			"zip": fmt.Sprintf("%05d", r.IntN(100_000)), "country": pick(r, "DE CH FR US"),
		},
		"lines": lines,
		"notes": map[string]string{"gift": "Ring twice,\nplease: \"thank you\"", "door": pick(r, "left right")},
	}
}

func newSKU(r *rand.Rand) string { return fmt.Sprintf("AB-%04d/%s", r.IntN(10_000), pick(r, "s m xl")) }

func newSearch(r *rand.Rand) any {
	return object{
		"text": pick(r, "red oak steel rou") + " " + pick(r, "lamp chair ta sofa") + ", " + pick(r, "new old small"),
		"tag":  pick(r, "wool glass lamp"), "most_cents": 2000 + r.IntN(8000), "limit": 5 + r.IntN(20),
	}
}

func newEvents(r *rand.Rand) any {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var list []object
	for range 20 + r.IntN(20) {
		data := object{"path": "/product/" + newSKU(r), "seconds": float64(r.IntN(500)) / 100}
		kind := pick(r, "viewed viewed viewed added added removed")
		switch kind {
		case "added":
			data = object{"sku": newSKU(r), "quantity": 1 + r.IntN(5), "cents": r.IntN(9000)}
		case "removed":
			data = object{"sku": newSKU(r)}
		}
		list = append(list, object{"kind": kind, "at": at.Add(time.Duration(r.IntN(86_400)) * time.Second), "data": data})
	}
	return list
}

func newLog(r *rand.Rand) any {
	var lines []string
	for range 15 + r.IntN(15) {
		line := fmt.Sprintf(`192.0.2.%d - %s [01/Jan/2026:%02d:00:00 +0000] "%s %s?q=%d HTTP/1.1" %s %d`,
			r.IntN(256), pick(r, "- ada grace"), r.IntN(24),
			pick(r, "GET GET POST"), pick(r, "/ /cart /search /product/1 /static/style.css"), r.IntN(100),
			pick(r, "200 200 304 404 500"), r.IntN(50_000))
		if r.IntN(20) == 0 {
			line = line[:40]
		}
		lines = append(lines, line)
	}
	return object{"lines": lines}
}
