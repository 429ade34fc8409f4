/* libs: cca_attach */
/* SPDX-License-Identifier: MIT */
/*
 * test-attach.c -- attaching a summary changes nothing else, and on any
 * failure changes nothing at all.
 *
 * With arguments it is a tool for the scripts in tests/analysis:
 *   test-attach OBJECT SUMMARY [replace]   prints the error, if any
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/attach.h"
#include "check.h"
#include "tiny-elf.h"

static const unsigned char code[] = {0xc3, 0x90, 0x90};
static const struct tiny_section plain[] = {
    {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, 3, 0, 0},
    {".llvm_addrsig", 0x6fff4c03, SHF_EXCLUDE, code, 1, 7, 0},
};
static const char summary[] = "the summary";

static void make(struct cca_text *out, bool is64, bool big) {
  struct tiny_elf elf = {is64, big, ET_REL, plain, 2, 0};
  tiny_elf_make(&elf, out);
}

/* --------------------------------------------------------- in memory */

/* The old bytes but e_shoff and e_shnum are as they were. */
static void check_old_bytes(const struct cca_text *old,
                            const unsigned char *now, bool is64) {
  size_t shoff = is64 ? 40 : 32, shoff_len = is64 ? 8 : 4;
  size_t shnum = is64 ? 60 : 48;
  size_t changed = 0;
  for (size_t i = 0; i < old->len; i++)
    changed += (unsigned char)old->data[i] != now[i] &&
               !(i >= shoff && i < shoff + shoff_len) &&
               !(i >= shnum && i < shnum + 2);
  CHECK_U(changed, 0);
}

static void check_attached(bool is64, bool big) {
  struct cca_text old = {0}, tail = {0};
  make(&old, is64, big);
  struct cca_text now = {0};
  cca_text_add(&now, old.data, old.len);
  CHECK(cca_attach_image((unsigned char *)now.data, now.len, summary,
                         sizeof summary, 0, &tail, NULL) == CCA_ATTACH_OK);
  cca_text_add(&now, tail.data, tail.len);
  check_old_bytes(&old, (unsigned char *)now.data, is64);

  struct cca_elf before, elf;
  struct cca_elf_section was, is;
  CHECK_STR(cca_elf_open(&before, old.data, old.len), NULL);
  CHECK_STR(cca_elf_open(&elf, now.data, now.len), NULL);
  CHECK_U(elf.section_count, before.section_count + 1);
  CHECK_U(elf.name_section, before.name_section);
  for (uint32_t i = 0; i < before.section_count; i++) {
    CHECK(cca_elf_section_at(&before, i, &was));
    CHECK(cca_elf_section_at(&elf, i, &is));
    CHECK_STR(is.name, was.name);
    CHECK_U(is.link, was.link);
    CHECK_U(is.flags, was.flags);
    if (i != before.name_section)
      CHECK_U(is.offset, was.offset);
  }
  CHECK(cca_elf_section_at(&elf, before.section_count, &is));
  CHECK_STR(is.name, ".cc_allocs");
  CHECK_U(is.type, SHT_PROGBITS);
  CHECK_U(is.flags, SHF_EXCLUDE);
  CHECK_U(is.align, 8);
  CHECK_U(is.offset % 8, 0);
  CHECK_U(is.size, sizeof summary);
  CHECK(!memcmp(is.bytes, summary, sizeof summary));
  cca_text_release(&old);
  cca_text_release(&now);
  cca_text_release(&tail);
}

static void test_every_class_and_order(void) {
  for (unsigned i = 0; i < 4; i++)
    check_attached(i & 1, i & 2);
}

