// Package jobtest has what tests of several packages need to set up a job.
package jobtest
