#!/bin/bash
# Unpacks servers from Debian's archive into a cache folder of this user. Nothing is installed and no service starts; the first
# call takes a minute or two, later ones find the finished copy.
# usage: debian-software.sh databases|swift
# Prints three lines: the folder, its library path, and the versions in words.
set -euo pipefail
RECIPE=2 # raise it when what is unpacked changes
exec 3>&1 1>&2

if [[ $EUID == 0 ]]; then
  # Servers refuse to run as root, and nobody else may look into root's home.
  cache=/var/cache/loupe/services
else
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/loupe/services
fi
source /etc/os-release 2>/dev/null || true
codename=${VERSION_CODENAME:-unknown}
final=$cache/${ID:-unknown}-$codename-$(uname -m)-$1-$RECIPE

# apt TOOL PARAMETER...: apt with lists and downloads of our own; those of the machine stay as they are.
apt() {
  local tool=$1
  shift
  LC_ALL=C DEBIAN_FRONTEND=noninteractive "$tool" -o Dir::State::Lists="$state/lists" -o Dir::Cache="$state" \
    -o Dir::Cache::Archives="$state/archives" -o APT::Sandbox::User= -o Debug::NoLocking=true -o Acquire::Retries=3 "$@"
}

# version PACKAGE: the upstream version that apt would install; nothing for an unknown package.
version() {
  apt apt-cache policy "$1" | sed -nE 's/^ *Candidate: ([0-9]+:)?([^-]+)(-.*)?$/\2/p' | grep -vx '(none)' || true
}

# unpack PACKAGE...: the packages, and what the machine lacks of their dependencies but the C library, which must match the
# machine's loader. Of the packages in $alone no dependencies.
unpack() {
  local missing wanted file
  missing=$(apt apt-get -s install --no-install-recommends "$@" | sed -n 's/^Inst \([^ ]*\) .*/\1/p' |
    grep -vxE 'libc6|libc-bin|libc-l10n|locales|libc6-dev|libcrypt1|debconf|dpkg' || true)
  mapfile -t wanted < <(printf '%s\n' "$@" $missing ${alone:-} | sort -u)
  mkdir "$aside/debs"
  (cd "$aside/debs" && apt apt-get -q download "${wanted[@]}")
  for file in "$aside"/debs/*.deb; do dpkg -x "$file" "$root"; done
}

# build_pgvector MAJOR: for a release without the package, from the source package of a later one. Sets `vector`.
build_pgvector() {
  if ! { make --version && gcc -E -include stdio.h -x c - </dev/null; } >/dev/null 2>&1; then
    [[ $EUID == 0 ]] || { echo 'pgvector must be built and there is no C compiler: apt-get install gcc make libc6-dev'; exit 1; }
    apt apt-get -q -y -o Debug::NoLocking=false -o DPkg::Lock::Timeout=120 install --no-install-recommends gcc make libc6-dev
  fi
  local archive suite tarball own
  archive=$(apt apt-get indextargets --format '$(REPO_URI)' "Codename: $codename" 'Component: main' 'Created-By: Packages' | head -n 1)
  # Newest first: pgvector before 0.8.4 has faults in parallel builds and vacuum; that of trixie is the stable fallback.
  for suite in forky trixie; do
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $suite main" >"$state/source.list"
    own=(-o "Dir::Etc::SourceList=$state/source.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences=/dev/null
      -o Dir::Etc::PreferencesParts=/dev/null -o "Dir::State::Lists=$state/$suite")
    mkdir -p "$state/$suite/partial" "$state/source"
    if apt apt-get -q "${own[@]}" update && (cd "$state/source" && apt apt-get -q "${own[@]}" source --download-only pgvector); then break; fi
  done
  tarball=$(ls "$state"/source/pgvector_*.orig.tar.*)
  vector=$(sed -E 's/.*_([^_]+)\.orig\..*/\1/' <<<"$tarball")
  mkdir "$aside/pgvector"
  tar -xf "$tarball" --strip-components=1 -C "$aside/pgvector"
  # No code for this processor alone, nothing for a debugger, and no bitcode, which would need clang.
  own=(-C "$aside/pgvector" "PG_CONFIG=$root/usr/lib/postgresql/$1/bin/pg_config" OPTFLAGS= COPT=-g0 with_llvm=no)
  make -j2 "${own[@]}"
  make "${own[@]}" install
}

databases() {
  local major vector packages
  major=$(apt apt-cache depends postgresql | sed -nE 's/^ *Depends: postgresql-([0-9]+)$/\1/p')
  vector=$(version "postgresql-$major-pgvector")
  packages=("postgresql-$major" "postgresql-client-$major" redis-server redis-tools)
  if [[ $vector ]]; then
    unpack "${packages[@]}" "postgresql-$major-pgvector"
  else
    alone=postgresql-server-dev-$major unpack "${packages[@]}"
    build_pgvector "$major"
  fi
  echo "PostgreSQL $major with pgvector $vector, Redis $(version redis-server)" >"$root/versions"
}

swift() {
  unpack swift-proxy swift-account swift-container swift-object
  echo "OpenStack Swift $(version swift-proxy)" >"$root/versions"
}

if [[ ! -e $final/versions ]]; then
  command -v apt-get >/dev/null || { echo 'no apt on this machine: give TEST_DATABASE_URL, TEST_REDIS_URL and TEST_S3_URL, or start a Docker engine'; exit 1; }
  mkdir -p "$cache"
  # Made aside and moved in one step: a run that is killed, or another one at the same time, leaves nothing half done.
  aside=$(mktemp -d "$cache/preparing-XXXXXX")
  trap 'rm -rf "$aside"' EXIT
  chmod 755 "$aside"
  state=$aside/apt root=$aside/root
  mkdir -p "$root" "$state/lists/partial" "$state/archives/partial"
  apt apt-get -q update
  "$1"
  mv -T "$root" "$final" || [[ -e $final/versions ]]
fi
libraries=$(find "$final/usr/lib" "$final/lib" -maxdepth 1 -name '*-linux-gnu*' 2>/dev/null | paste -sd: || true)
printf '%s\n' "$final" "$libraries" "$(<"$final/versions")" >&3
