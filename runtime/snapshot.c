/* SPDX-License-Identifier: MIT */
/*
 * snapshot.c -- sites and their counts as JSON; see snapshot.h.
 *
 * In:  what the runtime tells every client: ccallocs/client.h.
 * Out: one document in a file.  Here nothing is added up or sorted: that is
 *      done by those who read it, outside of the user's process.
 */
#include "snapshot.h"

#include "ccallocs/client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Bytes into a file ---- */

struct out {
  int file;
  bool failed;
  size_t len;
  char bytes[4096];
};

static void flush(struct out *out) {
  for (size_t at = 0; at < out->len && !out->failed;) {
    ssize_t done = write(out->file, out->bytes + at, out->len - at);
    if (done >= 0)
      at += (size_t)done;
    else if (errno != EINTR)
      out->failed = true;
  }
  out->len = 0;
}

static void put(struct out *out, const char *text, size_t len) {
  while (len) {
    if (out->len == sizeof out->bytes)
      flush(out);
    size_t room = sizeof out->bytes - out->len, part = len < room ? len : room;
    memcpy(out->bytes + out->len, text, part);
    out->len += part;
    text += part;
    len -= part;
  }
}

static void puts_(struct out *out, const char *text) {
  put(out, text, strlen(text));
}

static void put_number(struct out *out, uint64_t number) {
  char digits[20];
  size_t at = sizeof digits;
  do
    digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  put(out, digits + at, sizeof digits - at);
}

static void put_hex(struct out *out, uint64_t number) {
  char digits[16];
  size_t at = sizeof digits;
  do
    digits[--at] = "0123456789abcdef"[number % 16];
  while (number /= 16);
  puts_(out, "\"0x");
  put(out, digits + at, sizeof digits - at);
  puts_(out, "\"");
}

/* The length of the UTF-8 character at TEXT, 0 if it is none. */
static size_t utf8(const unsigned char *text) {
  size_t len = text[0] < 0x80   ? 1
               : text[0] < 0xc2 ? 0
               : text[0] < 0xe0 ? 2
               : text[0] < 0xf0 ? 3
               : text[0] < 0xf5 ? 4
                                : 0;
  for (size_t i = 1; i < len; i++)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  if ((text[0] == 0xe0 && text[1] < 0xa0) ||
      (text[0] == 0xed && text[1] >= 0xa0) ||
      (text[0] == 0xf0 && text[1] < 0x90) ||
      (text[0] == 0xf4 && text[1] >= 0x90))
    return 0;
  return len;
}

/* JSON's form; bytes that are no characters are replaced by `?`. */
static void put_string(struct out *out, const char *text) {
  puts_(out, "\"");
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    size_t len = utf8(at);
    if (!len || *at == 0x7f) {
      puts_(out, "?");
      len = 1;
    } else if (*at == '"' || *at == '\\') {
      put(out, (const char[]){'\\', (char)*at}, 2);
    } else if (*at < 0x20) {
      puts_(out, "\\u00");
      put(out, &"0123456789abcdef"[*at / 16], 1);
      put(out, &"0123456789abcdef"[*at % 16], 1);
    } else {
      put(out, (const char *)at, len);
    }
    at += len;
  }
  puts_(out, "\"");
}

static void put_bytes(struct out *out, const uint8_t *bytes, size_t len) {
  puts_(out, "\"");
  for (size_t i = 0; i < len; i++) {
    put(out, &"0123456789abcdef"[bytes[i] / 16], 1);
    put(out, &"0123456789abcdef"[bytes[i] % 16], 1);
  }
  puts_(out, "\"");
}

static void key_string(struct out *out, const char *key, const char *text) {
  puts_(out, key);
  put_string(out, text);
}

static void key_number(struct out *out, const char *key, uint64_t number) {
  puts_(out, key);
  put_number(out, number);
}

/* ---- The document ---- */

/* Where calls of module NUMBER lead out of it, as far as they were met; a
 * callee may be there several times. */
static void put_imports(struct out *out, uint32_t number,
                        const struct cca_client_module *m) {
  const char *last = NULL; /* of one module, equal strings are one */
  puts_(out, ", \"imports\": [");
  for (uint32_t i = 0; i < m->sites; i++) {
    struct cca_client_site site;
    /* The tables may be copies of another process's, and say anything. */
    if (cca_client_site(m->first_site + i, &site) != CCA_OK ||
        site.module != number || site.row != i || !site.imported)
      continue;
    bool unmet = !strcmp(site.binding, "unmet");
    if (site.callee == last && unmet)
      continue;
    key_string(out, last ? ", {\"symbol\": " : "{\"symbol\": ", site.callee);
    last = site.callee;
    key_string(out, ", \"binding\": ", site.binding);
    if (site.definer != CCA_CLIENT_NONE)
      key_number(out, ", \"module\": ", site.definer);
    puts_(out, "}");
  }
  puts_(out, "]");
}

