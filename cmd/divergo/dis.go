package main

import (
	"github.com/spf13/cobra"
)

func newDis() *cobra.Command { return &cobra.Command{Use: "dis"} }
