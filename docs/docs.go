// Package docs holds the project's documents. Its test runs every command that
// they and the README show.
package docs
