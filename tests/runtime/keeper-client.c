/* SPDX-License-Identifier: MIT */
/*
 * keeper-client.c -- a client that keeps three areas in caches, for the tests.
 *
 * In:  the variable KEEPER, words.  veto: it refuses a cache.  renew: it has
 *      something new.  without: it forbids the site of struct two.
 * Out: a line for each event of caches, and at the end one with the areas and
 *      how they are mapped; `?` where something is not as it should be.
 */
#include <ccallocs/client.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifndef VERSION
#define VERSION "1"
#endif
static const unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3}; /* return 42; */
static const char *options;
static struct cca_client_cache *mine, *asked;
static void say(const char *text) {
  if (write(1, text, strlen(text)) < 0)
    _exit(9);
}
static int begin(const char *words, void **data, struct cca_error *err) {
  (void)words, (void)data, (void)err;
  options = getenv("KEEPER"); /* other options would be another cache */
  return options ? CCA_OK : CCA_ERR_REFUSED;
}
static int validate(void *data, struct cca_client_cache *cache) {
  struct cca_client_area area;
  (void)data;
  if (cca_client_area(cache, "nothing", &area) != CCA_ERR_NOT_FOUND)
    say("?");
  if (cca_client_area(cache, "text", &area) != CCA_OK || area.size != 6 ||
      area.kind != CCA_CLIENT_AREA_READ_ONLY || memcmp(area.bytes, "hello", 6))
    say("?");
  say("validate\n");
  return strstr(options, "veto") ? CCA_ERR_STALE : CCA_OK;
}
static void patch(void *data, struct cca_client_cache *cache) {
  struct cca_client_area area;
  (void)data;
  mine = cache;
  if (cca_client_area(cache, "text", &area) == CCA_OK)
    memcpy(area.bytes, "J", 1);
  if (cca_client_area(cache, "code", &area) == CCA_OK)
    ((char *)area.bytes)[1]++;
  say("patch\n");
}
/* How the page at BYTES is mapped. */
static void say_rights(const void *bytes) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512], rights[8];
  unsigned long from, to;
  while (maps && fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 &&
        (unsigned long)bytes >= from && (unsigned long)bytes < to) {
      say(" ");
      say(rights);
    }
  if (maps)
    fclose(maps);
}
static void end(void *data) {
  struct cca_client_area area = {"late", 0, (void *)code, 1};
  char line[128];
  (void)data;
  if (asked && cca_client_keep(asked, &area) != CCA_ERR_NOT_READY)
    say("?");
  if (!mine)
    return;
  if (cca_client_area(mine, "text", &area) == CCA_OK) {
    say(area.bytes);
    say_rights(area.bytes);
  }
  if (cca_client_area(mine, "code", &area) == CCA_OK) {
    snprintf(line, sizeof line, ", returns %d", ((int (*)(void))area.bytes)());
    say(line);
    say_rights(area.bytes);
  }
  if (cca_client_area(mine, "count", &area) == CCA_OK) {
    snprintf(line, sizeof line, ", counts %d", ++*(int *)area.bytes);
    say(line);
    say_rights(area.bytes);
  }
  say("\n");
}
static int is_two(uint32_t site) {
  struct cca_client_type type;
  return cca_client_site_type(site, 0, &type) == CCA_OK &&
         !strcmp(type.name, "struct two");
}
static void keep(void *data, struct cca_client_cache *cache) {
  struct cca_client_area area;
  int count = 0;
  (void)data;
  asked = cache;
  if (mine && cca_client_area(mine, "count", &area) == CCA_OK)
    count = *(int *)area.bytes + 10;
  struct cca_client_area areas[] = {
      {"text", CCA_CLIENT_AREA_READ_ONLY, (void *)"hello", 6},
      {"code", CCA_CLIENT_AREA_EXECUTABLE, (void *)code, sizeof code},
      {"count", CCA_CLIENT_AREA_WRITABLE, &count, sizeof count}};
  for (int i = 0; i < 3; i++)
    if (cca_client_keep(cache, &areas[i]) != CCA_OK)
      say("?");
  /* What breaks a rule is not kept, and nothing else is lost by it. */
  struct cca_client_area bad[] = {{"text", 0, &count, 4},
                                  {"a b", 0, &count, 4},
                                  {"x", 3, &count, 4},
                                  {"y", 0, &count, 0}};
  for (int i = 0; i < 4; i++)
    if (cca_client_keep(cache, &bad[i]) != CCA_ERR_CORRUPT)
      say("?");
  uint32_t sites = 0, places = 0;
  for (uint32_t i = 0; i < cca_client_site_count(); i++) {
    struct cca_client_site site;
    int can = cca_client_can_keep(i);
    cca_client_site(i, &site);
    if ((can == CCA_OK) != (site.row != CCA_CLIENT_NONE))
      say("?");
    *(site.row == CCA_CLIENT_NONE ? &places : &sites) += 1;
    if (is_two(i) && strstr(options, "without")) {
      if (cca_client_do_not_keep(i) != CCA_OK ||
          cca_client_can_keep(i) != CCA_ERR_REFUSED)
        say("?");
    }
  }
  if (!sites || !places || cca_client_can_keep(1 << 30) != CCA_ERR_NOT_FOUND ||
      cca_client_do_not_keep(1 << 30) != CCA_ERR_NOT_FOUND)
    say("?");
  say("keep\n");
}
static void allocated(void *data, const struct cca_client_object *object) {
  struct cca_client_area area = {"late", 0, data, 1};
  if (object->size != 8 || !mine)
    return;
  if (cca_client_keep(mine, &area) != CCA_ERR_NOT_READY)
    say("?");
  if (strstr(options, "renew"))
    cca_client_renew(mine);
}
const struct cca_client cca_client = {
    CCA_CLIENT_INTERFACE, .id = "test.keeper", .version = VERSION,
    .begin = begin,       .end = end,          .allocated = allocated,
    .validate = validate, .patch = patch,      .keep = keep};
