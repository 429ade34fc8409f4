/* SPDX-License-Identifier: MIT */
/*
 * snapshot.c -- labels and counters as JSON; see snapshot.h.
 *
 * In:  cca_labels, cca_counters, and the rows of classifications that they
 *      lead to.
 * Out: one document in a file.  Here nothing is added up or sorted: that is
 *      done by those who read it, outside of the user's process.
 */
#include "snapshot.h"

#include "bindings.h"
#include "labels.h"
#include "modules.h"

#include <errno.h>
#include <fcntl.h>
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

/* What was met of the call of site I of M; the tables may be copies of another
 * process's, and say anything. */
static struct cca_label met(const struct cca_loaded *m, uint32_t i) {
  struct cca_label label = {.binding = CCA_BINDING_UNMET};
  uint64_t number = (uint64_t)m->first_label + i;
  if (number < cca_load(&cca_label_numbers)) {
    label.binding = cca_load_acquire(&cca_labels[number].binding);
    label.definer = cca_load(&cca_labels[number].definer);
  }
  if (label.binding > CCA_BINDING_ALLOCATES)
    label.binding = CCA_BINDING_UNMET;
  return label;
}

/* Where calls of M, which is classified, lead out of it, as far as they were
 * met; a callee may be there several times. */
static void put_imports(struct out *out, const struct cca_loaded *m) {
  static const char *const words[] = {
      [CCA_BINDING_UNMET] = "unmet",     [CCA_BINDING_UNBOUND] = "unbound",
      [CCA_BINDING_UNKNOWN] = "unknown", [CCA_BINDING_SILENT] = "silent",
      [CCA_BINDING_NO] = "no",           [CCA_BINDING_ALLOCATES] = "allocates",
  };
  const struct cca_table *t = &m->table;
  uint32_t last = 0; /* the empty string */
  puts_(out, ", \"imports\": [");
  for (uint32_t i = 0; i < cca_allocsite_count(t); i++) {
    struct cca_allocsite site = cca_allocsite_at(t, i);
    struct cca_label label = met(m, i);
    if (!(site.flags & CCA_ALLOCSITE_FLAGS_IMPORTED) ||
        (site.callee == last && label.binding == CCA_BINDING_UNMET))
      continue;
    key_string(out, last ? ", {\"symbol\": " : "{\"symbol\": ",
               cca_table_string(t, site.callee));
    last = site.callee;
    key_string(out, ", \"binding\": ", words[label.binding]);
    if (label.binding != CCA_BINDING_UNMET && label.definer != CCA_NO_MODULE)
      key_number(out, ", \"module\": ", label.definer);
    puts_(out, "}");
  }
  puts_(out, "]");
}

static uint32_t count_allocators(const struct cca_table *t) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < cca_alloc_count(t); i++)
    count += cca_alloc_at(t, i).kind <= CCA_KIND_FACTORY;
  return count;
}

static void put_modules(struct out *out) {
  static const char *const words[CCA_CLASSIFIED_KINDS] = {
      [CCA_CLASSIFIED_NO] = "no",         [CCA_CLASSIFIED_YES] = "yes",
      [CCA_CLASSIFIED_BROKEN] = "broken", [CCA_CLASSIFIED_OLDER] = "older",
      [CCA_CLASSIFIED_NEWER] = "newer",
  };
  puts_(out, ",\n\"modules\": [");
  uint32_t count = cca_load_acquire(&cca_module_numbers);
  for (uint32_t i = 0; i < count; i++) {
    const struct cca_loaded *m = &cca_modules[i];
    key_string(out, i ? ",\n  {\"path\": " : "\n  {\"path\": ", m->path);
    puts_(out, ", \"bias\": ");
    put_hex(out, m->bias);
    puts_(out, ", \"build_id\": ");
    put_bytes(out, m->build_id, m->build_id_len);
    key_string(out, ", \"classified\": ", words[m->classified]);
    bool yes = m->classified == CCA_CLASSIFIED_YES;
    key_number(out, ", \"sites\": ", yes ? cca_allocsite_count(&m->table) : 0);
    key_number(out, ", \"missing\": ", yes ? cca_missing_count(&m->table) : 0);
    key_number(out, ", \"functions\": ", yes ? count_allocators(&m->table) : 0);
    if (yes)
      put_imports(out, m);
    puts_(out, m->gone ? ", \"closed\": true}" : ", \"closed\": false}");
  }
  puts_(out, "\n]");
}

