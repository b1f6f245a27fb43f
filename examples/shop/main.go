// Shop is a small service: it searches a catalog, suggests products, and takes orders. The pages of docs/guide use it.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "where to listen; \":0\" chooses a port")
	requests := flag.Int("requests", 0, "serve so many requests of its own, and exit")
	flag.Parse()
	h := handler(newCatalog())
	if *requests > 0 {
		simulate(h, *requests)
		return
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
	log.Println("listening on", l.Addr())
	log.Fatal(http.Serve(l, h))
}

// handler serves a catalog.
func handler(c *catalog) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /search", func(w http.ResponseWriter, r *http.Request) {
		reply(w, c.search(r.FormValue("q")))
	})
	mux.HandleFunc("GET /suggest", func(w http.ResponseWriter, r *http.Request) {
		reply(w, c.suggest(r.FormValue("q")))
	})
	mux.HandleFunc("POST /order", func(w http.ResponseWriter, r *http.Request) {
		var o order
		if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply(w, map[string]int{"total": o.total()})
	})
	return mux
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

// simulate serves requests like those of a day: most are searches, one in 20 is an order.
func simulate(h http.Handler, n int) {
	total := 0
	for i := range n {
		var r *http.Request
		switch q := words[i%len(words)]; {
		case i%20 == 0:
			r = httptest.NewRequest("POST", "/order", body(i))
		case i%20 == 1:
			r = httptest.NewRequest("GET", "/suggest?q="+q[:3], nil)
		default:
			r = httptest.NewRequest("GET", "/search?q="+q, nil)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		total += w.Body.Len()
	}
	fmt.Printf("%d requests, %d bytes\n", n, total)
}
