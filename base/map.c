/* SPDX-License-Identifier: MIT */
/*
 * map.c -- open addressing with linear probing, at most three quarters full.
 */
#include "map.h"

#include <stdlib.h>
#include <string.h>

/* A quarter of a cache line: a table of a million symbols is read all over. */
struct cca_map_slot {
  const char *key; /* NULL: free; its length stands before it */
  uint32_t hash, value;
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
static uint32_t hash_key(const void *key, size_t len) {
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
  return (uint32_t)(h ^ h >> 32);
}

static bool is_key(const char *kept, const void *key, size_t len) {
  size_t kept_len;
  memcpy(&kept_len, kept - sizeof kept_len, sizeof kept_len);
  return kept_len == len && memcmp(kept, key, len) == 0;
}

static const char *keep_key(struct cca_map *map, const void *key, size_t len) {
  char *kept = cca_arena_alloc(&map->keys, sizeof len + len);
  memcpy(kept, &len, sizeof len);
  return memcpy(kept + sizeof len, key, len);
}

static struct cca_map_slot *probe(const struct cca_map *map, const void *key,
                                  size_t len, uint32_t hash) {
  for (size_t i = hash & (map->room - 1);; i = (i + 1) & (map->room - 1)) {
    struct cca_map_slot *slot = &map->slots[i];
    if (!slot->key || (slot->hash == hash && is_key(slot->key, key, len)))
      return slot;
  }
}

static void grow(struct cca_map *map) {
  struct cca_map old = *map;
  map->room = old.room ? old.room * 2 : 16;
  map->slots = cca_calloc(map->room, sizeof *map->slots);
  for (size_t i = 0; i < old.room; i++) {
    size_t to = old.slots[i].hash & (map->room - 1);
    if (!old.slots[i].key)
      continue;
    while (map->slots[to].key)
      to = (to + 1) & (map->room - 1);
    map->slots[to] = old.slots[i];
  }
  free(old.slots);
}

uint32_t *cca_map_at(struct cca_map *map, const void *key, size_t len,
                     bool *is_new) {
  if (map->count + 1 > map->room / 4 * 3)
    grow(map);
  uint32_t hash = hash_key(key, len);
  struct cca_map_slot *slot = probe(map, key, len, hash);
  if (is_new)
    *is_new = !slot->key;
  if (!slot->key) {
    *slot = (struct cca_map_slot){keep_key(map, key, len), hash, 0};
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

uint32_t cca_map_guess(const struct cca_map *map, const void *key, size_t len) {
  if (!map->room)
    return 0;
  uint32_t hash = hash_key(key, len);
  const struct cca_map_slot *slot = &map->slots[hash & (map->room - 1)];
  if (!slot->key || slot->hash != hash)
    return 0;
  __builtin_prefetch(slot->key - sizeof len);
  return slot->value;
}

void cca_map_release(struct cca_map *map) {
  free(map->slots);
  cca_arena_release(&map->keys);
  *map = (struct cca_map){0};
}
