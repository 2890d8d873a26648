// Package view writes traces as a page that shows a run over time: one HTML file that needs no server
// and no network.
//
//	Page       what a page shows
//	survey     the first pass over a trace: how much there is, and where
//	columns    the second pass: issues, waits and events, by SM and slot
//	page/      the page itself: HTML, CSS and JavaScript
//
// The page shows warps by cycles, the lanes of a warp by instructions, and the source and the PTX with
// the divergence and the waiting of each line. Several traces share a time axis.
//
// The data of a page is in blobs, compressed by themselves. An SM's blob is read when the SM is shown.
// A page holds a limited number of records. Of longer runs it holds the records around the place where
// it opens, and sums over a thousand equal parts of the run for the rest.
package view
