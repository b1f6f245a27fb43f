// Package auditbase asks how often audit -base is right about commits whose truth is known: eval audit-base.
//
// The commits are made in a copy of github.com/tidwall/gjson, each of a change to one function. A known one adds work to the
// function, or takes it away: a chain of multiplications of which the function's input depends, so that none of it is hidden
// behind what comes next. How long it must be follows from a calibration, in which the function and the chain are timed by
// turns, and the least time of each counts: other load makes times longer only. An equal commit changes the text and nothing
// that takes time.
//
// The same equal versions as a function and its variant say how often audits of what is declared so are wrong: eval audit-equal.
package auditbase
