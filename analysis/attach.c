/* SPDX-License-Identifier: MIT */
/*
 * attach.c -- append a section to a finished object.
 *
 * Input:     an ET_REL file, or LLVM bitcode, and the bytes of a summary.
 * Output:    bitcode with a block more at its end (summaries/bitcode.h); of an
 *            ET_REL the same file with the section .cc_allocs: PROGBITS,
 * SHF_EXCLUDE (a final link drops it, ld -r and ar keep it), aligned to 8.
 * Invariant: of the old bytes only e_shoff and e_shnum change (and, past
 *            65279 sections, the size of section 0, which stands for e_shnum).
 *
 * After the old bytes come the summary, the table of section names with one
 * name more, and the section headers with one header more; in the copied
 * headers only the name table's offset and size differ.  Section numbers stay,
 * so nothing that refers to a section by number needs to be understood.  The
 * old name table and headers stay behind, unused, which costs a few kilobytes
 * and spares us every risk.  GNU objcopy is no alternative: it clears the
 * sh_link of clang's .llvm_addrsig, and lld complains.  Nor is libelf, which
 * may rewrite what it has no reason to touch.
 */
#include "attach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "summaries/bitcode.h"
#include "summaries/elf.h"

static const char section_name[] = ".cc_allocs";
enum { SECTION_ALIGN = 8 };

__attribute__((format(printf, 4, 5))) static int
fail(struct cca_attach_error *err, int status, int error, const char *format,
     ...) {
  if (err) {
    va_list args;
    err->status = status;
    err->error = error;
    va_start(args, format);
    int used = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (error && used >= 0 && (size_t)used < sizeof err->text)
      snprintf(err->text + used, sizeof err->text - (size_t)used, ": %s",
               strerror(error));
  }
  return status;
}

/* ------------------------------------------------------------- the bytes */

/* Write to the member of the section header at P; its place and width are
 * <elf.h>'s. */
#define PUT(elf, p, member, value)                                             \
  ((elf)->is64 ? put_sized((elf), (p) + offsetof(Elf64_Shdr, member), (value), \
                           sizeof((Elf64_Shdr *)0)->member)                    \
               : put_sized((elf), (p) + offsetof(Elf32_Shdr, member), (value), \
                           sizeof((Elf32_Shdr *)0)->member))

static void put_sized(const struct cca_elf *elf, unsigned char *p,
                      uint64_t value, size_t size) {
  if (size == 4)
    cca_elf_put32(elf, p, (uint32_t)value);
  else
    cca_elf_put64(elf, p, value);
}

/* Zeros up to a multiple of ALIGN, in a file in which TAIL begins at START. */
static void pad(struct cca_text *tail, size_t start, size_t align) {
  static const char zeros[SECTION_ALIGN];
  cca_text_add(tail, zeros, (align - (start + tail->len) % align) % align);
}

/* The number of the section that holds a summary; 0: none.  Checks that all
 * headers can be read, and that nobody else has the bytes we shall change. */
static const char *find_summary(const struct cca_elf *elf, uint32_t *found) {
  struct cca_elf_section section;
  size_t header = elf->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
  *found = 0;
  for (uint32_t i = 1; i < elf->section_count; i++) {
    if (!cca_elf_section_at(elf, i, &section))
      return "a section lies outside the file";
    if (section.bytes && section.size && section.offset < header)
      return "a section lies over the ELF header";
    if (strcmp(section.name, section_name) == 0) {
      if (*found)
        return "more than one section .cc_allocs";
      *found = i;
    }
  }
  return NULL;
}

/* Bitcode gets a block more; of several, the last one counts. */
static int attach_to_bitcode(const unsigned char *image, size_t image_len,
                             const void *summary, size_t len, unsigned flags,
                             struct cca_text *tail,
                             struct cca_attach_error *err) {
  size_t size;
  if (!cca_bitcode_is_open(image, image_len))
    return fail(err, CCA_ATTACH_BITCODE, 0,
                "bitcode that is not open at its end");
  if (len > UINT32_MAX / 4)
    return fail(err, CCA_ATTACH_CORRUPT, 0, "too large");
  if (!(flags & CCA_ATTACH_REPLACE) &&
      cca_bitcode_find(image, image_len, &size))
    return fail(err, CCA_ATTACH_HAS_ONE, 0, "the object has a summary already");
  tail->len = 0;
  cca_bitcode_add(tail, summary, len);
  return CCA_ATTACH_OK;
}

