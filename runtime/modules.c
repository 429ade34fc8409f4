/* SPDX-License-Identifier: MIT */
/*
 * modules.c -- the link map's modules and their notes; see modules.h.
 *
 * In:  what dl_iterate_phdr() says.  Its program headers are trusted as far as
 *      the loader has mapped the module by them; the note is not trusted at
 * all. Out: rows of cca_modules[], and labels with the size that their types
 * need.
 *
 * Nothing here allocates from the program's heap: dl_iterate_phdr() does not,
 * and the check of a table does not.
 */
#include "modules.h"

#include "cache.h"
#include "labels.h"
#include "pages.h"
#include "summaries/note.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

struct cca_loaded cca_modules[CCA_MAX_MODULES];
uint32_t cca_module_numbers;
uint64_t cca_module_changes;
static uint32_t lock, allowed;
static bool started; /* the first look is over: what comes now may go again */

const struct cca_loaded *cca_modules_find(uintptr_t address) {
  uint32_t count = cca_load_acquire(&cca_module_numbers);
  for (uint32_t i = 0; i < count; i++) {
    const struct cca_loaded *m = &cca_modules[i];
    if (address >= m->low && address < m->high && !cca_load(&m->gone))
      return m;
  }
  return NULL;
}

/* ---- The note ---- */

/* Is [ADDRESS, ADDRESS + LEN) in one readable segment?  Then its end. */
static uintptr_t readable_until(const struct dl_phdr_info *info,
                                uintptr_t address, size_t len) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t low = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD && p->p_flags & PF_R && address >= low &&
        address - low <= p->p_filesz && len <= p->p_filesz - (address - low))
      return low + p->p_filesz;
  }
  return 0;
}

/* The first note of ours; see summaries/note.c for why every fourth byte. */
static bool find_note(const struct dl_phdr_info *info, struct cca_note *note) {
  const struct cca_elf native = {.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type != PT_NOTE || !readable_until(info, start, p->p_filesz))
      continue;
    for (size_t at = 0; at < p->p_filesz; at += 4)
      if (cca_note_at(&native, (const unsigned char *)start + at,
                      p->p_filesz - at, note))
        return true;
  }
  return false;
}

/* The build id among the notes from START on, whose parts begin at multiples of
 * ALIGN. */
static bool take_build_id(struct cca_loaded *m, const unsigned char *start,
                          size_t len, size_t align) {
  for (size_t at = 0; len - at >= sizeof(ElfW(Nhdr));) {
    ElfW(Nhdr) note;
    memcpy(&note, start + at, sizeof note);
    const unsigned char *name = start + at + sizeof note;
    uint64_t content = (sizeof note + note.n_namesz + align - 1) & -align;
    if (content > len - at || note.n_descsz > len - at - content)
      return false;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        !memcmp(name, "GNU", 4)) {
      if (note.n_descsz <= sizeof m->build_id) {
        memcpy(m->build_id, start + at + content, note.n_descsz);
        m->build_id_len = (uint8_t)note.n_descsz;
      }
      return true;
    }
    uint64_t next = (content + note.n_descsz + align - 1) & -align;
    if (next > len - at)
      return false;
    at += next;
  }
  return false;
}

static void find_build_id(struct cca_loaded *m,
                          const struct dl_phdr_info *info) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_NOTE && readable_until(info, start, p->p_filesz) &&
        take_build_id(m, (const unsigned char *)start, p->p_filesz,
                      p->p_align == 8 ? 8 : 4))
      return;
  }
}

/* ---- What the sites' types ask of a size ---- */

/* A call of one of these has the size in hand that the site is about; any other
 * callee may add a header, round up, or ask for more. */
static bool is_plain(const char *callee) {
  return !strcmp(callee, "malloc") || !strcmp(callee, "calloc") ||
         !strcmp(callee, "realloc") || !strcmp(callee, "reallocarray") ||
         !strcmp(callee, "memalign") || !strcmp(callee, "aligned_alloc") ||
         !strcmp(callee, "posix_memalign");
}

struct cca_label cca_module_label_of(const struct cca_table *t, uint32_t row) {
  struct cca_allocsite s = cca_allocsite_at(t, row);
  struct cca_label label = {.at = row, .fit = CCA_FIT_ANY};
  if ((s.class != CCA_SITE_CLASS_TYPED && s.class != CCA_SITE_CLASS_OPEN) ||
      s.of == CCA_NONE)
    return label;
  int64_t size = cca_type_at(t, s.of).size;
  if (size <= 0 || size > INT32_MAX)
    return label;
  label.least = (uint32_t)size;
  bool plain = is_plain(cca_table_string(t, s.callee));
  switch (s.shape) {
  case CCA_SIZE_SHAPE_ONE:
    label.fit = plain ? CCA_FIT_EXACT : CCA_FIT_AT_LEAST;
    break;
  case CCA_SIZE_SHAPE_ARRAY:
    label.fit = plain ? CCA_FIT_MULTIPLE : CCA_FIT_ANY;
    label.divisor = UINT64_MAX / label.least + 1;
    if (label.least == 1)
      label.fit = CCA_FIT_ANY;
    break;
  case CCA_SIZE_SHAPE_HEADER:
    label.least = s.header > 0 && s.header < INT32_MAX ? (uint32_t)s.header : 0;
    label.fit = CCA_FIT_AT_LEAST;
    break;
  case CCA_SIZE_SHAPE_FLEXIBLE: /* from offsetof(): may end before sizeof */
  case CCA_SIZE_SHAPE_SEVERAL:
  case CCA_SIZE_SHAPE_UNKNOWN:
    break;
  }
  return label;
}

