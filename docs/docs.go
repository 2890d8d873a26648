// Package docs holds the project's documents. Its tests run the commands in the documents and the
// README. A test of package experiments draws the figures.
package docs
