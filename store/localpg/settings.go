package localpg

import (
	"maps"
	"slices"
	"strings"
)

// socketPort only names the socket file; no TCP port is opened.
const socketPort = "5432"

// defaults suit a program that shares a workstation or a small server with
// others. Statements stay out of the log, because they carry documents' text.
var defaults = map[string]string{
	"shared_buffers":          "128MB",
	"max_connections":         "60",
	"random_page_cost":        "1.1",
	"jit":                     "off",
	"timezone":                "UTC",
	"log_timezone":            "UTC",
	"log_min_messages":        "warning",
	"log_min_error_statement": "panic",
	"log_checkpoints":         "off",
	"log_line_prefix":         "%m [%p] ",
}

// fixed are the settings that the safety of the server, or its being found
// again, rests upon.
var fixed = []string{
	"listen_addresses", "port", "unix_socket_directories", "unix_socket_permissions",
	"data_directory", "hba_file", "external_pid_file", "logging_collector", "log_destination",
}

func checkSettings(extra map[string]string) error {
	for _, k := range slices.Sorted(maps.Keys(extra)) {
		if slices.Contains(fixed, strings.ToLower(k)) {
			return failure(ErrStart, nil, "the setting %s of the private PostgreSQL server is fixed and cannot be given", k)
		}
	}
	return nil
}

// serverArgs is the command line of the server. What stands there outranks
// every configuration file, so no ALTER SYSTEM can open a TCP port.
func serverArgs(cluster, socketDir string, extra map[string]string) []string {
	set := maps.Clone(defaults)
	maps.Copy(set, extra)
	set["listen_addresses"] = ""
	set["port"] = socketPort
	set["unix_socket_directories"] = `"` + strings.ReplaceAll(socketDir, `"`, `""`) + `"` // a list, hence the quotes
	set["unix_socket_permissions"] = "0700"
	set["logging_collector"] = "off"
	set["log_destination"] = "stderr"
	args := []string{"-D", cluster}
	for _, k := range slices.Sorted(maps.Keys(set)) {
		args = append(args, "-c", k+"="+set[k])
	}
	return args
}
