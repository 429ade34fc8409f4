/* SPDX-License-Identifier: MIT */
/*
 * module.c -- an ELF file and what belongs to it, opened by elfutils.
 *
 * In:    an open file, and the path at which it is.
 * Out:   libdwfl's view of it, its identity, and where its addresses lie.
 * Holds: the file is an ELF module, of at most 4 GiB of addresses; an object
 * that was not linked has those that libdwfl lays its sections out at, one
 *        behind the other, from 0 on.
 *
 * elfutils finds the debug information: in the file, compressed or not; in
 * .gnu_debugdata, which is the symbol table alone; in a file of the same build
 * id or one that .gnu_debuglink names; and from the servers that the user's
 * DEBUGINFOD_URLS names, if it is set.  It asks nobody else.
 */
#include "module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/memory.h"
#include "summaries/error.h"

static int report(struct cca_elf_module *module, int file, const char *path,
                  struct cca_error *err) {
  static const Dwfl_Callbacks callbacks = {
      .find_elf = dwfl_build_id_find_elf,
      .find_debuginfo = dwfl_standard_find_debuginfo,
      .section_address = dwfl_offline_section_address,
  };
  struct stat status;
  unsigned char ident[18] = {0};
  if (fstat(file, &status) < 0)
    status = (struct stat){0};
  module->size = (uint64_t)status.st_size;
  bool elf = S_ISREG(status.st_mode) &&
             pread(file, ident, sizeof ident, 0) == sizeof ident &&
             !memcmp(ident, ELFMAG, SELFMAG);
  unsigned type = ident[EI_DATA] == ELFDATA2MSB ? ident[17] : ident[16];
  if (!elf || (type != ET_EXEC && type != ET_DYN && type != ET_REL)) {
    close(file);
    return cca_error_set(err, CCA_ERR_NOT_ELF, 0,
                         elf ? "no executable, shared or relocatable object"
                             : "not an ELF file");
  }
  module->relocatable = type == ET_REL;

  module->dwfl = dwfl_begin(&callbacks);
  if (module->dwfl) {
    dwfl_report_begin(module->dwfl);
    module->module = dwfl_report_elf(module->dwfl, "", path, file, 0, true);
  }
  if (!module->module) {
    close(file); /* it is libdwfl's only if there is a module */
    return cca_error_set(err, CCA_ERR_NOT_ELF, 0, "a broken ELF file: %s",
                         dwfl_errmsg(-1));
  }
  dwfl_report_end(module->dwfl, NULL, NULL);
  module->elf = dwfl_module_getelf(module->module, &module->bias);
  if (!module->elf)
    return cca_error_set(err, CCA_ERR_NOT_ELF, 0, "a broken ELF file: %s",
                         dwfl_errmsg(-1));
  return CCA_OK;
}

struct bounds {
  uint64_t low, high, code;
};

/* False: it ends before it begins. */
static bool add_bounds(struct bounds *bounds, uint64_t start, uint64_t size,
                       bool code) {
  uint64_t end = start + size;
  bounds->low = start < bounds->low ? start : bounds->low;
  bounds->high = end > bounds->high ? end : bounds->high;
  bounds->code = code && start < bounds->code ? start : bounds->code;
  return end >= start;
}

/* What is loaded, from the segments, or the sections of what has none. */
static int find_bounds(struct cca_elf_module *module, struct cca_error *err) {
  size_t count = 0, number = 0;
  struct bounds bounds = {UINT64_MAX, 0, UINT64_MAX};
  bool good = true;
  elf_getphdrnum(module->elf, &count);
  for (size_t i = 0; good && i < count && !module->relocatable; i++) {
    GElf_Phdr segment;
    if (!gelf_getphdr(module->elf, (int)(number = i), &segment))
      break;
    if (segment.p_type == PT_LOAD && segment.p_memsz)
      good = add_bounds(&bounds, segment.p_vaddr, segment.p_memsz,
                        segment.p_flags & PF_X);
  }
  if (!good)
    return cca_error_set(err, CCA_ERR_NOT_ELF, 0,
                         "segment %zu ends before it begins", number);
  for (Elf_Scn *section = NULL;
       good && module->relocatable &&
       (section = elf_nextscn(module->elf, section));) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && header.sh_flags & SHF_ALLOC &&
        header.sh_size)
      good = add_bounds(&bounds, header.sh_addr, header.sh_size,
                        header.sh_flags & SHF_EXECINSTR);
  }
  if (!good)
    return cca_error_set(err, CCA_ERR_NOT_ELF, 0,
                         "a section ends before it begins");
  if (bounds.low >= bounds.high)
    return cca_error_set(err, CCA_ERR_NOT_ELF, 0, "nothing in it is loaded");
  if (bounds.high - bounds.low > UINT32_MAX)
    return cca_error_set(err, CCA_ERR_NOT_ELF, 0,
                         "its addresses span more than 4 GiB");
  module->base = bounds.low;
  module->span = (uint32_t)(bounds.high - bounds.low);
  module->code = bounds.code;
  return CCA_OK;
}

