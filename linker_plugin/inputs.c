/* SPDX-License-Identifier: MIT */
/*
 * inputs.c -- the objects of a link, where they lie, and what they carry.
 *
 * In:    paths, or paths with offsets as the plugin saw them.
 * Out:   relocatable objects (and bitcode, which must be reported) in link
 *        order, each once, as bytes with the name that link maps use.
 * Holds: bytes are inside their file, which stays mapped.
 *
 * The plugin reports more than objects: archives, shared libraries, linker
 * scripts, members that GNU ld only peeked into.  What a thing is, its first
 * bytes tell.
 *
 * "System" are inputs below /lib* and /usr/lib* of the sysroot: start files,
 * the compiler's own library, the C library.  A list of names would go stale,
 * and asking the compiler costs a process; the file hierarchy is a standard.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inputs.h"
#include "summaries/archive.h"
#include "summaries/bitcode.h"
#include "summaries/elf.h"

void cca_inputs_init(struct cca_inputs *inputs, const char *sysroot) {
  *inputs = (struct cca_inputs){.sysroot = sysroot};
}

static bool is_system(const struct cca_inputs *inputs, const char *path) {
  char *real = realpath(path, NULL);
  const char *rest = real;
  if (!real)
    return false;
  size_t len = inputs->sysroot ? strlen(inputs->sysroot) : 0;
  while (len > 0 && inputs->sysroot[len - 1] == '/')
    len--;
  if (len > 0 && strncmp(real, inputs->sysroot, len) == 0)
    rest = real + len;
  bool is = strncmp(rest, "/lib", 4) == 0 || strncmp(rest, "/usr/lib", 8) == 0;
  free(real);
  return is;
}

static void map_file(struct cca_input_file *file) {
  int fd = open(file->path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (fd < 0)
    return;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size > 0) {
    void *bytes =
        mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      file->bytes = bytes;
      file->len = (size_t)status.st_size;
    }
  }
  close(fd);
}

static void list_members(struct cca_inputs *inputs,
                         struct cca_input_file *file) {
  struct cca_archive archive;
  struct cca_archive_member found;
  if (!file->bytes || !cca_archive_open(&archive, file->bytes, file->len))
    return;
  file->is_archive = true;
  file->is_thin = archive.thin;
  while (cca_archive_next(&archive, &found)) {
    struct cca_input_member member = {
        .name = cca_arena_strndup(&inputs->arena, (const char *)found.name,
                                  found.name_len),
        .bytes = found.content,
        .len = found.len,
        .offset = found.content_at,
    };
    cca_vec_push(&file->members, member);
  }
}

struct cca_input_file *cca_inputs_file(struct cca_inputs *inputs,
                                       const char *path) {
  bool is_new;
  uint32_t *number = cca_map_at(&inputs->by_path, path, strlen(path), &is_new);
  if (!is_new)
    return inputs->files.items[*number - 1];
  *number = (uint32_t)inputs->files.count + 1;
  struct cca_input_file *file =
      cca_arena_zalloc(&inputs->arena, 1, sizeof *file);
  file->path = cca_arena_strdup(&inputs->arena, path);
  file->is_system = is_system(inputs, path);
  map_file(file);
  list_members(inputs, file);
  cca_vec_push(&inputs->files, file);
  return file;
}

/* Relocatable, or LLVM bitcode. */
static bool is_object(const unsigned char *bytes, size_t len) {
  struct cca_elf elf;
  if (cca_bitcode_is(bytes, len))
    return true;
  return cca_elf_is(bytes, len) &&
         (cca_elf_open(&elf, bytes, len) != NULL || elf.type == ET_REL);
}

struct cca_input_file *
cca_inputs_member_file(struct cca_inputs *inputs,
                       const struct cca_input_file *thin,
                       const struct cca_input_member *member) {
  const char *slash = strrchr(thin->path, '/');
  if (member->name[0] == '/' || !slash)
    return cca_inputs_file(inputs, member->name);
  return cca_inputs_file(inputs, cca_arena_printf(&inputs->arena, "%.*s%s",
                                                  (int)(slash + 1 - thin->path),
                                                  thin->path, member->name));
}

void cca_inputs_add(struct cca_inputs *inputs, struct cca_input_file *file,
                    const struct cca_input_member *member) {
  if (member && !member->bytes) { /* thin: a file of its own */
    file = cca_inputs_member_file(inputs, file, member);
    member = NULL;
  }
  struct cca_object input = {
      .name = file->path,
      .bytes = member ? member->bytes : file->bytes,
      .len = member ? member->len : file->len,
      .is_system = file->is_system,
  };
  if (!input.bytes || !is_object(input.bytes, input.len))
    return;

  struct cca_arena *a = &inputs->arena;
  const char *key =
      cca_arena_printf(a, "%zu %s", member ? member->offset : 0, file->path);
  bool is_new;
  cca_map_at(&inputs->seen, key, strlen(key), &is_new);
  if (!is_new)
    return;
  if (member) {
    input.archive = file->path;
    input.name = cca_arena_printf(a, "%s(%s)", file->path, member->name);
  }
  cca_vec_push(&inputs->list, input);
}

bool cca_object_is_remade(const struct cca_object *object) {
  struct cca_elf elf;
  struct cca_elf_section section;
  if (cca_bitcode_is(object->bytes, object->len))
    return true;
  if (cca_elf_open(&elf, object->bytes, object->len) != NULL)
    return false;
  for (uint32_t i = 1; i < elf.section_count; i++)
    if (cca_elf_section_at(&elf, i, &section) &&
        (strncmp(section.name, ".gnu.lto_", 9) == 0 ||
         strcmp(section.name, ".llvm.lto") == 0))
      return true;
  return false;
}

static int compare_offset(const void *key, const void *element) {
  size_t offset = *(const size_t *)key;
  const struct cca_input_member *member = element;
  return offset < member->offset ? -1 : offset > member->offset;
}

void cca_inputs_add_list(struct cca_inputs *inputs, const char *list,
                         size_t len) {
  for (const char *end = list + len, *zero;
       list < end && (zero = memchr(list, '\0', (size_t)(end - list)));
       list = zero + 1) {
    char *path;
    size_t offset = strtoull(list, &path, 10);
    strtoull(path, &path, 10); /* the size, which the file itself tells */
    if (*path++ != ' ')
      continue;
    struct cca_input_file *file = cca_inputs_file(inputs, path);
    if (offset == 0) {
      cca_inputs_add(inputs, file, NULL);
      continue;
    }
    const struct cca_input_member *member =
        file->members.count == 0
            ? NULL
            : bsearch(&offset, file->members.items, file->members.count,
                      sizeof *file->members.items, compare_offset);
    if (member)
      cca_inputs_add(inputs, file, member);
  }
}

void cca_inputs_release(struct cca_inputs *inputs) {
  for (size_t i = 0; i < inputs->files.count; i++) {
    struct cca_input_file *file = inputs->files.items[i];
    if (file->bytes)
      munmap((void *)file->bytes, file->len);
    cca_vec_release(&file->members);
  }
  cca_vec_release(&inputs->files);
  cca_vec_release(&inputs->list);
  cca_map_release(&inputs->by_path);
  cca_map_release(&inputs->seen);
  cca_arena_release(&inputs->arena);
}
