// Package kernels has the workloads of the project.
package kernels
