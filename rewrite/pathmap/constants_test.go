package pathmap

import (
	"go/constant"
	"go/token"
	"testing"

	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// TestOutcome knows how tests of constants come out, and of which it does not.
func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		test   ssacfg.Test
		v      constant.Value
		is, ok bool
	}{
		{ssacfg.Test{}, constant.MakeBool(true), true, true},
		{ssacfg.Test{}, constant.MakeBool(false), false, true},
		{ssacfg.Test{}, nil, false, false},
		{ssacfg.Test{Op: token.LSS, With: constant.MakeInt64(3)}, constant.MakeInt64(2), true, true},
		{ssacfg.Test{Op: token.LSS, With: constant.MakeInt64(3)}, constant.MakeInt64(3), false, true},
		{ssacfg.Test{Op: token.EQL}, constant.MakeInt64(3), false, false},
		{ssacfg.Test{Op: token.EQL, With: constant.MakeString("a")}, constant.MakeString("a"), false, false},
		{ssacfg.Test{Op: token.EQL, With: constant.MakeFloat64(0.5)}, constant.MakeInt64(0), false, false},
	} {
		if is, ok := outcome(&c.test, c.v); is != c.is || ok != c.ok {
			t.Errorf("%v %v of %v: %v, known %v", c.test.Op, c.test.With, c.v, is, ok)
		}
	}
}
