#!/bin/sh
# Make .venv with the newest Python, 3.11 or later, that really starts
# (a shim on the PATH may stand for a version nobody installed). An environment that works is kept.
set -eu

# The first Python that is new enough and can run the statement $1.
newest() {
    for candidate in python3.13 python3.12 python3.11 python3; do
        if "$candidate" -c "import sys; assert sys.version_info >= (3, 11); $1" >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
}

if .venv/bin/python -m pip --version >/dev/null 2>&1; then
    exit
fi

python=$(newest "import ensurepip, venv")
if [ -z "$python" ]; then
    python=$(newest "pass")
    if [ -z "$python" ]; then
        echo "jurybox needs Python 3.11 or later and found none: install one (Debian, Ubuntu: apt-get install python3 python3-venv), then run make again." >&2
        exit 1
    fi
    # Debian and Ubuntu ship Python without what makes an environment.
    package=$("$python" -c 'import sys; print("python3.%d-venv" % sys.version_info.minor)')
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing $package …"
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package"; } >/dev/null || true
    fi
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        echo "$python cannot make virtual environments: install its venv module (Debian, Ubuntu: sudo apt-get install $package), then run make again." >&2
        exit 1
    fi
fi

"$python" -m venv --clear .venv
