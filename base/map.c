/* SPDX-License-Identifier: MIT */
/*
 * map.c -- open addressing with linear probing, at most three quarters full.
 */
#include "map.h"

#include <stdlib.h>
#include <string.h>

struct cca_map_slot {
  const char *key; /* NULL: free */
  size_t len;
  uint64_t hash;
  uint32_t value;
};

uint64_t cca_hash(uint64_t seed, const void *bytes, size_t len) {
  uint64_t h = seed ^ 0xcbf29ce484222325u;
  for (const unsigned char *p = bytes, *end = p + len; p < end; p++)
    h = (h ^ *p) * 0x100000001b3u;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

/* By words, which is what a table of symbols wants; the values differ between
 * machines, and nobody sees them. */
static uint64_t hash_key(const void *key, size_t len) {
  const unsigned char *at = key;
  uint64_t h = len, word;
  for (; len >= sizeof word; at += sizeof word, len -= sizeof word) {
    memcpy(&word, at, sizeof word);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
  }
  word = 0;
  memcpy(&word, at, len);
  h = (h ^ word) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

static struct cca_map_slot *probe(const struct cca_map *map, const void *key,
                                  size_t len, uint64_t hash) {
  for (size_t i = hash & (map->room - 1);; i = (i + 1) & (map->room - 1)) {
    struct cca_map_slot *slot = &map->slots[i];
    if (!slot->key || (slot->hash == hash && slot->len == len &&
                       memcmp(slot->key, key, len) == 0))
      return slot;
  }
}

static void grow(struct cca_map *map) {
  struct cca_map old = *map;
  map->room = old.room ? old.room * 2 : 16;
  map->slots = cca_calloc(map->room, sizeof *map->slots);
  for (size_t i = 0; i < old.room; i++)
    if (old.slots[i].key)
      *probe(map, old.slots[i].key, old.slots[i].len, old.slots[i].hash) =
          old.slots[i];
  free(old.slots);
}

uint32_t *cca_map_at(struct cca_map *map, const void *key, size_t len,
                     bool *is_new) {
  if (map->count + 1 > map->room / 4 * 3)
    grow(map);
  uint64_t hash = hash_key(key, len);
  struct cca_map_slot *slot = probe(map, key, len, hash);
  if (is_new)
    *is_new = !slot->key;
  if (!slot->key) {
    slot->key = cca_arena_strndup(&map->keys, key, len);
    slot->len = len;
    slot->hash = hash;
    map->count++;
  }
  return &slot->value;
}

const uint32_t *cca_map_find(const struct cca_map *map, const void *key,
                             size_t len) {
  if (!map->room)
    return NULL;
  struct cca_map_slot *slot = probe(map, key, len, hash_key(key, len));
  return slot->key ? &slot->value : NULL;
}

void cca_map_expect(const struct cca_map *map, const void *key, size_t len) {
  if (map->room)
    __builtin_prefetch(&map->slots[hash_key(key, len) & (map->room - 1)]);
}

void cca_map_release(struct cca_map *map) {
  free(map->slots);
  cca_arena_release(&map->keys);
  *map = (struct cca_map){0};
}
