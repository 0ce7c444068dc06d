#!/bin/sh
# Makes sure that programs are there: installs them as root on Debian or Ubuntu, else says in one sentence how.
# usage: deps.sh postgresql|npm|chromium|gcc...
set -eu

have() {
	case $1 in
	postgresql)
		[ -n "${DATABASE_URL:-}" ] && return 0
		for dir in $(echo "$PATH" | tr ':' ' ') /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /opt/homebrew/opt/postgresql@*/bin \
			/usr/local/opt/postgresql@*/bin "${SCRINALIA_POSTGRES_BIN:-/nonexistent}"; do
			[ -x "$dir/initdb" ] && [ -x "$dir/postgres" ] && return 0
		done
		return 1
		;;
	chromium) command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 ;;
	*) command -v "$1" >/dev/null 2>&1 ;;
	esac
}

missing=
for name in "$@"; do
	have "$name" || missing="$missing $name"
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "Installing$missing"
	export DEBIAN_FRONTEND=noninteractive
	# Debian's package would make and start a cluster of its own; ours is private.
	mkdir -p /etc/postgresql-common
	[ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
	apt-get update -qq
	# shellcheck disable=SC2086
	apt-get install -y -qq --no-install-recommends $missing >/dev/null
	exit 0
fi
echo "Missing:$missing. On Debian or Ubuntu: sudo apt-get install$missing; on macOS: brew install$missing." >&2
exit 1