static void put_type(struct out *out, const struct cca_table *t, uint32_t row) {
  struct cca_type type = cca_type_at(t, row);
  key_string(out, "{\"name\": ", cca_table_string(t, type.name));
  puts_(out, ", \"identity\": ");
  put_hex(out, (uint64_t)type.identity);
  key_number(out, ", \"size\": ", type.size > 0 ? (uint64_t)type.size : 0);
  puts_(out, "}");
}

static void put_site(struct out *out, const struct cca_loaded *m,
                     uint32_t row) {
  const struct cca_table *t = &m->table;
  struct cca_allocsite s = cca_allocsite_at(t, row);
  key_number(out, ", \"site\": ", row);
  /* What is open has a label only where it is a site. */
  key_string(out, ", \"class\": ",
             cca_site_class_name(s.class == CCA_SITE_CLASS_OPEN
                                     ? CCA_SITE_CLASS_TYPED
                                     : s.class));
  puts_(out, ", \"types\": [");
  if (s.shape == CCA_SIZE_SHAPE_SEVERAL) {
    for (uint32_t i = 0; i < s.types_count; i++) {
      puts_(out, i ? ", " : "");
      put_type(out, t, cca_count_at(t, s.types_first + i).of);
    }
  } else if (s.of != CCA_NONE) {
    put_type(out, t, s.of);
  }
  key_string(out, "], \"shape\": ", cca_size_shape_name(s.shape));
  key_number(out, ", \"header\": ", s.header > 0 ? (uint64_t)s.header : 0);
  key_string(out, ", \"file\": ",
             s.file == CCA_NONE
                 ? ""
                 : cca_table_string(t, cca_file_at(t, s.file).name));
  key_number(out, ", \"line\": ", s.line);
  key_number(out, ", \"column\": ", s.column);
  key_string(out, ", \"function\": ", cca_table_string(t, s.function));
  key_string(out, ", \"callee\": ", cca_table_string(t, s.callee));
  key_string(out, ", \"reason\": ", cca_table_string(t, s.reason));
}

static const char *const reasons[CCA_REASONS] = {
    [CCA_REASON_NONE] = "",
    [CCA_REASON_NO_SITE] = "no-site",
    [CCA_REASON_UNLISTED] = "unlisted",
    [CCA_REASON_AMBIGUOUS] = "ambiguous",
    [CCA_REASON_INSIDE] = "inside",
    [CCA_REASON_NO_UNWIND] = "no-unwind",
    [CCA_REASON_SIGNAL] = "signal",
    [CCA_REASON_DEEP] = "deep",
    [CCA_REASON_BROKEN] = "broken",
    [CCA_REASON_SIZE] = "size",
};

static void put_labels(struct out *out) {
  puts_(out, ",\n\"labels\": [");
  uint32_t count = cca_load_acquire(&cca_label_numbers);
  bool first = true;
  for (uint32_t i = 0; i < count; i++) {
    struct cca_counter sum = cca_labels_sum(i);
    if (!sum.objects && !sum.bytes)
      continue;
    struct cca_label label = cca_labels[i];
    key_number(
        out, first ? "\n  {\"objects\": " : ",\n  {\"objects\": ", sum.objects);
    first = false;
    key_number(out, ", \"bytes\": ", sum.bytes);
    key_number(out, ", \"freed_objects\": ", sum.freed_objects);
    key_number(out, ", \"freed_bytes\": ", sum.freed_bytes);
    if (label.module == CCA_NO_MODULE)
      puts_(out, ", \"module\": null");
    else
      key_number(out, ", \"module\": ", label.module);
    if (label.reason == CCA_REASON_NONE && label.module != CCA_NO_MODULE) {
      put_site(out, &cca_modules[label.module], (uint32_t)label.at);
    } else {
      puts_(out, ", \"address\": ");
      put_hex(out, label.at);
      key_string(out, ", \"reason\": ", reasons[label.reason]);
      if (label.reason == CCA_REASON_INSIDE && label.module != CCA_NO_MODULE)
        key_number(out, ", \"inside\": ", label.inside);
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