int cca_attach_image(unsigned char *image, size_t image_len,
                     const void *summary, size_t len, unsigned flags,
                     struct cca_text *tail, struct cca_attach_error *err) {
  struct cca_elf elf;
  struct cca_elf_section names;
  uint32_t at;

  if (cca_bitcode_is(image, image_len))
    return attach_to_bitcode(image, image_len, summary, len, flags, tail, err);
  if (!cca_elf_is(image, image_len))
    return fail(err, CCA_ATTACH_NOT_OURS, 0, "not an ELF file");
  const char *wrong = cca_elf_open(&elf, image, image_len);
  if (wrong)
    return fail(err, CCA_ATTACH_CORRUPT, 0, "%s", wrong);
  if (elf.type != ET_REL)
    return fail(err, CCA_ATTACH_NOT_OURS, 0, "not a relocatable object");
  if (elf.section_count < 2 || elf.name_section == SHN_UNDEF ||
      !cca_elf_section_at(&elf, elf.name_section, &names) || !names.bytes)
    return fail(err, CCA_ATTACH_CORRUPT, 0, "no section names");
  if ((wrong = find_summary(&elf, &at)))
    return fail(err, CCA_ATTACH_CORRUPT, 0, "%s", wrong);
  if (at == elf.name_section)
    return fail(err, CCA_ATTACH_CORRUPT, 0, "no section names");
  if (at && !(flags & CCA_ATTACH_REPLACE))
    return fail(err, CCA_ATTACH_HAS_ONE, 0, "the object has a summary already");

  size_t header = cca_elf_section_header_size(&elf);
  size_t headers_len = elf.section_count * header;
  uint64_t limit = elf.is64 ? SIZE_MAX / 2 : UINT32_MAX;
  if (elf.section_count == UINT32_MAX || names.size > UINT32_MAX - 64 ||
      len > limit / 4 || image_len > limit / 4 || headers_len > limit / 4)
    return fail(err, CCA_ATTACH_CORRUPT, 0, "too large");

  tail->len = 0;
  pad(tail, image_len, SECTION_ALIGN);
  uint64_t summary_at = image_len + tail->len;
  cca_text_add(tail, summary, len);

  uint64_t names_at = names.offset, names_len = names.size;
  if (!at) { /* with REPLACE the name is there */
    names_at = image_len + tail->len;
    names_len += sizeof section_name;
    cca_text_add(tail, names.bytes, names.size);
    cca_text_add(tail, section_name, sizeof section_name);
  }

  pad(tail, image_len, SECTION_ALIGN);
  uint64_t headers_at = image_len + tail->len;
  size_t headers = tail->len;
  cca_text_add(tail, image + elf.section_table, headers_len);
  if (!at) {
    static const char zeros[sizeof(Elf64_Shdr)];
    cca_text_add(tail, zeros, header);
  }
  /* From here on the tail does not move. */
  unsigned char *table = (unsigned char *)tail->data + headers;
  unsigned char *named = table + elf.name_section * header;
  unsigned char *ours = table + (at ? at : elf.section_count) * header;

  PUT(&elf, named, sh_offset, names_at);
  PUT(&elf, named, sh_size, names_len);
  if (!at)
    PUT(&elf, ours, sh_name, names.size);
  PUT(&elf, ours, sh_type, SHT_PROGBITS);
  PUT(&elf, ours, sh_flags, SHF_EXCLUDE);
  PUT(&elf, ours, sh_offset, summary_at);
  PUT(&elf, ours, sh_size, len);
  PUT(&elf, ours, sh_addralign, SECTION_ALIGN);

  uint32_t count = elf.section_count + !at;
  bool escaped = count >= SHN_LORESERVE;
  if (escaped)
    PUT(&elf, table, sh_size, count);

  size_t shnum =
      elf.is64 ? offsetof(Elf64_Ehdr, e_shnum) : offsetof(Elf32_Ehdr, e_shnum);
  cca_elf_put16(&elf, image + shnum, escaped ? 0 : (uint16_t)count);
  if (elf.is64)
    cca_elf_put64(&elf, image + offsetof(Elf64_Ehdr, e_shoff), headers_at);
  else
    cca_elf_put32(&elf, image + offsetof(Elf32_Ehdr, e_shoff),
                  (uint32_t)headers_at);
  return CCA_ATTACH_OK;
}

/* -------------------------------------------------------------- the file */

/* Read exactly LEN bytes; 0 or an errno. */
static int read_all(int fd, unsigned char *to, size_t len) {
  while (len) {
    ssize_t got = read(fd, to, len);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got < 0 ? errno : EIO;
    to += got;
    len -= (size_t)got;
  }
  return 0;
}

static int write_all(int fd, const void *bytes, size_t len) {
  const char *from = bytes;
  while (len) {
    ssize_t put = write(fd, from, len);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return put < 0 ? errno : EIO;
    from += put;
    len -= (size_t)put;
  }
  return 0;
}

enum { NAMES = 16 };