static void test_replaces_only_when_asked(void) {
  struct cca_text image = {0}, tail = {0};
  struct cca_attach_error err;
  make(&image, true, false);
  cca_attach_image((unsigned char *)image.data, image.len, summary,
                   sizeof summary, 0, &tail, NULL);
  cca_text_add(&image, tail.data, tail.len);

  struct cca_text copy = {0};
  cca_text_add(&copy, image.data, image.len);
  CHECK(cca_attach_image((unsigned char *)image.data, image.len, "new", 3, 0,
                         &tail, &err) == CCA_ATTACH_HAS_ONE);
  CHECK_STR(err.text, "the object has a summary already");
  CHECK(!memcmp(copy.data, image.data, image.len));

  CHECK(cca_attach_image((unsigned char *)image.data, image.len, "new", 3,
                         CCA_ATTACH_REPLACE, &tail, &err) == CCA_ATTACH_OK);
  cca_text_add(&image, tail.data, tail.len);
  struct cca_elf elf;
  struct cca_elf_section is;
  CHECK_STR(cca_elf_open(&elf, image.data, image.len), NULL);
  CHECK_U(elf.section_count, 5);
  CHECK(cca_elf_section_at(&elf, 4, &is));
  CHECK_STR(is.name, ".cc_allocs");
  CHECK_U(is.size, 3);
  CHECK(!memcmp(is.bytes, "new", 3));
  cca_text_release(&copy);
  cca_text_release(&image);
  cca_text_release(&tail);
}

/* At 65280 sections their number moves to section 0; from there on it must
 * stay there. */
static void check_many(unsigned sections) {
  struct tiny_section *many = calloc(sections, sizeof *many);
  for (unsigned i = 0; i < sections; i++)
    many[i] = (struct tiny_section){".text.f", SHT_PROGBITS, 6, code, 1, 0, 0};
  struct tiny_elf elf64 = {true, false, ET_REL, many, sections - 2, 0};
  struct cca_text image = {0}, tail = {0};
  tiny_elf_make(&elf64, &image);
  unsigned char *p = (unsigned char *)image.data;
  if (sections >= SHN_LORESERVE) {
    struct cca_elf order = {.is64 = true};
    uint64_t table = cca_elf_u64(&order, p + 40);
    cca_elf_put16(&order, p + 60, 0);
    cca_elf_put64(&order, p + table + 32, sections);
    cca_elf_put16(&order, p + 62, SHN_XINDEX);
    cca_elf_put32(&order, p + table + 40, sections - 1);
  }
  CHECK(cca_attach_image(p, image.len, summary, sizeof summary, 0, &tail,
                         NULL) == CCA_ATTACH_OK);
  cca_text_add(&image, tail.data, tail.len);
  struct cca_elf elf;
  struct cca_elf_section is;
  CHECK_STR(cca_elf_open(&elf, image.data, image.len), NULL);
  CHECK_U(elf.section_count, sections + 1);
  CHECK_U(cca_elf_u16(&elf, elf.image + 60),
          sections + 1 >= SHN_LORESERVE ? 0 : sections + 1);
  CHECK(cca_elf_section_at(&elf, sections, &is));
  CHECK_STR(is.name, ".cc_allocs");
  CHECK(cca_elf_section_at(&elf, sections - 2, &is));
  CHECK_STR(is.name, ".text.f");
  free(many);
  cca_text_release(&image);
  cca_text_release(&tail);
}

static void test_many_sections(void) {
  check_many(SHN_LORESERVE - 2); /* still fits after adding one */
  check_many(SHN_LORESERVE - 1); /* adding one crosses the border */
  check_many(SHN_LORESERVE);
  check_many(SHN_LORESERVE + 300);
}

/* One row per reason to refuse; SIZE bytes at AT become VALUE.  The image is
 * 64-bit, little-endian: sections 0, .text, .llvm_addrsig, .shstrtab. */
