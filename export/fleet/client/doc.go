// Package client makes HTTP requests to servers of profiles, which it does not trust, with credentials, which it keeps to itself.
//
//	c, err := client.New("https://collector.example.com:4318", client.FromEnv(os.Getenv))
//	answer, outcome, err := c.Post(ctx, "/v1development/profiles", header, body)
//
// Headers with credentials come from an environment variable, or from a file that is read again at each request, since
// tokens are renewed. They are no flags, for all users of a machine see these. They are not sent unencrypted, but to
// this machine itself, and no error has them, even if a server repeats them. Certificates are read again at each request, too.
//
// Redirects are not followed: they would take counts and credentials to wherever a server says.
package client
