// Package access decides who may read what a server of profiles has: by TLS with client certificates, and by bearer tokens.
//
//	a, err := access.New(access.Options{Certificate: "agent.crt", Key: "agent.key", Tokens: "readers", Say: log.Println})
//	server := &http.Server{Handler: a.Handler(h), TLSConfig: a.TLS()}
//	server.ServeTLS(listener, "", "")
//
// Where both client certificates and tokens are asked for, a reader needs both. Everything comes from files that may be renewed
// at any time: certificates are read again at each handshake, tokens at each request. What is renewed half, or badly, is told
// once. Certificates stay what they were then. Without a good file of tokens nobody is let in, since a token may have been taken
// out of it.
//
// Connections and TLS sessions outlive certificates. So a client's certificate is held against the authorities and the clock at
// each request.
//
// # Hosts
//
// A browser sends what it knows, such as a client certificate, to wherever a name leads (DNS rebinding). So a request has to be
// for a name that the server's certificate is for. An address, which no name has led to, will do, too, and so will localhost on
// this machine.
//
// # Not handled
//
// Certificates that were revoked: take their authority, or the token, out of the file.
package access
