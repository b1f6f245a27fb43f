//go:build !linux || !amd64

package patch

// WhyNot returns why native probes do not work on this machine.
func WhyNot() string { return "they are for linux/amd64" }
