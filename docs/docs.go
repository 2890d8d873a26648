// Package docs holds the project's documents. Its test runs the commands that
// they and the README show; figures are drawn by a test of package experiments.
package docs
