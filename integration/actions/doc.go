// Package actions tests the action of examples/github/pgo and the workflow beside it: with actionlint, which knows what
// GitHub takes, and by running the action's scripts as GitHub does, with a repository and a gh of its own.
package actions
