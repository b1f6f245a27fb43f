// Tests of pages in a real browser. They are a module of their own so that who builds goprofinstr has no browser's
// protocol among its dependencies.
module github.com/goprofinstr/goprofinstr/integration/browser

go 1.26.0

tool github.com/goprofinstr/goprofinstr/cmd/goprofinstr

replace github.com/goprofinstr/goprofinstr => ../..

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/goprofinstr/goprofinstr v0.0.0-00010101000000-000000000000
)

require (
	github.com/bluekeyes/go-gitdiff v0.9.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	golang.org/x/arch v0.32.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/term v0.47.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)
