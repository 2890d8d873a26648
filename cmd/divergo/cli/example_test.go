package cli_test

import (
	"fmt"
	"os"

	"divergo/cmd/divergo/cli"
)

// The exit code is that of the process: 2 for a command line that is wrong.
func Example() {
	code := cli.Run([]string{"list", "lane"}, os.Stdout, os.Stdout)
	fmt.Println(code)
	// Output:
	// divergo: unknown list "lane"; did you mean "lanes"?
	// 2
}
