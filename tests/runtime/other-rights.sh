#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program that runs with other rights than its user's writes nothing where its
# environment says, and loads no client; the same program without them does.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need setpriv
[ "$(id -u)" = 0 ] || skip "only root can make the program"

cat >main.c <<'EOF'
#include <ccallocs/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
int main(void) {
  struct cca_object o;
  void *volatile p = malloc(24);
  printf("secure %lu, %d\n", getauxval(AT_SECURE), cca_describe(p, &o));
  return 0;
}
EOF
cp "$build_dir/lib/libccallocs-runtime.so.0" .
"$CCA_CC" -I"$source_dir/include" main.c libccallocs-runtime.so.0 \
  -Wl,-rpath,"$work" -o main
chmod 755 . main libccallocs-runtime.so.0
"$CCA_CC" -shared -fPIC -I"$source_dir/include" -x c -o client.so - <<'EOF'
#include <ccallocs/client.h>
#include <unistd.h>
static int begin(const char *options, void **data, struct cca_error *err) {
  (void)data, (void)err;
  return write(1, options, 7) == 7 ? CCA_OK : CCA_ERR_IO;
}
const struct cca_client cca_client = {CCA_CLIENT_INTERFACE, .id = "test.rights",
                                      .version = "1", .begin = begin};
EOF
chmod 755 client.so
mkdir -m 777 folder
export CC_ALLOCS_HEAP=$work/folder CC_ALLOCS_CLIENTS=$work/client.so:client,
setpriv --reuid=65534 --clear-groups ./main >out
expect out <<<'client,secure 0, 0'
[ "$(ls folder)" != '' ]
rm -f folder/*
chmod u+s main
setpriv --reuid=65534 --clear-groups ./main >out
grep -q 'secure 1' out || skip "set-user-ID is ignored here"
expect out <<<'secure 1, 0'
[ "$(ls folder)" = '' ]