static const struct {
  size_t at, size;
  uint64_t value;
  int want;
  const char *text;
} broken[] = {
    {0, 1, 'E', CCA_ATTACH_NOT_OURS, "not an ELF file"},
    {0, 4, 0xdec04342, CCA_ATTACH_BITCODE, "bitcode that is not open at its end"},
    {0, 4, 0x0b17c0de, CCA_ATTACH_BITCODE, "bitcode that is not open at its end"},
    {4, 1, 3, CCA_ATTACH_CORRUPT, "ELF header: unknown class"},
    {5, 1, 0, CCA_ATTACH_CORRUPT, "ELF header: unknown byte order"},
    {16, 2, ET_EXEC, CCA_ATTACH_NOT_OURS, "not a relocatable object"},
    {16, 2, ET_DYN, CCA_ATTACH_NOT_OURS, "not a relocatable object"},
    {40, 8, 0, CCA_ATTACH_CORRUPT, "no section names"},
    {40, 8, 1 << 20, CCA_ATTACH_CORRUPT,
     "section header table: outside the file"},
    {40, 8, UINT64_MAX, CCA_ATTACH_CORRUPT,
     "section header table: outside the file"},
    {58, 2, 40, CCA_ATTACH_CORRUPT, "ELF header: bad size of section headers"},
    {60, 2, 5, CCA_ATTACH_CORRUPT, "section header table: outside the file"},
    {60, 2, 1, CCA_ATTACH_CORRUPT, "no section names"},
    {62, 2, 0, CCA_ATTACH_CORRUPT, "no section names"},
    {62, 2, 4, CCA_ATTACH_CORRUPT, "no section names"},
};

static void check_section_header(size_t at, uint64_t value, const char *text) {
  struct cca_text bad = {0}, tail = {0};
  struct cca_attach_error err = {.text = ""};
  struct cca_elf elf = {.is64 = true};
  make(&bad, true, false);
  unsigned char *p = (unsigned char *)bad.data;
  /* Of section 1, .text. */
  cca_elf_put64(&elf, p + cca_elf_u64(&elf, p + 40) + 64 + at, value);
  CHECK(cca_attach_image(p, bad.len, summary, sizeof summary, 0, &tail, &err) ==
        CCA_ATTACH_CORRUPT);
  CHECK_STR(err.text, text);
  cca_text_release(&bad);
  cca_text_release(&tail);
}

static void test_refuses_sections(void) {
  check_section_header(24, 63, "a section lies over the ELF header");
  check_section_header(24, 1 << 20, "a section lies outside the file");
  check_section_header(32, UINT64_MAX, "a section lies outside the file");
}

/* An old summary that is the table of names as well cannot be replaced. */
static void test_refuses_names_in_summary(void) {
  const struct tiny_section sections[] = {
      {".cc_allocs", SHT_PROGBITS, SHF_EXCLUDE, code, 3, 0, 0}};
  struct tiny_elf elf = {true, false, ET_REL, sections, 1, 0};
  struct cca_text bad = {0}, tail = {0};
  struct cca_attach_error err = {.text = ""};
  struct cca_elf order = {.is64 = true};
  tiny_elf_make(&elf, &bad);
  unsigned char *p = (unsigned char *)bad.data;
  unsigned char *headers = p + cca_elf_u64(&order, p + 40);
  memcpy(headers + 128, headers + 64, 4); /* .shstrtab gets the name … */
  memset(headers + 64, 0, 4);             /* … that section 1 had */
  CHECK(cca_attach_image(p, bad.len, summary, sizeof summary,
                         CCA_ATTACH_REPLACE, &tail,
                         &err) == CCA_ATTACH_CORRUPT);
  CHECK_STR(err.text, "no section names");
  cca_text_release(&bad);
  cca_text_release(&tail);
}

static void test_refuses(void) {
  struct cca_text good = {0}, tail = {0};
  make(&good, true, false);
  for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
    struct cca_attach_error err = {.text = ""};
    unsigned char *bad = malloc(good.len), *copy = malloc(good.len);
    memcpy(bad, good.data, good.len);
    for (size_t b = 0; b < broken[i].size; b++)
      bad[broken[i].at + b] = (unsigned char)(broken[i].value >> 8 * b);
    memcpy(copy, bad, good.len);
    CHECK_U(-cca_attach_image(bad, good.len, summary, sizeof summary, 0, &tail,
                              &err),
            -broken[i].want);
    CHECK_STR(err.text, broken[i].text);
    CHECK(!memcmp(bad, copy, good.len));
    free(bad);
    free(copy);
  }
  cca_text_release(&good);
  cca_text_release(&tail);
}

