/* libs: cca_link */
/* SPDX-License-Identifier: MIT */
/*
 * test-link-map.c -- each linker's map gives its input sections, and nothing
 * else in a map does.
 *
 * The samples are cut from maps that GNU ld 2.40, gold 1.16, lld 14 and mold
 * 1.10 wrote of the same objects.
 */
#include <stdlib.h>

#include "base/text.h"
#include "check.h"
#include "linker_plugin/map.h"

static void show(void *context, const struct cca_link_map_entry *e) {
  cca_text_addf(context, "%.*s|%.*s|%llx|%llx\n", (int)e->object_len, e->object,
                (int)e->section_len, e->section, (unsigned long long)e->address,
                (unsigned long long)e->size);
}

/* The entries of MAP are exactly WANT, also if its last line is not ended and
 * nothing follows it in memory. */
static void check_map(enum cca_linker_kind kind, const char *map,
                      const char *want) {
  for (int ended = 0; ended < 2; ended++) {
    struct cca_text got = {0};
    size_t len = strlen(map) - (ended ? 0 : 1);
    char *copy = malloc(len);
    memcpy(copy, map, len);
    cca_text_adds(&got, "");
    cca_link_map_read(kind, copy, len, show, &got);
    CHECK_STR(got.data, want);
    cca_text_release(&got);
    free(copy);
  }
}

static void test_gnu_ld(void) {
  check_map(
      CCA_LINKER_BFD,
      "Archive member included to satisfy reference by file (symbol)\n\n"
      "libh.a(h.o)                   a.o (helper)\n\n"
      "Discarded input sections\n\n"
      " .text          0x0000000000000000        0x0 a.o\n"
      " .text.unused_fn\n"
      "                0x0000000000000000        0x3 libh.a(h.o)\n\n"
      "Memory Configuration\n\n"
      "Name             Origin             Length             Attributes\n"
      "*default*        0x0000000000000000 0xffffffffffffffff\n\n"
      "Linker script and memory map\n\n"
      "LOAD a.o\n"
      "                [!provide]                        PROVIDE "
      "(__executable_start = SEGMENT_START (\"text-segment\", 0x0))\n"
      "                0x0000000000000318                . = "
      "(SEGMENT_START (\"text-segment\", 0x0) + SIZEOF_HEADERS)\n"
      ".text           0x0000000000001040       0xfe\n"
      " *(.text.unlikely .text.*_unlikely .text.unlikely.*)\n"
      " .text          0x0000000000001040       0x22 ../Scrt1.o\n"
      "                0x0000000000001040                _start\n"
      " *fill*         0x0000000000001062        0xe 90909090\n"
      " .text.main     0x0000000000001129       0x11 a.o\n"
      "                0x0000000000001129                main\n"
      " .text.long_enough\n"
      "                0x000000000000113a        0x4 libh.a(h.o)\n"
      "                0x000000000000113a                long_enough\n"
      " .text          0x000000000000113e        0x0 sp ace/lib x.a(h.o)\n"
      " .rodata.str1.1\n"
      "                0x0000000000002004        0x9 a.o\n"
      "                                          0xa (size before relaxing)\n"
      " .eh_frame      0x00000000000020c0       0x18 a.o\n"
      "                                         0x30 (size before relaxing)\n"
      ".bss            0x0000000000004010        0x8\n"
      " COMMON         0x0000000000004010        0x4 a.o\n",
      "../Scrt1.o|.text|1040|22\n"
      "a.o|.text.main|1129|11\n"
      "libh.a(h.o)|.text.long_enough|113a|4\n"
      "sp ace/lib x.a(h.o)|.text|113e|0\n"
      "a.o|.rodata.str1.1|2004|9\n"
      "a.o|.eh_frame|20c0|18\n"
      "a.o|COMMON|4010|4\n");
}

