/* libs: cca_summaries -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc */
/* SPDX-License-Identifier: MIT */
/*
 * test-cache-rules.c -- a cache's table that breaks a rule of
 * docs/cache-format.md is refused, with the rule; one that just keeps it is
 * not.
 */
#include "image.h"

#define HEAD "cache 2.0\ncache_head\n"
/* A module of 0x100 bytes with two sites, and as many calls as it is said. */
#define MODULE(calls)                                                          \
  HEAD "cache_module span=0x100 note_size=0x100 sites=2 "                      \
       "calls=@0+" calls "\n"
#define BINDING                                                                \
  "cache_call offset=1 unwind=1 site=0xffffffff binding=@0\ncache_binding "

static const struct rule rules[] = {
    {HEAD, "cache 2.0\n", "0 rows of cache_head, not 1"},
    {HEAD "cache_module span=1\n", HEAD "cache_module\n",
     "cache_module 0: the note is not in the module"},
    {MODULE("0"), HEAD "cache_module span=0x100 note_size=0x101\n",
     "cache_module 0: the note is not in the module"},
    {MODULE("2") "cache_call offset=5 unwind=1\ncache_call offset=6 unwind=1\n",
     MODULE("2") "cache_call offset=5 unwind=1\ncache_call offset=5 unwind=1\n",
     "cache_call 1: offset 5 is not where it may be"},
    {MODULE("1") "cache_call offset=0x100 unwind=1\n",
     MODULE("1") "cache_call offset=0x101 unwind=1\n",
     "cache_call 0: offset 257 is not where it may be"},
    {MODULE("1") "cache_call unwind=6\n", MODULE("1") "cache_call unwind=7\n",
     "cache_call 0: no row of unwinding is 0x7"},
    {MODULE("1") "cache_call unwind=1\n", MODULE("1") "cache_call unwind=8\n",
     "cache_call 0: no row of unwinding is 0x8"},
    {MODULE("1") "cache_call unwind=0xfffff7fe\n",
     MODULE("1") "cache_call unwind=0x802\n",
     "cache_call 0: no row of unwinding is 0x802"},
    {MODULE("1") "cache_call unwind=1 site=1\n",
     MODULE("1") "cache_call unwind=1 site=2\n",
     "cache_call 0: site is row 2 of 2"},
    {MODULE("1") BINDING "site=1 definer=@0\n",
     MODULE("1") BINDING "site=2 definer=@0\n",
     "cache_call 0: its binding leads out of a module"},
    {MODULE("1") BINDING "word=0xf8 definer=@0\n",
     MODULE("1") BINDING "word=0x100 definer=@0\n",
     "cache_call 0: its binding leads out of a module"},
    {MODULE("1") BINDING "word=8 definer=@0\n",
     MODULE("1") BINDING "word=4 definer=@0\n",
     "cache_call 0: its binding leads out of a module"},
    {MODULE("1") BINDING "target=0xff definer=@0\n",
     MODULE("1") BINDING "target=0x100 definer=@0\n",
     "cache_call 0: its binding leads out of a module"},
};

static void test_rules(void) {
  check_rules(&cca_cache_schema, rules, sizeof rules / sizeof *rules);
}

int main(void) {
  RUN(test_rules);
  return check_done();
}