/* From blocks of exactly their size, for AddressSanitizer. */
static void test_truncations_and_single_bytes(void) {
  struct cca_text good = {0}, tail = {0};
  make(&good, true, false);
  for (size_t len = 0; len < good.len; len++) {
    unsigned char *bad = malloc(len ? len : 1);
    memcpy(bad, good.data, len);
    CHECK(cca_attach_image(bad, len, summary, sizeof summary, 0, &tail, NULL) <
          0);
    free(bad);
  }
  unsigned refused = 0;
  for (size_t at = 0; at < good.len; at++)
    for (unsigned value = 0; value < 256; value += 5) {
      unsigned char *bad = malloc(good.len);
      memcpy(bad, good.data, good.len);
      bad[at] = (unsigned char)value;
      refused += cca_attach_image(bad, good.len, summary, sizeof summary, 0,
                                  &tail, NULL) < 0;
      free(bad);
    }
  CHECK(refused > 1000);
  cca_text_release(&good);
  cca_text_release(&tail);
}

/* --------------------------------------------------------------- in files */

static void write_file(const char *path, const struct cca_text *bytes) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(bytes->data, 1, bytes->len, file) == bytes->len);
  if (file)
    fclose(file);
}

static bool file_is(const char *path, const struct cca_text *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  char *got = malloc(bytes->len + 1);
  bool same = fread(got, 1, bytes->len + 1, file) == bytes->len &&
              !memcmp(got, bytes->data, bytes->len);
  fclose(file);
  free(got);
  return same;
}

static unsigned files_in(const char *folder) {
  unsigned count = 0;
  DIR *dir = opendir(folder);
  while (dir && readdir(dir))
    count++;
  if (dir)
    closedir(dir);
  return count - 2;
}

static off_t size_of(const char *path) {
  struct stat status;
  return stat(path, &status) ? -1 : status.st_size;
}

static void test_file_keeps_mode_links_and_symlinks(void) {
  struct cca_text object = {0};
  struct stat status;
  make(&object, true, false);
  mkdir("d", 0755);
  write_file("d/real.o", &object);
  chmod("d/real.o", 0640);
  link("d/real.o", "cached.o");
  symlink("d/real.o", "link.o");
  if (geteuid() == 0)
    chown("d/real.o", 65534, 65533);

  CHECK(cca_attach("link.o", summary, sizeof summary, 0, NULL) == 0);
  CHECK(lstat("link.o", &status) == 0 && S_ISLNK(status.st_mode));
  CHECK(stat("d/real.o", &status) == 0);
  CHECK_U(status.st_mode & 07777, 0640);
  CHECK_U(status.st_nlink, 1);
  if (geteuid() == 0)
    CHECK(status.st_uid == 65534 && status.st_gid == 65533);
  CHECK(status.st_size > (off_t)object.len);
  CHECK(file_is("cached.o", &object)); /* the other link has the old bytes */
  CHECK_U(files_in("d"), 1);

  write_file("readonly.o", &object);
  chmod("readonly.o", 0444);
  CHECK(cca_attach("readonly.o", summary, sizeof summary, 0, NULL) == 0);
  CHECK(stat("readonly.o", &status) == 0);
  CHECK_U(status.st_mode & 07777, 0444);
  cca_text_release(&object);
}

static void test_only_regular_files(void) {
  struct cca_attach_error err;
  CHECK(cca_attach("gone.o", summary, sizeof summary, 0, &err) ==
        CCA_ATTACH_NOT_OURS);
  CHECK_STR(err.text, "no object: No such file or directory");
  CHECK(cca_attach("/dev/null", summary, sizeof summary, 0, &err) ==
        CCA_ATTACH_NOT_OURS);
  CHECK_STR(err.text, "not a regular file");
  mkfifo("fifo", 0600);
  CHECK(cca_attach("fifo", summary, sizeof summary, 0, &err) ==
        CCA_ATTACH_NOT_OURS);
  CHECK(cca_attach(".", summary, sizeof summary, 0, &err) ==
        CCA_ATTACH_NOT_OURS);
}

