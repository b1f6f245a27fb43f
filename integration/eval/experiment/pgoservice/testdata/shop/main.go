// Shop answers JSON over HTTP as services do: it decodes, validates, works, and encodes. The i-th request of a kind does
// work that depends on its body alone, and so does the answer.
//
// It prints its address, and ends when its standard input does. With an argument it writes a CPU profile of itself to the
// file of that name.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"strconv"
	"syscall"
)

func main() {
	log.SetFlags(0)
	stop := func() {}
	if len(os.Args) > 1 {
		stop = profile(os.Args[1])
	}
	if err := serve(); err != nil {
		log.Fatal(err)
	}
	stop()
}

// profile starts a CPU profile, and returns what ends it.
func profile(name string) (stop func()) {
	f, err := os.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		log.Fatal(err)
	}
	return func() {
		pprof.StopCPUProfile()
		if err := f.Close(); err != nil {
			log.Fatal(err)
		}
	}
}

// serve answers requests until standard input ends.
func serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	server := &http.Server{Handler: handler()}
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		server.Shutdown(context.Background())
		done <- err
	}()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return <-done
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /order", post(order))
	mux.HandleFunc("POST /search", post(search))
	mux.HandleFunc("POST /invoice", post(invoice))
	mux.HandleFunc("POST /events", post(events))
	mux.HandleFunc("POST /log", post(parseLog))
	mux.HandleFunc("GET /cpu", cpu)
	return mux
}

// cpu answers with the CPU time that the process has had, ns.
func cpu(w http.ResponseWriter, _ *http.Request) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	io.WriteString(w, strconv.FormatInt(usage.Utime.Nano()+usage.Stime.Nano(), 10))
}