/* Enter the sites of M, whose table is open, as labels. */
static void take_labels(struct cca_loaded *m) {
  uint32_t count = cca_allocsite_count(&m->table);
  m->first_label = cca_labels_take(count);
  if (!m->first_label)
    return;
  for (uint32_t i = 0; i < count; i++) {
    struct cca_label label = cca_module_label_of(&m->table, i);
    label.module = (uint16_t)(m - cca_modules);
    cca_labels[m->first_label + i] = label;
  }
  m->classified = CCA_CLASSIFIED_YES;
}

/* What the note of M says. */
static void read_note(struct cca_loaded *m) {
  if (cca_cache_adopt(m)) {
    if (m->classified == CCA_CLASSIFIED_YES && !m->first_label) {
      m->classified = CCA_CLASSIFIED_BROKEN;
      take_labels(m);
    }
    return;
  }
  if (!m->note)
    return;
  switch (cca_table_open(&m->table, &cca_classification_schema, m->note,
                         m->note_len, NULL)) {
  case CCA_TABLE_OK:
    take_labels(m);
    break;
  case CCA_TABLE_ERR_OLDER:
    m->classified = CCA_CLASSIFIED_OLDER;
    break;
  case CCA_TABLE_ERR_VERSION:
    m->classified = CCA_CLASSIFIED_NEWER;
    break;
  default:
    break;
  }
}

/* Where the note of M is; that of a module that may go again is copied. */
static void take_note(struct cca_loaded *m, const struct dl_phdr_info *info) {
  struct cca_note note;
  if (!find_note(info, &note))
    return;
  m->classified = CCA_CLASSIFIED_BROKEN;
  if (!note.whole)
    return;
  m->note = m->may_go ? cca_pages_keep(note.content, note.len) : note.content;
  m->note_len = m->note ? note.len : 0;
}

/* Does the loader write where M is not writable? */
static bool has_text_relocations(const struct cca_loaded *m) {
  for (size_t i = 0; i < m->dynamic_count; i++) {
    const ElfW(Dyn) *entry = (const ElfW(Dyn) *)m->dynamic + i;
    if (entry->d_tag == DT_NULL)
      break;
    if (entry->d_tag == DT_TEXTREL ||
        (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL))
      return true;
  }
  return false;
}

/* Which build M is, for caches: by its build id and its note; without one, by
 * all bytes that nobody writes. */
static void identify(struct cca_loaded *m, const struct dl_phdr_info *info) {
  if (m->build_id_len) {
    m->digest = m->note ? cca_cache_sum(0, m->note, m->note_len) : 0;
    m->identified = true;
    return;
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && (p->p_flags & (PF_R | PF_W)) == PF_R)
      m->digest = cca_cache_sum(
          m->digest, (const void *)(info->dlpi_addr + p->p_vaddr), p->p_filesz);
  }
  m->identified = !has_text_relocations(m);
}

/* Do sites A and B say the same of an object? */
static bool are_alike(const struct cca_table *t, uint32_t a, uint32_t b) {
  struct cca_allocsite x = cca_allocsite_at(t, a), y = cca_allocsite_at(t, b);
  return a == b || (x.class == y.class && x.of == y.of && x.shape == y.shape &&
                    x.shape != CCA_SIZE_SHAPE_SEVERAL && x.header == y.header);
}

uint32_t cca_module_label(const struct cca_loaded *module, uintptr_t address,
                          uint32_t *through) {
  const struct cca_table *t = &module->table;
  *through = CCA_NONE;
  if (module->classified != CCA_CLASSIFIED_YES)
    return 0;
  uint64_t wanted = address - module->bias;
  uint32_t at = cca_note_first_address(t, wanted);
  /* Rows of jumps are no return addresses; calls that two rows disagree about,
   * or that one of several sites is guessed for, are no evidence. */
  uint32_t found = CCA_NONE;
  for (; at < cca_address_count(t); at++) {
    struct cca_address row = cca_address_at(t, at);
    if ((uint64_t)row.value != wanted)
      break;
    if (row.flags & (CCA_ADDRESS_FLAGS_TAIL | CCA_ADDRESS_FLAGS_DEAD))
      continue;
    if (row.flags & CCA_ADDRESS_FLAGS_AMBIGUOUS)
      return CCA_REASON_AMBIGUOUS;
    struct cca_allocsite site = cca_allocsite_at(t, row.site);
    if (site.flags & CCA_ALLOCSITE_FLAGS_IMPORTED) {
      *through = row.site;
      if (site.class == CCA_SITE_CLASS_PASS_THROUGH)
        continue; /* a wrapper around it may be inlined here */
    }
    if (found != CCA_NONE && !are_alike(t, found, row.site))
      return CCA_REASON_AMBIGUOUS;
    found = row.site;
  }
  if (found == CCA_NONE)
    found = *through;
  return found == CCA_NONE ? 0 : module->first_label + found;
}