/* A disk that fills up, here a file size limit one byte below the result. */
static void test_full_disk_leaves_no_trace(void) {
  struct cca_text object = {0}, tail = {0};
  struct cca_attach_error err;
  struct rlimit old, small;
  make(&object, true, false);
  mkdir("full", 0755);
  write_file("full/x.o", &object);
  unsigned char *copy = malloc(object.len);
  memcpy(copy, object.data, object.len);
  cca_attach_image(copy, object.len, summary, sizeof summary, 0, &tail, NULL);
  free(copy);
  getrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, SIG_IGN);

  small = old;
  small.rlim_cur = object.len + tail.len - 1;
  setrlimit(RLIMIT_FSIZE, &small);
  int status = cca_attach("full/x.o", summary, sizeof summary, 0, &err);
  small.rlim_cur++;
  setrlimit(RLIMIT_FSIZE, &small);
  CHECK(status == CCA_ATTACH_IO);
  CHECK(err.error == EFBIG);
  CHECK_STR(err.text, "cannot replace the object: File too large");
  CHECK(file_is("full/x.o", &object));
  CHECK_U(files_in("full"), 1);

  CHECK(cca_attach("full/x.o", summary, sizeof summary, 0, &err) == 0);
  setrlimit(RLIMIT_FSIZE, &old);
  CHECK_U(size_of("full/x.o"), object.len + tail.len);
  CHECK_U(files_in("full"), 1);
  cca_text_release(&object);
  cca_text_release(&tail);
}

static void test_folder_without_permission(void) {
  struct cca_text object = {0};
  struct cca_attach_error err;
  make(&object, true, false);
  mkdir("locked", 0755);
  write_file("locked/x.o", &object);
  chmod(".", 0755);
  chmod("locked", 0555);
  if (geteuid() == 0 && seteuid(65534))
    return;
  int status = cca_attach("locked/x.o", summary, sizeof summary, 0, &err);
  if (getuid() == 0)
    seteuid(0);
  chmod("locked", 0755);
  CHECK(status == CCA_ATTACH_IO);
  CHECK_STR(err.text, "cannot replace the object: Permission denied");
  CHECK(file_is("locked/x.o", &object));
  CHECK_U(files_in("locked"), 1);
  cca_text_release(&object);
}

static int tool(char **argv, int argc) {
  struct cca_attach_error err;
  struct cca_text bytes = {0};
  FILE *file = fopen(argv[2], "rb");
  if (!file)
    return 2;
  for (int c; (c = getc(file)) != EOF;)
    cca_text_add(&bytes, &(char){(char)c}, 1);
  fclose(file);
  int status = cca_attach(argv[1], bytes.data, bytes.len,
                          argc > 3 ? CCA_ATTACH_REPLACE : 0, &err);
  if (status < 0)
    puts(err.text);
  cca_text_release(&bytes);
  return status < 0;
}

int main(int argc, char **argv) {
  if (argc > 2)
    return tool(argv, argc);
  char folder[] = "/tmp/cca-attach.XXXXXX";
  if (!mkdtemp(folder) || chdir(folder))
    return 1;
  RUN(test_every_class_and_order);
  RUN(test_replaces_only_when_asked);
  RUN(test_many_sections);
  RUN(test_refuses);
  RUN(test_refuses_sections);
  RUN(test_refuses_names_in_summary);
  RUN(test_truncations_and_single_bytes);
  RUN(test_file_keeps_mode_links_and_symlinks);
  RUN(test_only_regular_files);
  RUN(test_full_disk_leaves_no_trace);
  RUN(test_folder_without_permission);
  static const char *const made[] = {
      "d/real.o", "cached.o",   "link.o", "readonly.o", "fifo",
      "full/x.o", "locked/x.o", "d",      "full",       "locked",
  };
  for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
    remove(made[i]);
  CHECK(rmdir(folder) == 0); /* nothing else was left */
  return check_done();
}
