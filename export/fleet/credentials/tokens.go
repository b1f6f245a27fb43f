package credentials

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
)

// leastToken is how short a token may be: 16 letters and digits, picked at random, have 95 bits.
const leastToken = 16

// Tokens are what readers may show to be let in.
type Tokens [][sha256.Size]byte // their hashes, so that all are equally long

// ReadTokens reads a file with a token on each line. While one is renewed, the old one and the new one can both be there.
func ReadTokens(name string) (Tokens, error) {
	text, err := ReadSecret(name)
	if err != nil {
		return nil, err
	}
	var list Tokens
	for i, line := range strings.Split(string(text), "\n") {
		token := strings.TrimSpace(line)
		switch {
		case token == "":
			continue
		case len(token) < leastToken:
			return nil, fmt.Errorf("%s: the token on line %d has %d characters, and less than %d can be guessed", name, i+1,
				len(token), leastToken)
		case strings.Trim(token, tokenCharacters) != "":
			return nil, fmt.Errorf("%s: line %d is no bearer token: these have letters, digits and -._~+/=", name, i+1)
		}
		list = append(list, sha256.Sum256([]byte(token)))
	}
	if len(list) == 0 {
		return nil, errors.New(name + " has no token")
	}
	return list, nil
}

// tokenCharacters are those of a bearer token in a request (RFC 6750, section 2.1).
const tokenCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="

// Have reports whether a token is one of them. How long that takes does not tell how much of it is right.
func (t Tokens) Have(token string) bool {
	sum := sha256.Sum256([]byte(token))
	found := 0
	for i := range t {
		found |= subtle.ConstantTimeCompare(t[i][:], sum[:])
	}
	return found == 1
}
