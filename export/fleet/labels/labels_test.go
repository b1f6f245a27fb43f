package labels

import (
	"maps"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// TestOf reads what OpenTelemetry's variables say.
func TestOf(t *testing.T) {
	for _, test := range []struct {
		run  rundata.Run
		told string
		want Set
	}{
		{rundata.Run{Args: []string{"/usr/bin/web", "-x"}}, "", Set{"service.name": "web"}},
		{rundata.Run{}, "", Set{"service.name": "unknown_service"}},
		{rundata.Run{Attributes: "service.name=a, host.name=h%2C1,bad,=x", Args: []string{"web"}}, "a",
			Set{"service.name": "a", "host.name": "h,1"}},
		{rundata.Run{Service: "b", Attributes: "service.name=a"}, "b", Set{"service.name": "b"}},
	} {
		if got := Of(&test.run); !maps.Equal(got, test.want) {
			t.Errorf("%+v: %v, want %v", test.run, got, test.want)
		}
		if got := ToldService(&test.run); got != test.told {
			t.Errorf("%+v was told service %q, want %q", test.run, got, test.told)
		}
	}
}

// TestString parses what it writes, whatever is in values.
func TestString(t *testing.T) {
	l := Set{"a": "1,b=2", "service.name": "shop", "host.name": "web 1", "c": "=%2C", "d": "", "pod": "x"}
	if got := Parse(l.String()); !maps.Equal(got, l) {
		t.Errorf("%s is parsed as %v", l, got)
	}
	if got, want := l.Only(nil).String(), "host.name=web%201,service.name=shop"; got != want {
		t.Errorf("kept: %s, want %s", got, want)
	}
	if got, want := l.Only([]string{"pod", "host.name"}).Shared().String(), "pod=x"; got != want {
		t.Errorf("shared: %s, want %s", got, want)
	}
	if len(l) != 6 {
		t.Errorf("it has changed: %v", l)
	}
}

func TestHas(t *testing.T) {
	l := Set{"a": "1", "b": ""}
	for _, test := range []struct {
		some Set
		want bool
	}{
		{nil, true}, {Set{"a": "1"}, true}, {Set{"b": ""}, true}, {Set{"a": "2"}, false}, {Set{"c": ""}, false}, {Set{"a": "1", "c": "3"}, false},
	} {
		if l.Has(test.some) != test.want {
			t.Errorf("%v: want %t", test.some, test.want)
		}
	}
}
