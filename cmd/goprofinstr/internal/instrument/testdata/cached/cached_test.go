package cached

import "testing"

func TestWords(t *testing.T) {
	if n, _ := Words("a b c"); n != 3 && n != 4 {
		t.Error(n)
	}
}
