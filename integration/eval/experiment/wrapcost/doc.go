// Package wrapcost measures the time and memory that wrap takes itself, and wrap go test against go test:
// eval wrapcost.
package wrapcost
