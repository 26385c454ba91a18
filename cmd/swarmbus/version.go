package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version and what it was built with",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := version()
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(v)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "swarmbus", v)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

type versionInfo struct {
	Version  string `json:"version"`            // "development" if it was built from a directory
	Revision string `json:"revision,omitempty"` // "" if it was built without version control
	Go       string `json:"go"`
}

func (v versionInfo) String() string {
	return strings.Join(slices.DeleteFunc([]string{v.Version, v.Revision, v.Go}, func(s string) bool { return s == "" }), " ")
}

func version() versionInfo {
	v := versionInfo{Version: "development"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Go = info.GoVersion
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Revision = s.Value
		}
	}
	return v
}