static void put_modules(struct out *out) {
  puts_(out, ",\n\"modules\": [");
  struct cca_client_module m;
  for (uint32_t i = 0; cca_client_module(i, &m) == CCA_OK; i++) {
    key_string(out, i ? ",\n  {\"path\": " : "\n  {\"path\": ", m.path);
    puts_(out, ", \"bias\": ");
    put_hex(out, m.bias);
    puts_(out, ", \"build_id\": ");
    put_bytes(out, m.build_id, m.build_id_size);
    key_string(out, ", \"classified\": ", m.classified);
    key_number(out, ", \"sites\": ", m.sites);
    key_number(out, ", \"missing\": ", m.missing);
    key_number(out, ", \"functions\": ", m.functions);
    if (!strcmp(m.classified, "yes"))
      put_imports(out, i, &m);
    puts_(out, m.closed ? ", \"closed\": true}" : ", \"closed\": false}");
  }
  puts_(out, "\n]");
}

static void put_site(struct out *out, uint32_t number,
                     const struct cca_client_site *s) {
  struct cca_client_type type;
  key_number(out, ", \"site\": ", s->row);
  key_string(out, ", \"class\": ", s->site_class);
  puts_(out, ", \"types\": [");
  for (uint32_t i = 0; cca_client_site_type(number, i, &type) == CCA_OK; i++) {
    key_string(out, i ? ", {\"name\": " : "{\"name\": ", type.name);
    puts_(out, ", \"identity\": ");
    put_hex(out, type.identity);
    key_number(out, ", \"size\": ", type.size);
    puts_(out, "}");
  }
  key_string(out, "], \"shape\": ", s->shape);
  key_number(out, ", \"header\": ", s->header);
  key_string(out, ", \"file\": ", s->file);
  key_number(out, ", \"line\": ", s->line);
  key_number(out, ", \"column\": ", s->column);
  key_string(out, ", \"function\": ", s->function);
  key_string(out, ", \"callee\": ", s->callee);
  key_string(out, ", \"reason\": ", s->reason);
}

static void put_labels(struct out *out) {
  puts_(out, ",\n\"labels\": [");
  struct cca_client_counts sum;
  bool first = true;
  for (uint32_t i = 0; cca_client_site_counts(i, &sum) == CCA_OK; i++) {
    struct cca_client_site site;
    if ((!sum.objects && !sum.bytes) || cca_client_site(i, &site) != CCA_OK)
      continue;
    key_number(
        out, first ? "\n  {\"objects\": " : ",\n  {\"objects\": ", sum.objects);
    first = false;
    key_number(out, ", \"bytes\": ", sum.bytes);
    key_number(out, ", \"freed_objects\": ", sum.freed_objects);
    key_number(out, ", \"freed_bytes\": ", sum.freed_bytes);
    if (site.module == CCA_CLIENT_NONE)
      puts_(out, ", \"module\": null");
    else
      key_number(out, ", \"module\": ", site.module);
    if (site.row != CCA_CLIENT_NONE) {
      put_site(out, i, &site);
    } else {
      puts_(out, ", \"address\": ");
      put_hex(out, site.address);
      key_string(out, ", \"reason\": ", site.unknown);
      if (site.inside != CCA_CLIENT_NONE)
        key_number(out, ", \"inside\": ", site.inside);
    }
    puts_(out, "}");
  }
  puts_(out, "\n]");
}

static void put_document(struct out *out, const struct cca_snapshot *s) {
  static const char *const moments[] = {"exit", "signal", "interval"};
  key_number(out, "{\"snapshot\": 1, \"pid\": ", (uint64_t)s->pid);
  key_number(out, ", \"parent\": ", (uint64_t)s->parent);
  key_number(out, ", \"number\": ", s->number);
  key_string(out, ", \"moment\": ", moments[s->moment]);
  put_modules(out);
  put_labels(out);
  puts_(out, "}\n");
  flush(out);
}

int cca_snapshot_write(const char *folder,
                       const struct cca_snapshot *snapshot) {
  int saved = errno, status = -1;
  char name[48], part[56];
  snprintf(name, sizeof name, "%ld.%u%s", (long)snapshot->pid, snapshot->number,
           snapshot->moment == CCA_MOMENT_INTERVAL ? ".interval" : "");
  snprintf(part, sizeof part, "%s.part", name);
  int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int file =
      at < 0
          ? -1
          : openat(at, part,
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file >= 0) {
    struct out out = {.file = file};
    put_document(&out, snapshot);
    status = close(file) < 0 || out.failed || renameat(at, part, at, name) < 0
                 ? -1
                 : 0;
    if (status < 0)
      unlinkat(at, part, 0);
  }
  if (at >= 0)
    close(at);
  errno = saved;
  return status;
}

void cca_snapshot_say(const char *folder, const char *what, const char *text,
                      size_t len, int how) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/%ld.%s", folder, (long)getpid(), what);
  int file =
      open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | how, 0600);
  if (file < 0)
    return;
  if (write(file, text, len) != (ssize_t)len)
    unlink(path);
  close(file);
}
