#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A module of a kernel: freestanding C with headers and a section of its own and
# the options that a kernel gives to gcc, made of two objects by a relocatable
# link with a script.  What comes out is what comes out without us, and it has
# the summaries of both.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/analysis/same-tree.bash
. "$here/same-tree.bash"
need ld
compiler=gcc

mkdir -p src/include
cat >src/include/slab.h <<'END'
typedef __SIZE_TYPE__ size_t;
#define GFP_KERNEL 0xcc0u
void *__kmalloc(size_t size, unsigned flags)
    __attribute__((__malloc__, __alloc_size__(1)));
static inline __attribute__((__always_inline__, __gnu_inline__)) void *
kzalloc(size_t size, unsigned flags) {
  return __kmalloc(size, flags | 0x100u);
}
#define MODULE_INFO(name, text)                                                \
  static const char info_##name[]                                             \
      __attribute__((__used__, __section__(".modinfo"), aligned(1))) =         \
          #name "=" text
END
cat >src/main.c <<'END'
#include <slab.h>
struct device { struct ring *ring; unsigned char address[6]; };
struct ring *probe(int slots);
MODULE_INFO(license, "Dual MIT/GPL");
struct device *init_module(void) {
  struct device *d = kzalloc(sizeof *d, GFP_KERNEL);
  if (d)
    d->ring = probe(16);
  return d;
}
END
cat >src/probe.c <<'END'
#include <slab.h>
struct ring { int head, tail; void *slots[]; };
struct ring *probe(int slots) {
  return kzalloc(sizeof(struct ring) + slots * sizeof(void *), GFP_KERNEL);
}
END
echo 'SECTIONS { .modinfo : { *(.modinfo) } /DISCARD/ : { *(.discard) } }' >src/module.lds
flags=(-nostdinc -Iinclude -D__KERNEL__ -DMODULE -std=gnu11 -fshort-wchar
  -funsigned-char -fno-common -fno-PIE -fno-strict-aliasing -mno-sse -mno-mmx
  -mno-sse2 -mno-3dnow -mno-avx -mno-80387 -mno-fp-ret-in-387 -m64
  -falign-jumps=1 -falign-loops=1 -mpreferred-stack-boundary=3
  -mskip-rax-setup -mtune=generic -mno-red-zone -mcmodel=kernel
  -mindirect-branch=thunk-extern -mindirect-branch-register
  -mfunction-return=thunk-extern -fcf-protection=none -fno-jump-tables
  -mharden-sls=all -fno-asynchronous-unwind-tables -fconserve-stack
  -fno-delete-null-pointer-checks -fno-allow-store-data-races
  -fstack-protector-strong -ftrivial-auto-var-init=zero -pg -mrecord-mcount
  -mfentry -fno-stack-clash-protection -fno-stack-check -ffreestanding -O2 -g)

same_tree 0 "${flags[@]}" -c main.c probe.c
[ "$(summaries main.o probe.o)" = $'main.o main.c\nprobe.o probe.c' ]
cp -a ours/. src
same_tree 0 -nostdlib -r -Wl,-T,module.lds main.o probe.o -o module.o
[ "$(summaries module.o)" = $'module.o main.c\nmodule.o probe.c' ]
not grep -q note.cc-allocs ours/module.o

# What the kernel's own allocator is, a line says; without it there is none.
sites() {
  allocs report --json ours/module.o | python3 -c 'import json, sys
for s in json.load(sys.stdin)["allocation_sites"]:
    print(s["callee"], s.get("type"))'
}
[ -z "$(sites)" ]
echo '__kmalloc malloc size=0' >kernel.txt
CC_ALLOCS_PRIMITIVES=$work/kernel.txt sites >got
expect got <<'END'
__kmalloc None
kzalloc struct device
probe struct ring
kzalloc struct ring
END
