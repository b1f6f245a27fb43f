package coverplan

import "testing"

func TestTestBinary(t *testing.T) {
	for path, want := range map[string]string{
		"example.com/m":          "m.test",
		"example.com/m/v2":       "m.test",
		"example.com/m/v1":       "v1.test",
		"example.com/m/v02":      "v02.test",
		"v2":                     "v2.test",
		"command-line-arguments": "name.test",
	} {
		if got := testBinary(&listedPackage{ImportPath: path, Name: "name"}); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
