package s3

import (
	"strings"
	"testing"
)

// environment sets what Open looks at.
func environment(t *testing.T, endpoint string) {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_ENDPOINT_URL", endpoint)
	t.Setenv("AWS_ENDPOINT_URL_S3", "")
}

// TestEndpoint has servers that counts may and may not be sent to.
func TestEndpoint(t *testing.T) {
	for endpoint, ok := range map[string]bool{
		"": true, "https://s3.example.com": true, "https://s3.example.com:9000/": true, "http://127.0.0.1:9000": true, "http://[::1]:9": true,
		"http://localhost:9000": true, "http://s3.example.com": false, "http://10.0.0.1:9000": false, "s3.example.com": false,
		"ftp://s3.example.com": false, "https://u:p@s3.example.com": false, "https://s3.example.com/path": false, "http://localhost.example.com": false,
	} {
		environment(t, endpoint)
		if _, err := Open("s3://bucket"); (err == nil) != ok {
			t.Errorf("%q: error %v", endpoint, err)
		} else if err != nil && strings.Contains(err.Error(), "u:p") {
			t.Errorf("a password is shown: %v", err)
		}
	}
	for _, variable := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} { // the second one is looked at first
		t.Setenv(variable, "s3.example.com")
		if _, err := Open("s3://bucket"); err == nil || !strings.Contains(err.Error(), variable+": ") {
			t.Errorf("%s: error %v", variable, err)
		}
	}
}

// TestNames has names of stores that are none, and no credentials.
func TestNames(t *testing.T) {
	environment(t, "")
	for name, prefix := range map[string]string{"s3://b": "", "s3://b/": "", "s3://b/p": "p/", "s3://b/p/q/": "p/q/"} {
		if s, err := Open(name); err != nil || s.bucket != "b" || s.prefix != prefix {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	for _, name := range []string{"s3://", "s3:///x", "s3://b/../x", "s3://b//x/./y", "b"} {
		if _, err := Open(name); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s, err := Open("s3://b/p")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../x", "/x", "", "a//b"} {
		if _, err := s.Get(t.Context(), name); err == nil || !strings.Contains(err.Error(), "no name of an object") {
			t.Errorf("%q: error %v", name, err)
		}
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	if _, err := Open("s3://b"); err == nil {
		t.Error("no credentials: no error")
	}
}
