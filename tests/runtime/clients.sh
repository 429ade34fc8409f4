#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A client is told of each object, exactly: of which type, and how it is made,
# resized and freed, by all of malloc's kin.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
# shellcheck source=tests/runtime/clients.bash
. "$here/clients.bash"

client trace
cat >main.c <<'EOF'
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct one { long x; };
struct two { long x[2]; };
struct three { long x[3]; };
struct line { char x[64]; };
void *volatile kept[16];
void (*volatile release)(void *) = free; /* compilers know what free() leaves */
int main(int argc, char **argv) {
  (void)argv;
  size_t n = (size_t)argc;
  kept[0] = malloc(sizeof(struct one));
  kept[1] = calloc(n * 3, sizeof(struct two));
  kept[2] = aligned_alloc(64, sizeof(struct line));
  kept[3] = strdup("text");
  if (posix_memalign((void **)&kept[4], 256, sizeof(struct three))) return 1;
  free(kept[0]);
  free(NULL);
  struct three *array = malloc(n * 10 * sizeof *array);
  struct three *fence = malloc(n * 10 * sizeof *fence);
  array = realloc(array, n * 10 * sizeof *array - 24);
  array = realloc(array, n * 5000 * sizeof *array);
  kept[5] = array;
  errno = EDOM;
  if (realloc(array, n * (PTRDIFF_MAX / 2 / sizeof *array) * sizeof *array)) return 2;
  if (errno != ENOMEM) return 3;
  errno = EDOM;
  release(array);
  if (errno != EDOM) return 4;
  kept[6] = realloc(fence, 0);
  kept[7] = realloc(NULL, sizeof(struct one));
  kept[8] = reallocarray(NULL, n * 2, sizeof(struct two));
  return 0;
}
EOF
cc-allocs -O1 -g main.c -o main
trace ./main 2>err
expect err </dev/null
cat >wanted <<'EOF'
1 begin
1 loaded main, 12 sites
1 loaded trace.so, 0 sites
1 allocated #1: struct one, 8 bytes
1 allocated #2: struct two[], 48 bytes
1 allocated #3: struct line, 64 bytes
1 allocated #4: bytes, 5 bytes
1 allocated #5: struct three, 24 bytes
1 freed #1: struct one, 8 bytes
1 allocated #6: struct three[], 240 bytes
1 allocated #7: struct three[], 240 bytes
1 resizing #6: struct three[], 240 bytes
1 resized #6: struct three[], 216 bytes, there
1 resizing #6: struct three[], 216 bytes
1 resized #6: struct three[], 120000 bytes, moved
1 resizing #6: struct three[], 120000 bytes
1 resized #6: struct three[], 120000 bytes, failed
1 freed #6: struct three[], 120000 bytes
1 freed #7: struct three[], 240 bytes
1 allocated #8: struct one, 8 bytes
1 allocated #9: struct two[], 32 bytes
1 end
EOF
expect log <wanted

# What a client allocates in an event is no event, and does not come back.
client trace -DALLOCATES
trace ./main
expect log <wanted

# Two of them: each has all of it, the first of the command line first.
client other -DID='"test.other"'
allocs run -o heap --client="./trace.so:1,$PWD/both" \
  --client="./other.so:2,$PWD/both" ./main
sed -n 's/^1/2/p' wanted | sed 's/^2 loaded trace.so, 0 sites$/&\n2 loaded other.so, 0 sites/' >second
sed -n '/^2/p' both >got
expect got <second
grep -v other.so both | awk '
  /^1 (allocated|freed|resized|end)/ {
    want = "2" substr($0, 2); getline; if ($0 != want) print "not " want
  }' >misplaced
expect misplaced </dev/null

# The program's own client, of the linked runtime; and the twin: what happens
# before and outside is not told.
cat >own.c <<'EOF'
#include <ccallocs/client.h>
#include <stdio.h>
#include <stdlib.h>
struct one { long x; };
static int events;
static void allocated(void *data, const struct cca_client_object *object) {
  struct cca_client_type type = {"untyped", 0, 0};
  cca_client_site_type(object->site, 0, &type);
  events++;
  *(const char **)data = type.name;
}
static const char *last = "nothing";
static int begin(const char *options, void **data, struct cca_error *err) {
  (void)err;
  *data = &last;
  return *options == 'x' ? CCA_OK : CCA_ERR_REFUSED;
}
void *volatile kept;
int main(void) {
  static const struct cca_client client = {CCA_CLIENT_INTERFACE, .id = "test.own",
                                           .version = "1", .begin = begin,
                                           .allocated = allocated};
  struct cca_error err;
  setvbuf(stdout, NULL, _IONBF, 0);
  kept = malloc(sizeof(struct one));
  printf("%d %s\n", events, last);
  printf("%d %s\n", cca_client_register(&client, NULL, &err), err.text);
  printf("%d\n", cca_client_register(&client, "x", &err));
  kept = malloc(sizeof(struct one));
  printf("%d %s\n", events, last);
  printf("%d %s\n", cca_client_register(&client, "x", &err), err.text);
  return 0;
}
EOF
cc-allocs -g -O1 -I"$source_dir/include" -Wl,-rpath,"$build_dir/lib" own.c \
  -L"$build_dir/lib" -lccallocs-runtime -o own
./own >out
expect out <<'EOF'
0 nothing
-13 it did not say why
0
1 struct one
-13 a client with its id, test.own, is there already
EOF

# C++: operator new is a function of libstdc++, without a classification.
need g++
"$CCA_CC" -O2 -g -shared -fPIC -I"$source_dir/include" -x c -o new.so - <<'EOF'
#include <ccallocs/client.h>
#include <stdio.h>
#include <unistd.h>
static void say(const char *what, const struct cca_client_object *object) {
  struct cca_client_site site;
  char line[128];
  if (object->size != 12345 || cca_client_site(object->site, &site) != CCA_OK)
    return;
  int len = snprintf(line, sizeof line, "%s: %s\n", what, site.unknown);
  if (write(1, line, (size_t)len) != len) _exit(9);
}
static void allocated(void *data, const struct cca_client_object *object) {
  (void)data;
  say("new", object);
}
static void freed(void *data, const struct cca_client_object *object) {
  (void)data;
  say("delete", object);
}
const struct cca_client cca_client = {CCA_CLIENT_INTERFACE, .id = "test.new",
                                      .version = "1", .allocated = allocated,
                                      .freed = freed};
EOF
cat >new.cc <<'EOF'
struct thing { char x[12345]; };
thing *volatile kept;
int main() { kept = new thing; kept->x[5] = 1; delete kept; return 0; }
EOF
g++ -g new.cc -o new
allocs run -o heap --client=./new.so ./new >out
expect out <<'EOF'
new: no-site
delete: no-site
EOF
