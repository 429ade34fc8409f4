#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A client that the program registers by itself has its part in caches: it is in the
# key as it comes, looks, refuses, and keeps areas, which stay there for it when it
# does not come; and a program without one knows nothing of it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
[ "$(uname -m)" = x86_64 ] || skip "the client has machine code of x86-64"

# shellcheck source=tests/runtime/clients.bash
. "$here/clients.bash"
mkdir -m 700 records cache
cat >main.c <<'EOF'
#include <ccallocs/client.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct one { long x; };
struct two { long x[2]; };
void *volatile kept[2];
/* The client's variable, ids and all, is not there any more when it is used. */
static void enlist(const struct cca_client *from, const char *id) {
  struct cca_client client = *from;
  struct cca_error err = {.text = ""};
  char name[64], version[64];
  client.id = strcpy(name, id);
  client.version = strcpy(version, from->version);
  if (cca_client_register(&client, NULL, &err) != CCA_OK) puts(err.text);
  memset(name, '?', sizeof name);
  memset(version, '?', sizeof version);
}
int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  for (int i = 1; i < argc; i++) {
    char path[64];
    snprintf(path, sizeof path, "./%s.so", argv[i]);
    void *library = dlopen(path, RTLD_NOW);
    enlist(dlsym(library, "cca_client"), argv[i]);
    dlclose(library); /* it stays */
  }
  kept[0] = malloc(sizeof(struct one));
  kept[1] = malloc(sizeof(struct two));
  return 0;
}
EOF
cc-allocs -O1 -g -I"$source_dir/include" main.c -Wl,-rpath,"$build_dir/lib" \
  -L"$build_dir/lib" -lccallocs-runtime -ldl -o main
keeper
cp keeper.so test.second.so
mv keeper.so test.own.so

# own WORDS [ID...]: main, which registers the client ID of each ID.so.
own() {
  rm -f records/*
  CC_ALLOCS_HEAP=$work/records CC_ALLOCS_CACHE=$work/cache KEEPER=$1 \
    ./main "${@:2}" >got
  not grep -F '?' got
  cut -f1 records/*.cache >state
  cut -f7 records/*.cache >written
}
# keys: the clients of the cache, as text.
keys() {
  allocs dump cache/*.cache | sed -n 's/^cache_client @[0-9]* \(id=[^ ]* version=[^ ]*\) .*\(flags.*\)/\1 \2/p'
}
sum() { cat cache/*.cache | md5sum; }

own '' test.own
is absent written <<<keep
keys >key
expect key <<<'id="test.own" version="1" flags=late'
first=$(sum)
own '' test.own
is used - <<'EOF'
validate
patch
Jello r--p, returns 43 r-xp, counts 1 rw-p
EOF
own renew test.own
is used written <<'EOF'
validate
patch
keep
Jello r--p, returns 43 r-xp, counts 1 rw-p
EOF
own '' test.own
is used - <<'EOF'
validate
patch
Jello r--p, returns 43 r-xp, counts 11 rw-p
EOF

# It does not come: nobody is asked, nothing is refused, and what it kept stays
# there for it, also when another one has the file written anew.
rm cache/*
own '' test.own
[ "$(sum)" = "$first" ]
own ''
is used - </dev/null
[ "$(sum)" = "$first" ]
own '' test.own test.second
is clients written <<'EOF'
validate
patch
keep
keep

EOF
keys >key
expect key <<'EOF'
id="test.own" version="1" flags=late
id="test.second" version="1" flags=late
EOF
own renew test.own
is used written <<'EOF'
validate
patch
keep
Jello r--p, returns 43 r-xp, counts 1 rw-p
EOF
own '' test.second test.own
is used - <<'EOF'
validate
patch
validate
patch
Jello r--p, returns 43 r-xp, counts 1 rw-p
Jello r--p, returns 43 r-xp, counts 11 rw-p
EOF

# It would not have it; another version; another build; nothing says which.
own veto test.own
is vetoed written <<'EOF'
validate
keep
EOF
grep -qE '^vetoed	test.own	0	' records/*.cache
renewed() {
  keeper "$@"
  mv keeper.so test.own.so
  own '' test.own
}
renewed '-DVERSION="2"'
is client-version written <<<keep
keys >key
expect key <<<'id="test.own" version="2" flags=late'
renewed '-DVERSION="2"' -g3 -O0
is client-rebuilt written <<<keep
grep -qE '^client-rebuilt	test.own	0	' records/*.cache
own '' test.own
[ "$(cat state)" = used ]
renewed -Wl,--build-id=none -fno-pic -mcmodel=large -Wl,-z,notext 2>/dev/null
is unidentified - </dev/null

# Beside one of --client, which is asked first, at start.
keeper
mv keeper.so test.own.so
export CC_ALLOCS_CLIENTS=$work/test.own.so
own '' test.second
is absent written <<'EOF'
keep
keep
EOF
own '' test.second
is used - <<'EOF'
validate
patch
validate
patch
Jello r--p, returns 43 r-xp, counts 1 rw-p
Jello r--p, returns 43 r-xp, counts 1 rw-p
EOF
own 'veto'
is vetoed written <<'EOF'
validate
keep
EOF
unset CC_ALLOCS_CLIENTS

# Without a cache there is none of this.
KEEPER='' ./main test.own >got
expect got </dev/null