/* ---- The link map ---- */

static const char *keep_path(const struct dl_phdr_info *info, bool first) {
  char path[PATH_MAX];
  const char *name = info->dlpi_name ? info->dlpi_name : "";
  if (first && !*name) {
    int saved = errno;
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
    errno = saved;
    if (len > 0) {
      path[len] = 0;
      name = path;
    }
  }
  name = cca_pages_keep(name, strlen(name) + 1);
  return name ? name : "";
}

struct look {
  uint32_t at;                         /* place in the link map */
  uint32_t count;                      /* entered, with those before */
  /* Modules up to the loader are there from the beginning, and stay.  Those
   * behind it may have been opened, by a constructor or before we were; if it
   * is not known which the loader is, all of them may. */
  uintptr_t loader; /* where it lies */
  bool may_go;
  uint64_t seen[CCA_MAX_MODULES / 64]; /* entered and still there */
};

static int look_at(struct dl_phdr_info *info, size_t size, void *payload) {
  struct look *look = payload;
  uintptr_t low = UINTPTR_MAX, high = 0, eh = 0, dynamic = 0, data = 0;
  size_t dynamic_len = 0, data_len = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD) {
      low = start < low ? start : low;
      high = start + p->p_memsz > high ? start + p->p_memsz : high;
      if (p->p_flags & PF_W) {
        data = start;
        data_len = p->p_memsz;
      }
    } else if (p->p_type == PT_GNU_EH_FRAME) {
      eh = start;
    } else if (p->p_type == PT_DYNAMIC) {
      dynamic = start;
      dynamic_len = p->p_memsz;
    }
  }
  bool first = look->at++ == 0;
  if (first && !started && size >= sizeof *info &&
      info->dlpi_adds < CCA_MAX_MODULES)
    cca_pages_prepare(cca_modules, info->dlpi_adds * sizeof cca_modules[0]);
  if (low >= high)
    return 0;
  for (uint32_t i = 0; i < cca_module_numbers; i++) { /* none of this look */
    const struct cca_loaded *m = &cca_modules[i];
    if (!m->gone && m->low == low && m->high == high &&
        (first || !strcmp(m->path, info->dlpi_name))) {
      look->seen[i / 64] |= 1ull << i % 64;
      return 0;
    }
  }
  uint32_t number = look->count;
  if (number == CCA_MAX_MODULES)
    return 1;
  struct cca_loaded *m = &cca_modules[number];
  /* The row is zero: none is entered twice. */
  m->bias = info->dlpi_addr;
  m->low = low;
  m->high = high;
  m->path = keep_path(info, first);
  m->late = started;
  m->may_go = look->may_go;
  m->data_low = data;
  m->data_high = data + data_len;
  m->kept = CCA_NONE;
  if (dynamic && readable_until(info, dynamic, dynamic_len)) {
    m->dynamic = (const void *)dynamic;
    m->dynamic_count = dynamic_len / sizeof(ElfW(Dyn));
  }
  uintptr_t end = eh ? readable_until(info, eh, 12) : 0;
  if (end) {
    m->eh_header = (const unsigned char *)eh;
    m->eh_low = (const unsigned char *)low;
    m->eh_high = (const unsigned char *)end;
  }
  find_build_id(m, info);
  take_note(m, info);
  look->may_go |= look->loader == info->dlpi_addr;
  if (cca_cache_is_wanted())
    identify(m, info);
  look->seen[number / 64] |= 1ull << number % 64;
  look->count = number + 1;
  /* A module that may go again stays while we are here.  Of those that are
   * there at start, all have to be known first: together they tell which cache.
   */
  if (started)
    read_note(m);
  return 0;
}

void cca_modules_allow(void) { cca_store(&allowed, 1); }

bool cca_modules_refresh(void (*closed)(const struct cca_loaded *module)) {
  if (!cca_load(&allowed) || !cca_try(&lock))
    return false;
  struct look look = {.count = cca_module_numbers,
                      .loader = getauxval(AT_BASE)};
  look.may_go = started || !look.loader;
  uint64_t changes = cca_module_changes - cca_module_numbers;
  dl_iterate_phdr(look_at, &look);
  if (!started) {
    cca_cache_begin(look.count);
    for (uint32_t i = 0; i < look.count; i++)
      read_note(&cca_modules[i]);
  }
  cca_store_release(&cca_module_numbers, look.count);
  changes += cca_module_numbers;
  for (uint32_t i = 0; i < cca_module_numbers; i++)
    if (!cca_modules[i].gone && !(look.seen[i / 64] >> i % 64 & 1)) {
      cca_store(&cca_modules[i].gone, 1);
      closed(&cca_modules[i]);
      changes++;
    }
  cca_store_release(&cca_module_changes, changes);
  started = true;
  cca_leave(&lock);
  return true;
}

void cca_modules_after_fork(void) { cca_leave(&lock); }
