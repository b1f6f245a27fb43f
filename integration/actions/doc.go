// Package actions tests what goprofinstr has for GitHub and GitLab. These are the action of the repository and that of
// examples/github/pgo, the workflows beside them, and the scripts and the pipeline of examples/pullrequest. Actionlint knows what
// GitHub takes. The scripts run as the servers run them, with repositories, a gh and an API of their own.
package actions
