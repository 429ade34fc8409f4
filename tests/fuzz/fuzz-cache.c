/* libs: cca_cache */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-cache.c -- any bytes as a cache file: as they are, where the checksum
 * refuses most, and with a checksum and a length that were made again, so that
 * all rules behind them are met.  What is accepted can be read throughout, and
 * each area lies in the file, on its own page.
 */
#include "runtime/cache-image.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void touch_cache(const struct cca_cache *cache) {
  const struct cca_table *t = &cache->table;
  uint32_t which;
  touch_table(t);
  for (uint32_t i = 0; i < cca_cache_area_count(t); i++) {
    struct cca_cache_area row = cca_cache_area_at(t, i);
    size_t len;
    const unsigned char *area =
        cca_cache_area(cache, row.client, cca_table_string(t, row.name), &len);
    MUST(area && (size_t)(area - cache->image) % CCA_CACHE_PAGE == 0);
    MUST(len <= cache->len - (size_t)(area - cache->image));
    for (size_t k = 0; k < len; k++)
      touched += area[k];
  }
  static const struct cca_identity modules[] = {{"a", "01", 2, 3, true}};
  const struct cca_cache_key key = {"b", 1, modules, 1, NULL, 0, ""};
  MUST(cca_cache_match(cache, &key, &which) != CCA_CACHE_OFF);
  MUST(cca_cache_match_clients(cache, &key, &which) != CCA_CACHE_OFF);
}

static enum cca_cache_reason read_all(const uint8_t *data, size_t size) {
  struct cca_cache cache;
  struct cca_table_error err;
  enum cca_cache_reason reason = cca_cache_open(&cache, data, size, &err);
  MUST(reason == CCA_CACHE_USED ||
       (reason >= CCA_CACHE_SIZE && reason <= CCA_CACHE_BROKEN));
  MUST((reason == CCA_CACHE_BROKEN) ==
           (*err.text && err.status == CCA_TABLE_ERR_CORRUPT) ||
       reason == CCA_CACHE_FORMAT || err.status == CCA_TABLE_ERR_MAGIC);
  if (reason == CCA_CACHE_USED)
    touch_cache(&cache);
  return reason;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_all(data, size);
  /* A table alone, or a file: in whole pages, with a footer behind them. */
  size_t pages = (size + CCA_CACHE_PAGE - 1) / CCA_CACHE_PAGE * CCA_CACHE_PAGE;
  if (size % CCA_CACHE_PAGE == CCA_CACHE_FOOTER)
    pages = size - CCA_CACHE_FOOTER;
  uint8_t *file = calloc(1, pages + CCA_CACHE_FOOTER), *end = file + pages;
  memcpy(file, data, size < pages ? size : pages);
  memcpy(end,
         "\x89"
         "ccaend\n\1",
         9);
  cca_save_8(end + 16, pages + CCA_CACHE_FOOTER);
  cca_save_8(end + 24, cca_cache_sum(0, file, pages + 24));
  enum cca_cache_reason reason = read_all(file, pages + CCA_CACHE_FOOTER);
  MUST(reason != CCA_CACHE_CUT && reason != CCA_CACHE_CHECKSUM);
  free(file);
  return 0;
}
