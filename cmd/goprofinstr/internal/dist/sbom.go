package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/notices"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/version"
)

// The SBOM is CycloneDX 1.6 (ECMA-424), as JSON: what the go command has noted in the executable, with licences.
// It has not been held against the standard's own schema.
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Ref        string     `json:"bom-ref"`
		Type       string     `json:"type"`
		Name       string     `json:"name"`
		Version    string     `json:"version,omitempty"`
		Hashes     []hash     `json:"hashes,omitempty"`
		Licenses   []license  `json:"licenses"`
		PURL       string     `json:"purl"`
		Properties []property `json:"properties,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	license struct {
		Expression string `json:"expression"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// dagreVersion is the version of the library that draws graphs in pages.
const dagreVersion = "3.1.3"

// sbom returns the SBOM of the executable.
func (e *executable) sbom() ([]byte, error) {
	licenses := notices.Licenses()
	sum := e.sum()
	main := component{
		Ref: packageURL(version.Path, e.version), Type: "application", Name: version.Path, Version: e.version,
		Hashes:   []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
		Licenses: []license{{"BSD-3-Clause"}},
		PURL:     packageURL(version.Path, e.version) + "?goarch=" + e.arch + "&goos=" + e.os + "#cmd/goprofinstr",
	}
	for _, s := range e.info.Settings {
		main.Properties = append(main.Properties, property{"go:build:" + s.Key, s.Value})
	}
	goVersion := strings.TrimPrefix(e.info.GoVersion, "go")
	components := []component{
		{
			Ref: packageURL("std", goVersion), Type: "library", Name: "std", Version: goVersion,
			Licenses: []license{{licenses[notices.Std]}}, PURL: packageURL("std", goVersion),
		},
		{
			Ref: "dagre", Type: "library", Name: "@dagrejs/dagre", Version: dagreVersion,
			Licenses: []license{{licenses[notices.Dagre]}}, PURL: "pkg:npm/%40dagrejs/dagre@" + dagreVersion,
		},
	}
	for _, m := range e.info.Deps {
		c, err := componentOf(m, licenses[m.Path])
		if err != nil {
			return nil, err
		}
		components = append(components, c)
	}
	needs := dependency{Ref: main.Ref}
	for _, c := range components {
		needs.DependsOn = append(needs.DependsOn, c.Ref)
	}
	b := bom{
		Format: "CycloneDX", Spec: "1.6", Serial: serial(sum), Version: 1, Components: components,
		Metadata:     metadata{e.commit.Format(time.RFC3339), main},
		Dependencies: []dependency{needs},
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	err := enc.Encode(b)
	return out.Bytes(), err
}

// componentOf returns a module as a component. Its hash is that of go.sum, as cyclonedx-gomod has it: the SHA-256 of a
// list of the files' hashes.
func componentOf(m *debug.Module, licenses string) (component, error) {
	if m.Replace != nil {
		return component{}, fmt.Errorf("%s is replaced in go.mod", m.Path)
	}
	if licenses == "" {
		return component{}, fmt.Errorf("nobody knows the licence of %s: go test ./cmd/goprofinstr/internal/notices -update", m.Path)
	}
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil {
		return component{}, fmt.Errorf("%s: sum %s: %v", m.Path, m.Sum, err)
	}
	purl := packageURL(m.Path, m.Version)
	return component{
		Ref: purl, Type: "library", Name: m.Path, Version: m.Version, Hashes: []hash{{"SHA-256", hex.EncodeToString(sum)}},
		Licenses: []license{{licenses}}, PURL: purl,
	}, nil
}

// packageURL returns the name of a version of a module, or of the standard library, as a package URL.
func packageURL(module, version string) string {
	return "pkg:golang/" + module + "@" + url.QueryEscape(version)
}

// serial returns the number of the SBOM: a UUID (RFC 9562, version 8) of the executable's sum, so that equal ones have equal
// numbers.
func serial(sum [32]byte) string {
	u := sum[:16]
	u[6] = u[6]&0x0f | 0x80
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
