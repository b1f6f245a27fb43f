package pgo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile/builds"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
)

// Options say what of the counts goes into a profile.
type Options struct {
	Services []string           // whose runs count; empty means all
	Weights  map[string]float64 // of services, by which their counts are multiplied; 1 for others

	// Latest has the build that the profile is for. If it is empty, that is the newest one of those that have run.
	Latest []*builds.Counts

	// CPU has the calls of a CPU profile, for what counts do not tell. If it is empty, they are those on the stacks of runs
	// that were sampled.
	CPU []pgofile.Edge
}

// A Result is a profile for the compiler, and where it is from.
type Result struct {
	Edges []pgofile.Edge // those that make up pgoShare of the weight, the heaviest ones first

	Builds, Runs, Hosts int // Hosts is 0 if no run has said where it was
	First, Last         time.Time
	Services            []Service // by name

	// Weight of calls, by how they were found in the newest build.
	ByLine, ByMatch, Lost float64
	LostIn                []LostIn // functions that had most of the calls that were lost

	CPU *CPU // nil without a CPU profile and stacks
}

// A Service is what runs of one name are.
type Service struct {
	Name   string
	Runs   int
	Weight float64
}

// LostIn is a function of an older build, and the weight of its calls that were lost.
type LostIn struct {
	Function string
	Weight   float64
}

// Found returns the share of the weight of calls that was found, between 0 and 1.
func (r *Result) Found() float64 { return (r.ByLine + r.ByMatch) / r.total() }

func (r *Result) total() float64 { return r.ByLine + r.ByMatch + r.Lost }

// Make makes a profile for the newest build of all that the given counts tell. It is the same whatever their order. The
// error is one line long.
func Make(all []*builds.Counts, o Options) (*Result, error) {
	if err := o.check(all); err != nil {
		return nil, err
	}
	list := selected(groupBuilds(all), o.Services)
	latest := newLatest(list)
	if len(o.Latest) > 0 {
		latest = newLatest(groupBuilds(o.Latest)[:1])
	}
	tallies := make(map[string]*tally) // by service
	for _, b := range list {
		m := newMatch(profileOf(b.packages()), latest)
		for _, c := range b.counts {
			if tallies[c.Service] == nil {
				tallies[c.Service] = newTally()
			}
			tallies[c.Service].add(c.Profile, m)
		}
	}
	r := describe(list)
	weights := r.addUp(tallies, o)
	if r.total() == 0 {
		return nil, noCalls(tallies, r.Services)
	}
	if r.Found() == 0 {
		return nil, errors.New("no call that has been counted is in the build that the profile is for: " +
			"they are of other programs, or it does not compile")
	}
	edges := newGraph(weights).weights()
	known := newInstrumented(latest)
	if len(o.CPU) > 0 {
		r.CPU = addCPU(edges, sampled(o.CPU), known)
	} else if r.CPU = addCPU(edges, r.timed(tallies), known); r.CPU != nil {
		r.CPU.Contexts = true
	}
	whole := rounded
	if slices.ContainsFunc(r.Services, func(s Service) bool { return 0 < s.Weight && s.Weight < 1 }) {
		whole = enlarged // what matters is ratios, but other weights stay the counts
	}
	r.Edges = hottest(whole(edges), pgoShare)
	return r, nil
}

// selected returns the builds with the counts of some services only, or of all if there are none. Which build is newer
// than another is what all runs tell.
func selected(list []*build, services []string) (of []*build) {
	for _, b := range list {
		counts := slices.DeleteFunc(slices.Clone(b.counts), func(c *builds.Counts) bool {
			return len(services) > 0 && !slices.Contains(services, c.Service)
		})
		if len(counts) > 0 {
			of = append(of, &build{b.tables, counts})
		}
	}
	return of
}

// check refuses names of services that no run has.
func (o *Options) check(all []*builds.Counts) error {
	known := make(map[string]bool)
	for _, c := range all {
		known[c.Service] = true
	}
	for _, name := range slices.Concat(o.Services, slices.Sorted(maps.Keys(o.Weights))) {
		if !known[name] {
			return fmt.Errorf("no run is of service %s: %s", name, services(known))
		}
	}
	return nil
}

// services says which services there are.
func services(known map[string]bool) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "runs have the name that OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES had " +
			"when the program started, and these have none"
	}
	return "there are runs of " + strings.Join(names, ", ")
}

// addUp returns the weights of all calls.
func (r *Result) addUp(tallies map[string]*tally, o Options) map[call]float64 {
	weights := make(map[call]float64)
	lostIn := make(map[string]float64)
	for i := range r.Services {
		s := &r.Services[i]
		s.Weight = 1
		if weight, ok := o.Weights[s.Name]; ok {
			s.Weight = weight
		}
		t := tallies[s.Name]
		for c, weight := range t.weights(s.Weight) {
			weights[c] += weight
		}
		r.ByLine += s.Weight * float64(t.found[byLine])
		r.ByMatch += s.Weight * float64(t.found[byMatch])
		r.Lost += s.Weight * float64(t.found[lost])
		for f, n := range t.lostIn {
			lostIn[f.Package+"."+f.Name] += s.Weight * float64(n)
		}
	}
	r.LostIn = most(lostIn)
	return weights
}

// noCalls is the error where no call has weight.
func noCalls(tallies map[string]*tally, services []Service) error {
	var names []string
	for _, s := range services {
		if slices.Max(tallies[s.Name].found[:]) > 0 {
			names = append(names, s.Name)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("all calls that have been counted are of services of weight 0: %s; give one of them more with -weight",
			strings.Join(names, ", "))
	}
	return errors.New("no calls have been counted: there are no runs, or they have called nothing")
}

// describe returns a result that says what runs it is from.
func describe(list []*build) *Result {
	r := &Result{}
	hosts := make(map[string]bool)
	runs := make(map[string]int)
	for _, b := range list {
		ran := 0
		for _, c := range b.counts {
			ran += c.Runs
			runs[c.Service] += c.Runs
			for _, h := range c.Hosts {
				hosts[h] = true
			}
			if c.Runs > 0 && (r.First.IsZero() || c.First.Before(r.First)) {
				r.First = c.First
			}
			if c.Last.After(r.Last) {
				r.Last = c.Last
			}
		}
		if r.Runs += ran; ran > 0 {
			r.Builds++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		r.Services = append(r.Services, Service{Name: name, Runs: runs[name]})
	}
	r.Hosts = len(hosts)
	return r
}
