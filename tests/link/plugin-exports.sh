#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The plugin shows the linker one symbol, and needs nothing but the C library.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
plugin=$build_dir/lib/cc-allocs/cca-plugin.so

nm -D --defined-only "$plugin" | sed 's/.* //' >exported
expect exported <<'EOF'
onload
EOF
readelf -dW "$plugin" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >needed
not grep -Ev '^lib(c|asan|ubsan)\.so' needed
