// Package credentials reads files with certificates, private keys and secrets, for both ends of a connection.
//
//	files, err := credentials.Read("agent.crt", "agent.key", "clients.crt")
//	pair, err := files.Pair(time.Now())
//	pool, err := files.Authorities()
//
// Files are renewed while a program runs. So they are read again whenever they are needed, which costs less than the handshake or
// the request they are for. [Files.Equal] says whether there is anything to be done.
//
// Errors name the file and never repeat what is in it. A private key, or a file of tokens or headers, that every user of the
// machine may read is an error, too.
package credentials
