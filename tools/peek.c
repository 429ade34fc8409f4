/* SPDX-License-Identifier: MIT */
/*
 * peek.c -- snapshots of processes that go on; see peek.h.
 *
 * In:  cca_debugger (runtime/debugger.h) of another process, which leads to all
 *      its tables.
 * Out: a file for each process, written by the runtime's own snapshot.c: its
 *      tables are copied here, and are then ours.
 *
 * A signal would have to be delivered, and what it interrupts would notice; a
 * thread would make a program of one thread one of two.  Nothing of that is
 * needed: counters are read while others count, as in a signal handler.
 *
 * The other process may do anything: what it says is copied, bounded and
 * checked before it is followed.
 */
#include "peek.h"

#include "base/vec.h"
#include "runtime/debugger.h"
#include "runtime/labels.h"
#include "runtime/modules.h"
#include "runtime/snapshot.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

struct cca_loaded cca_modules[CCA_MAX_MODULES]; /* snapshot.c's */
uint32_t cca_module_numbers;

enum { MAX_TABLE = 1 << 28 };

struct other {
  pid_t pid;
  struct cca_debugger at;
  struct cca_arena arena;
};

static bool copy(const struct other *other, void *to, uintptr_t from,
                 size_t len) {
  struct iovec here = {to, len}, there = {(void *)from, len};
  return process_vm_readv(other->pid, &here, 1, &there, 1, 0) == (ssize_t)len;
}

static uint32_t copy_number(const struct other *other, const void *from,
                            uint32_t most) {
  uint32_t number = 0;
  if (!copy(other, &number, (uintptr_t)from, sizeof number))
    return 0;
  return number < most ? number : most;
}

/* A text; what is behind a page that is not there is left out. */
static const char *copy_text(struct other *other, uintptr_t from) {
  char text[4097] = "";
  for (size_t at = 0; at < sizeof text - 1;) {
    size_t len = 256 - (from + at) % 256;
    if (len > sizeof text - 1 - at)
      len = sizeof text - 1 - at;
    if (!copy(other, text + at, from + at, len) || memchr(text + at, 0, len))
      break;
    at += len;
  }
  text[sizeof text - 1] = 0;
  return cca_arena_strdup(&other->arena, text);
}

static bool copy_modules(struct other *other) {
  cca_module_numbers =
      copy_number(other, other->at.module_numbers, CCA_MAX_MODULES);
  if (!copy(other, cca_modules, (uintptr_t)other->at.modules,
            cca_module_numbers * sizeof cca_modules[0]))
    return false;
  for (uint32_t i = 0; i < cca_module_numbers; i++) {
    struct cca_loaded *m = &cca_modules[i];
    uintptr_t image = (uintptr_t)m->table.image;
    size_t len = m->table.len;
    m->path = copy_text(other, (uintptr_t)m->path);
    if (m->build_id_len > sizeof m->build_id)
      m->build_id_len = 0;
    if (m->classified >= CCA_CLASSIFIED_KINDS)
      m->classified = CCA_CLASSIFIED_BROKEN;
    if (m->classified != CCA_CLASSIFIED_YES)
      continue;
    m->classified = CCA_CLASSIFIED_BROKEN;
    void *bytes = len <= MAX_TABLE ? cca_arena_alloc(&other->arena, len) : NULL;
    if (bytes && copy(other, bytes, image, len) &&
        cca_table_open(&m->table, &cca_classification_schema, bytes, len,
                       NULL) == 0)
      m->classified = CCA_CLASSIFIED_YES;
  }
  return true;
}

/* Does LABEL lead nowhere else than into what was copied? */
static bool is_sound(const struct cca_label *label) {
  if (label->reason >= CCA_REASONS)
    return false;
  if (label->module == CCA_NO_MODULE)
    return true;
  if (label->module >= cca_module_numbers)
    return false;
  const struct cca_loaded *m = &cca_modules[label->module];
  return label->reason != CCA_REASON_NONE ||
         (m->classified == CCA_CLASSIFIED_YES &&
          label->at < cca_allocsite_count(&m->table));
}

static bool copy_labels(struct other *other) {
  uintptr_t labels, mets, counters[CCA_SHARDS];
  uint32_t count = copy_number(other, other->at.label_numbers, CCA_MAX_LABELS);
  cca_label_numbers = count;
  cca_labels = cca_arena_zalloc(&other->arena, count, sizeof *cca_labels);
  cca_mets = cca_arena_zalloc(&other->arena, count, sizeof *cca_mets);
  if (!copy(other, &labels, (uintptr_t)other->at.labels, sizeof labels) ||
      !copy(other, cca_labels, labels, count * sizeof *cca_labels) ||
      !copy(other, &mets, (uintptr_t)other->at.mets, sizeof mets) ||
      !copy(other, cca_mets, mets, count * sizeof *cca_mets) ||
      !copy(other, counters, (uintptr_t)other->at.counters, sizeof counters))
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (!is_sound(&cca_labels[i]))
      cca_labels[i] = (struct cca_label){.reason = CCA_REASON_BROKEN,
                                         .module = CCA_NO_MODULE};
  for (uint32_t i = 0; i < CCA_SHARDS; i++) {
    size_t len = count * sizeof *cca_counters[i];
    cca_counters[i] = counters[i] ? cca_arena_alloc(&other->arena, len) : NULL;
    if (counters[i] && !copy(other, cca_counters[i], counters[i], len))
      return false;
  }
  return true;
}

static void peek_at(const char *folder, pid_t pid, pid_t parent,
                    uintptr_t address, unsigned number) {
  struct other other = {.pid = pid};
  const struct cca_snapshot snapshot = {pid, parent, number,
                                        CCA_MOMENT_INTERVAL};
  if (copy(&other, &other.at, address, sizeof other.at) &&
      !memcmp(other.at.magic, "ccaheap", sizeof other.at.magic) &&
      other.at.version == CCA_DEBUGGER_VERSION &&
      other.at.size == sizeof other.at &&
      other.at.module_size == sizeof cca_modules[0] &&
      other.at.label_size == sizeof *cca_labels &&
      other.at.met_size == sizeof *cca_mets &&
      other.at.shards == CCA_SHARDS && copy_modules(&other) &&
      copy_labels(&other))
    cca_snapshot_write(folder, &snapshot);
  cca_arena_release(&other.arena);
}

void cca_peek(const char *folder, unsigned number) {
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    long pid, parent;
    unsigned long address;
    int end = 0;
    struct cca_text path = {0};
    if (sscanf(entry->d_name, "%ld.at%n", &pid, &end) < 1 || !end ||
        entry->d_name[end])
      continue;
    cca_text_addf(&path, "%s/%s", folder, entry->d_name);
    FILE *file = fopen(path.data, "re");
    if (file && fscanf(file, "%lx %ld", &address, &parent) == 2)
      peek_at(folder, (pid_t)pid, (pid_t)parent, address, number);
    if (file)
      fclose(file);
    cca_text_release(&path);
  }
  if (dir)
    closedir(dir);
}