/* The Nth name that process WRITER may give a file beside PATH. */
static int temporary_name(const char *path, pid_t writer, unsigned n,
                          char name[PATH_MAX]) {
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  int len = snprintf(name, PATH_MAX, "%.*s.cca-%ld-%u", folder, path,
                     (long)writer, n);
  return len < PATH_MAX ? 0 : ENAMETOOLONG;
}

/*
 * A new file that will replace PATH.  Where the file system can, it has no
 * name until it is complete, and NAME is empty then.
 */
static int open_temporary(const char *path, char name[PATH_MAX]) {
  const char *slash = strrchr(path, '/');
  char in[PATH_MAX];
  snprintf(in, sizeof in, "%.*s", slash ? (int)(slash - path) + 1 : 1,
           slash ? path : ".");
  name[0] = 0;
  int fd = open(in, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  for (unsigned i = 0; fd < 0 && i < NAMES; i++) {
    errno = temporary_name(path, getpid(), i, name);
    if (errno)
      break;
    fd = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && errno != EEXIST)
      break;
  }
  return fd;
}

/* Give the nameless file FD a name beside PATH. */
static int name_temporary(int fd, const char *path, char name[PATH_MAX]) {
  char from[64];
  int error = 0;
  snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
  for (unsigned i = 0; i < NAMES; i++) {
    error = temporary_name(path, getpid(), i, name);
    if (!error &&
        linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) != 0)
      error = errno;
    if (error != EEXIST)
      break;
  }
  if (error)
    name[0] = 0;
  return error;
}

void cca_attach_clean(const char *object, pid_t writer, time_t since) {
  char path[PATH_MAX], name[PATH_MAX];
  struct stat status;
  if (!realpath(object, path))
    return;
  for (unsigned i = 0; i < NAMES; i++) {
    if (temporary_name(path, writer, i, name) != 0 || lstat(name, &status) != 0)
      return;
    if (S_ISREG(status.st_mode) && status.st_nlink == 1 &&
        status.st_ctim.tv_sec >= since)
      unlink(name);
  }
}

/* Make PATH, whose status is OLD, a file of HEAD and TAIL; 0 or an errno. */
static int make_file(const char *path, const struct stat *old,
                     const unsigned char *head, size_t head_len,
                     const struct cca_text *tail) {
  char name[PATH_MAX];
  int fd = open_temporary(path, name);
  if (fd < 0)
    return errno;
  int error = write_all(fd, head, head_len);
  if (!error)
    error = write_all(fd, tail->data, tail->len);
  struct stat made;
  if (!error && fstat(fd, &made))
    error = errno;
  if (!error && (made.st_uid != old->st_uid || made.st_gid != old->st_gid) &&
      fchown(fd, old->st_uid, old->st_gid))
    error = errno;
  if (!error && fchmod(fd, old->st_mode & 07777))
    error = errno;
  if (!error && !name[0])
    error = name_temporary(fd, path, name);
  /* Some file systems report a full disk only on closing, so publish last. */
  if (close(fd) && !error)
    error = errno;
  if (!error && rename(name, path))
    error = errno;
  if (error && name[0])
    unlink(name);
  return error;
}

/* As above.  A signal comes before or after, so that no name of ours stays. */
static int replace_file(const char *path, const struct stat *old,
                        const unsigned char *head, size_t head_len,
                        const struct cca_text *tail) {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  int error = make_file(path, old, head, head_len, tail);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return error;
}

int cca_attach(const char *object, const void *summary, size_t len,
               unsigned flags, struct cca_attach_error *err) {
  /* A symbolic link must stay one: work on what it points to. */
  char path[PATH_MAX];
  if (!realpath(object, path))
    return fail(err, CCA_ATTACH_NOT_OURS, errno, "no object");
  /* A fifo must not block us, nor a terminal become ours. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  if (fd < 0 || fstat(fd, &status)) {
    int error = errno;
    if (fd >= 0)
      close(fd);
    return fail(err, CCA_ATTACH_IO, error, "cannot read the object");
  }
  if (!S_ISREG(status.st_mode)) {
    close(fd);
    return fail(err, CCA_ATTACH_NOT_OURS, 0, "not a regular file");
  }

  size_t size = (size_t)status.st_size;
  unsigned char *image = cca_malloc(size);
  int error = read_all(fd, image, size);
  close(fd);
  struct cca_text tail = {0};
  int result;
  if (error)
    result = fail(err, CCA_ATTACH_IO, error, "cannot read the object");
  else
    result = cca_attach_image(image, size, summary, len, flags, &tail, err);
  if (result == CCA_ATTACH_OK) {
    error = replace_file(path, &status, image, size, &tail);
    if (error)
      result = fail(err, CCA_ATTACH_IO, error, "cannot replace the object");
  }
  cca_text_release(&tail);
  free(image);
  return result;
}
