/* SPDX-License-Identifier: MIT */
/*
 * cache-identify.c -- which build a module is, from its file; see
 * cache-store.h.
 *
 * The runtime looks at what is mapped; both have to say the same, which
 * docs/cache-format.md, "CACHE_MODULE", specifies.
 */
#include "cache-store.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "summaries/note.h"

static void identify_note(const char *image, size_t len,
                          struct cca_identity *out) {
  struct cca_elf elf;
  struct cca_note_cursor cursor = {0};
  struct cca_note note;
  if (!cca_elf_open(&elf, image, len) && cca_note_next(&elf, &cursor, &note) &&
      note.whole)
    out->digest = cca_cache_sum(0, note.content, note.len);
}

static bool identify(Elf *elf, struct cca_identity *out) {
  const void *bits;
  size_t count = 0, len;
  uint64_t low = UINT64_MAX, high = 0;
  const char *image = elf_rawfile(elf, &len);
  ssize_t id = dwelf_elf_gnu_build_id(elf, &bits);
  bool has_id = id > 0 && id <= CCA_BUILD_ID_MAX; /* as the runtime */
  if (!image || elf_getphdrnum(elf, &count) < 0)
    return false;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr p;
    if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD)
      continue;
    low = p.p_vaddr < low ? p.p_vaddr : low;
    high = p.p_vaddr + p.p_memsz > high ? p.p_vaddr + p.p_memsz : high;
    if (!has_id && (p.p_flags & (PF_R | PF_W)) == PF_R) {
      if (p.p_offset > len || p.p_filesz > len - p.p_offset)
        return false;
      out->digest = cca_cache_sum(out->digest, image + p.p_offset, p.p_filesz);
    }
  }
  if (low >= high)
    return false;
  out->span = high - low;
  if (has_id) {
    for (ssize_t i = 0; i < id; i++)
      snprintf(out->build_id + 2 * i, 3, "%02x",
               ((const unsigned char *)bits)[i]);
    identify_note(image, len, out);
  }
  return true;
}

bool cca_cache_identify(const char *path, struct cca_identity *out) {
  *out = (struct cca_identity){.path = path};
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return false;
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(file, ELF_C_READ, NULL);
  out->known = elf && identify(elf, out);
  elf_end(elf);
  close(file);
  return out->known;
}
