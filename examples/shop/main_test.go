package main

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTotal(t *testing.T) {
	for _, test := range []struct {
		name  string
		order order
		want  int
	}{
		{"small", order{Lines: []line{{Price: 1000, Quantity: 2}}}, 2490},
		{"many", order{Lines: []line{{Price: 1000, Quantity: 10}}}, 9000},
		{"member", order{Lines: []line{{Price: 1000, Quantity: 8}}, Member: true}, 7600},
		{"voucher", order{Lines: []line{{Price: 1000, Quantity: 8}}, Voucher: 500}, 7500},
		{"large voucher", order{Lines: []line{{Price: 100, Quantity: 1}}, Voucher: 500}, 490},
	} {
		if got := test.order.total(); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

func TestSearch(t *testing.T) {
	c := newCatalog()
	if got := c.search("kettle"); len(got) != 23 {
		t.Errorf("%d kettles", len(got))
	}
	if got := c.search("candel"); len(got) != 3 || !strings.Contains(got[0], "candle") {
		t.Errorf("candel: %v", got)
	}
	if got := c.suggest("ham"); len(got) != 5 {
		t.Errorf("ham: %v", got)
	}
}

func TestHandler(t *testing.T) {
	h := handler(newCatalog())
	for _, test := range []struct{ method, url, body, want string }{
		{"GET", "/search?q=easel", "", `"amber and easel"`},
		{"GET", "/suggest?q=eas", "", `easel`},
		{"POST", "/order", `{"Lines": [{"Price": 100, "Quantity": 1}]}`, `{"total":590}`},
		{"POST", "/order", `{`, "unexpected EOF"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, test.url, strings.NewReader(test.body)))
		if got := w.Body.String(); !strings.Contains(got, test.want) {
			t.Errorf("%s %s: %s", test.method, test.url, got)
		}
	}
}

func TestSimulate(t *testing.T) { simulate(handler(newCatalog()), 100) }
