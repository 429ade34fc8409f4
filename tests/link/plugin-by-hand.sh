#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A linker that loads the plugin without what the shim tells it links as if it
# were not there.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects
plain main.o libpart.a -o prog
mv prog without
plain main.o libpart.a -o prog \
  "-Wl,-plugin,$build_dir/lib/cc-allocs/cca-plugin.so"
cmp without prog
plain main.o libpart.a -o prog \
  "-Wl,-plugin,$build_dir/lib/cc-allocs/cca-plugin.so,-plugin-opt=dir=/nowhere"
cmp without prog
