package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// mostBody bounds what is read of a request.
const mostBody = 1 << 20

// A work answers a request's body.
type work func(body []byte) (answer any, err error)

// An invalid is what is wrong with a request, by field.
type invalid map[string]string

func (v invalid) Error() string { return "the request is not valid" }

// page is an answer that is HTML already.
type page string

// post returns a handler that reads the body, has the work done, and encodes the answer.
func post(do work) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
		if err != nil {
			fail(w, err)
			return
		}
		answer, err := do(body)
		if err != nil {
			fail(w, err)
			return
		}
		if html, ok := answer.(page); ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, string(html))
			return
		}
		send(w, http.StatusOK, answer)
	}
}

// fail answers with what is wrong.
func fail(w http.ResponseWriter, err error) {
	var fields invalid
	if errors.As(err, &fields) {
		send(w, http.StatusUnprocessableEntity, map[string]any{"error": err.Error(), "fields": fields})
		return
	}
	send(w, http.StatusBadRequest, map[string]any{"error": err.Error()})
}

func send(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		io.WriteString(w, err.Error())
	}
}