/* Old linkers put the file's header into the first segment with code, so that
 * code begins later than that: at the first section that has any. */
static void find_code(struct cca_elf_module *module) {
  uint64_t code = UINT64_MAX;
  for (Elf_Scn *section = NULL;
       (section = elf_nextscn(module->elf, section));) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && header.sh_flags & SHF_ALLOC &&
        header.sh_flags & SHF_EXECINSTR && header.sh_addr < code)
      code = header.sh_addr;
  }
  if (code != UINT64_MAX)
    module->code = code;
}

static void find_identity(struct cca_elf_module *module) {
  const unsigned char *bits;
  GElf_Addr where;
  int len = dwfl_module_build_id(module->module, &bits, &where);
  if (len > 0) {
    for (int i = 0; i < len && i < 64; i++)
      snprintf(module->build_id + 2 * i, 3, "%02x", bits[i]);
    return;
  }
  size_t size;
  const char *bytes = elf_rawfile(module->elf, &size);
  module->digest = cca_hash(0, bytes, bytes ? size : 0);
}

/* Of libdw, to which it has no status: as base/memory.h does. */
__attribute__((noreturn)) static void no_memory(void) {
  free(cca_malloc(PTRDIFF_MAX));
  _exit(71);
}

void cca_elf_module_watch(Dwarf *dwarf) {
  dwarf_new_oom_handler(dwarf, no_memory);
}

int cca_elf_module_open(struct cca_elf_module *module, int file,
                        const char *path, struct cca_error *err) {
  *module = (struct cca_elf_module){0};
  int status = report(module, file, path, err);
  if (status == CCA_OK)
    status = find_bounds(module, err);
  if (status < 0)
    return status;
  find_code(module);
  find_identity(module);
  module->dwarf = dwfl_module_getdwarf(module->module, &module->dwarf_bias);
  if (module->dwarf)
    cca_elf_module_watch(module->dwarf);
  return CCA_OK;
}

/* Are the LEN bytes at BYTES, page-aligned, those of a mapped file?  libelf
 * maps files, and reads them into memory where it cannot; and does not say
 * which.  So a page is tried, whose bytes are not all zero: of memory it would
 * be, and is made good, as where elfutils has changed it. */
static bool is_mapped(char *bytes, size_t len) {
  unsigned char page[4096];
  if (!bytes || len < 2 * sizeof page || (uintptr_t)bytes % sizeof page ||
      sysconf(_SC_PAGESIZE) != sizeof page)
    return false;
  memcpy(page, bytes, sizeof page);
  if (madvise(bytes, sizeof page, MADV_DONTNEED) < 0)
    return false;
  if (memcmp(page, bytes, sizeof page) == 0)
    return true;
  memcpy(bytes, page, sizeof page);
  return false;
}

/* Only what lies in sections as it is in the file: section headers are changed
 * in place where a section was decompressed, which is then elsewhere. */
void cca_elf_module_let_go(Elf *elf) {
  const uintptr_t last = 4095; /* of a page */
  size_t len = 0;
  GElf_Ehdr header;
  char *bytes = elf_rawfile(elf, &len);
  if (!gelf_getehdr(elf, &header) || header.e_type == ET_REL ||
      !is_mapped(bytes, len))
    return;
  for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
    Elf_Data *data = elf_rawdata(scn, NULL);
    uintptr_t at = data ? (uintptr_t)data->d_buf - (uintptr_t)bytes : len;
    if (at >= len || data->d_size > len - at)
      continue;
    uintptr_t begin = (at + last) & ~last, end = (at + data->d_size) & ~last;
    if (begin < end)
      madvise(bytes + begin, end - begin, MADV_DONTNEED);
  }
}

void cca_elf_module_release(struct cca_elf_module *module) {
  if (module->dwfl)
    dwfl_end(module->dwfl);
  *module = (struct cca_elf_module){0};
}
