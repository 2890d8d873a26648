package cli_test

import (
	"fmt"
	"os"

	"divergo/cmd/divergo/cli"
)

// Run returns the exit code of the process: 2 for a wrong command line.
func Example() {
	code := cli.Run([]string{"list", "lane"}, os.Stdout, os.Stdout)
	fmt.Println(code)
	// Output:
	// divergo: unknown list "lane"; did you mean "lanes"?
	// 2
}
