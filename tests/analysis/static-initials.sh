#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What static objects hold is stored by no function: pointers to functions,
# numbers in records, and sizeofs, which stay what they are; tables of numbers
# and strings are left out, and nothing of how marking does it shows.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile initials.c <<'EOF'
#include <stdlib.h>
struct node { struct node *next; long k; };
struct ops { const char *name; size_t size; void *(*get)(size_t); };
static void *mine(size_t n) { return malloc(n); }
struct ops ops[] = {{"node", sizeof(struct node), mine},
                    {"int", 2 * sizeof(int), malloc}};
const struct ops plain = {"plain", 48, mine};
static void *(*const list[])(size_t) = {malloc, mine};
size_t size = sizeof(struct node);
int table[] = {1, 2, 3};
struct node node = {&node, 0};
void *use(int i) {
  static struct ops local = {"local", sizeof(struct node), mine};
  return list[i](local.size + plain.size + size);
}
EOF

allocs dump initials.o | sed -n '/^store .*func=/!s/^store .*# //p' | sort >said
expect said <<'EOF'
*(&list + 8) = mine
list = malloc
node.next = node
ops.get = malloc
ops.get = mine
ops.size = sizeof(int) * 2
ops.size = sizeof(struct node)
plain.get = mine
plain.size = 48
size = sizeof(struct node)
use.local.get = mine
use.local.size = sizeof(struct node)
EOF
allocs dump initials.o >dump
not grep -q __cca_ dump
not grep -q '^store .*func=' dump
