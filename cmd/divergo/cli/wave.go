package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"divergo/internal/printable"
	"divergo/waves"
)

func newWave() *cobra.Command {
	var show, asJSON bool
	c := &cobra.Command{
		Use:   "wave FILE.vcd",
		Short: "Open a waveform in GTKWave",
		Long: `Open a waveform in GTKWave, arranged and with names for values if the save file that "divergo run
--vcd" wrote is still beside it.`,
		Args: exactly(1, "a waveform"),
		RunE: func(c *cobra.Command, args []string) error {
			command, err := viewer(args[0])
			switch {
			case err != nil:
				return err
			case asJSON:
				return printJSON(c.OutOrStdout(), map[string]any{"schema": schema("wave"), "command": command})
			case show:
				_, err := fmt.Fprintln(c.OutOrStdout(), strings.Join(command, " "))
				return err
			}
			gtkwave := exec.Command(command[0], command[1:]...)
			var said bytes.Buffer
			gtkwave.Stdout, gtkwave.Stderr = c.ErrOrStderr(), io.MultiWriter(c.ErrOrStderr(), &said)
			err = gtkwave.Run()
			switch {
			case errors.Is(err, exec.ErrNotFound):
				return fmt.Errorf("gtkwave is not installed (Debian package gtkwave): %w", err)
			// GTKWave exits with 0 in this case
			case err == nil && strings.Contains(said.String(), "Could not initialize GTK"):
				return fmt.Errorf("gtkwave has no display (DISPLAY=%q); --print shows the command, for a machine that has one", os.Getenv("DISPLAY"))
			}
			return err
		},
	}
	c.Flags().BoolVar(&show, "print", false, "print the command instead of running it")
	c.Flags().BoolVar(&asJSON, "json", false, "print the command as JSON instead of running it")
	return c
}

// viewer returns the command that shows a waveform, with its save file if there is one.
func viewer(file string) ([]string, error) {
	switch info, err := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file, want a waveform, which \"divergo run KERNEL --vcd FILE.vcd\" writes", printable.Name(file))
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a folder, want a waveform", printable.Name(file))
	}
	save := waves.SaveFile(file)
	if _, err := os.Stat(save); err == nil {
		return []string{"gtkwave", save}, nil
	}
	return []string{"gtkwave", file}, nil
}
