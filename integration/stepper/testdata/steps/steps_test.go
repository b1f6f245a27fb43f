package steps

import "testing"

func Test(t *testing.T) {
	var list []int
	for i := range 100 {
		list = append(list, i*i%23)
	}
	t.Log(Classify("the quick brown fox, 0123456789; jumps over the lazy dog: ABC"))
	t.Log(Clamp(list, 5, 17), Both(list, true, false), Both(list, false, true), Both(list, true, true), Pairs(list))
	t.Log(Fall(2000))
}
