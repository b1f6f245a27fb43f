package target

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNameWhole(t *testing.T) {
	const src = `package p

//line grammar.y:42
func f() {} //line in a comment.y:1
//line sub/other.y:1:2
/*line z.y:3:1*/ var s = "/*line no.y:1*/" /*line :7*/
	//line indented.y:1
//line /abs/olute.y:9
//line :12
//line no number
`
	const want = `package p

//line /d/grammar.y:42
func f() {} //line in a comment.y:1
//line /d/sub/other.y:1:2
/*line /d/z.y:3:1*/ var s = "/*line no.y:1*/" /*line :7*/
	//line indented.y:1
//line /abs/olute.y:9
//line :12
//line no number
`
	if diff := cmp.Diff(want, string(NameWhole([]byte(src), "/d"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