static void test_gold(void) {
  check_map(CCA_LINKER_GOLD,
            "Discarded input sections\n\n"
            " .note.GNU-stack\n"
            "                0x0000000000000000        0x0 a.o\n"
            " .text.f2       0x0000000000000000        0xd icf.o\n\n"
            "Memory map\n\n"
            " ** file header\n"
            "                0x0000000000000000       0x40\n"
            " ** segment headers\n"
            "                0x0000000000000040      0x230\n\n"
            ".init           0x0000000000000540       0x17\n"
            " ** fill        0x00000000000005a2        0xe\n"
            ".text           0x0000000000000580       0xfe\n"
            " .text.main     0x0000000000000669       0x11 a.o\n"
            "                0x0000000000000669                main\n"
            " .text.unused_fn\n"
            "                0x000000000000067a        0x3 libt.a(h.o)\n",
            "a.o|.text.main|669|11\n"
            "libt.a(h.o)|.text.unused_fn|67a|3\n");
}

static void test_lld(void) {
  check_map(
      CCA_LINKER_LLD,
      "             VMA              LMA     Size Align Out     In      Symbol\n"
      "             2a8              2a8       1c     1 .interp\n"
      "             2a8              2a8       1c     1         "
      "<internal>:(.interp)\n"
      "             5a8              5a8       30     1         "
      "a.o:(.eh_frame+0x0)\n"
      "            16e9             16e9       11     1         "
      "a.o:(.text.main)\n"
      "            16e9             16e9       11     1                 main\n"
      "            16fa             16fa        4     1         "
      "sp ace/lib x.a(h.o):(.text.helper)\n"
      "               0                0       42     1         "
      "a.o:(.comment)\n"
      "            3950             3950        0     1         "
      ". = ALIGN ( 8 )\n",
      "<internal>|.interp|2a8|1c\n"
      "a.o|.eh_frame+0x0|5a8|30\n"
      "a.o|.text.main|16e9|11\n"
      "sp ace/lib x.a(h.o)|.text.helper|16fa|4\n");
}

static void test_mold(void) {
  check_map(CCA_LINKER_MOLD,
            "               VMA       Size Align Out     In      Symbol\n"
            "                 0         64     8 EHDR\n"
            "            0x1570        254    16 .text\n"
            "            0x1659         17     1         a.o:(.text.main)\n"
            "            0x1659          0     0                 main\n"
            "            0x166a         10     1         "
            "libh.a(h.o):(.text.helper)\n"
            "                 0         77     1 .comment\n",
            "a.o|.text.main|1659|11\n"
            "libh.a(h.o)|.text.helper|166a|a\n");
}

/* A map of one linker has nothing to say to the reader of another. */
static void test_foreign_maps(void) {
  check_map(CCA_LINKER_MOLD,
            "            16e9             16e9       11     1         "
            "a.o:(.text.main)\n",
            "");
  check_map(CCA_LINKER_BFD,
            "            16e9             16e9       11     1         "
            "a.o:(.text.main)\n"
            "            0x1659         17     1         a.o:(.text.main)\n",
            "");
}

/* Names that imitate a map's syntax stay on their side of it. */
static void test_odd_names(void) {
  check_map(CCA_LINKER_BFD,
            " .text 0xzz     0x0000000000001129       0x11 a.o\n"
            " .text          0x0000000000001140        0x4 0x10 0x20 b.o\n",
            "a.o|.text 0xzz|1129|11\n"
            "0x10 0x20 b.o|.text|1140|4\n");
  check_map(CCA_LINKER_LLD,
            "              10               10        4     1         "
            "a:(b.o:(.text)\n"
            "              20               20        4     1         "
            ":(.text)\n"
            "              30               30        4     1         "
            "a.o:()\n",
            "a:(b.o|.text|10|4\n");
}

int main(void) {
  RUN(test_gnu_ld);
  RUN(test_gold);
  RUN(test_lld);
  RUN(test_mold);
  RUN(test_foreign_maps);
  RUN(test_odd_names);
  return check_done();
}
