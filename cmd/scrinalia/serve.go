package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) serveCommand() *cobra.Command {
	return &cobra.Command{Use: "serve", RunE: func(c *cobra.Command, _ []string) error { return a.serve(c.Context()) }}
}

func (a *app) serve(context.Context) error { return nil }
