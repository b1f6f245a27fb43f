package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// TestBadge reads a badge as XML: it has the coverage of the profile, and nothing that a browser would have to fetch.
func TestBadge(t *testing.T) {
	var b bytes.Buffer
	if err := WriteBadge(&b, samples.Sample(t)); err != nil {
		t.Fatal(err)
	}
	var svg struct {
		Width  int    `xml:"width,attr"`
		Height int    `xml:"height,attr"`
		Label  string `xml:"aria-label,attr"`
		Title  string `xml:"title"`
		Groups []struct {
			Text []struct {
				X      float64 `xml:"x,attr"`
				Length float64 `xml:"textLength,attr"`
				Text   string  `xml:",chardata"`
			} `xml:"text"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal(b.Bytes(), &svg); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if svg.Height != 20 || svg.Label != svg.Title || !strings.HasPrefix(svg.Title, "branch coverage: ") {
		t.Errorf("%+v", svg)
	}
	texts := svg.Groups[len(svg.Groups)-1].Text
	if len(texts) != 4 || texts[1].Text+": "+texts[3].Text != svg.Title {
		t.Errorf("texts %+v", texts)
	}
	for _, text := range texts {
		if text.X-text.Length/2 < 0 || text.X+text.Length/2 > float64(svg.Width) {
			t.Errorf("%+v is not in %d pixels", text, svg.Width)
		}
	}
	for _, outside := range []string{"http:", "https:", "href", "@import", "<script", "<style"} {
		if strings.Contains(strings.Replace(b.String(), "http://www.w3.org/2000/svg", "", 1), outside) {
			t.Errorf("%s in\n%s", outside, b.String())
		}
	}
}

// TestBadgeOf has profiles with nothing to cover, and the steps of the scale.
func TestBadgeOf(t *testing.T) {
	var b bytes.Buffer
	if err := WriteBadge(&b, new(profile.Profile)); err != nil || !strings.Contains(b.String(), "branch coverage: nothing to cover") {
		t.Errorf("%v\n%s", err, b.String())
	}
	if err := wellFormed(b.String()); err != nil {
		t.Error(err)
	}
	for percent, want := range map[int]string{100: "#4c1", 90: "#4c1", 89: "#97ca00", 70: "#a4a61d", 60: "#dfb317", 50: "#fe7d37", 49: "#e05d44"} {
		if got := badgeColour(percent, 100); got != want {
			t.Errorf("%d%% is %s, want %s", percent, got, want)
		}
	}
	for _, value := range []string{"<0.1%", ">99.9%", "≥ 12.3%"} {
		b.Reset()
		if err := badgeTemplate.Execute(&b, newBadge("a & b", value, "#555")); err != nil {
			t.Fatal(err)
		}
		if err := wellFormed(b.String()); err != nil {
			t.Errorf("%s: %v\n%s", value, err, b.String())
		}
	}
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
