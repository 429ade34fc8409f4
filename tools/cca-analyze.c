/* SPDX-License-Identifier: MIT */
/*
 * cca-analyze -- one C source in, one summary out.
 *
 *     cca-analyze --c|--cpp-output --object foo.o foo.c ARGUMENT...
 *     cca-analyze --c|--cpp-output --summary FILE foo.c ARGUMENT...
 *     cca-analyze --join foo.o FILE
 *     cca-analyze --locate OUTPUT WANTED FOUND
 *
 * The arguments are those that cca_command_parse() kept.  cc-allocs runs this
 * beside the compiler.  With --object the summary waits until a byte on the
 * standard input says that the compiler has made the object, then learns where
 * its calls are in the code, and is attached; the end of the input says that
 * there will be no object.  With --summary it is written to a file at once, and
 * --join adds to such a file where its calls are in an object: the link calls
 * it, when the object is there.  --locate looks for calls in a finished output,
 * after a link that has made or moved their code.
 *
 * A source that cannot be analysed has a summary that says so.  Nothing is
 * printed: CC_ALLOCS_LOG says what happened.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/attach.h"
#include "analysis/extract.h"
#include "analysis/frontend.h"
#include "analysis/sites.h"
#include "base/file.h"
#include "summaries/table.h"
#include "tools/join.h"
#include "tools/locate.h"
#include "tools/log.h"

#define PRODUCER "cc-allocs " CCA_VERSION

enum { CPU_SECONDS = 600, OBJECT_MAX = 1 << 30 };

struct task {
  struct cca_frontend_source source;
  const char *object, *summary; /* one of them */
};

static bool read_task(struct task *task, int argc, char **argv) {
  if (argc < 5)
    return false;
  task->source.preprocessed = !strcmp(argv[1], "--cpp-output");
  if (!task->source.preprocessed && strcmp(argv[1], "--c"))
    return false;
  if (!strcmp(argv[2], "--object"))
    task->object = argv[3];
  else if (!strcmp(argv[2], "--summary"))
    task->summary = argv[3];
  else
    return false;
  task->source.path = argv[4];
  task->source.args = (const char *const *)argv + 5;
  return true;
}

/* The source's name as debug information has it: the last prefix map that
 * fits is applied. */
static const char *mapped_name(const struct cca_frontend_source *source) {
  static const char *const options[] = {"-ffile-prefix-map=",
                                        "-fdebug-prefix-map="};
  const char *name = source->path;
  for (const char *const *arg = source->args; *arg; arg++)
    for (size_t i = 0; i < 2; i++) {
      size_t len = strlen(options[i]);
      const char *from = *arg + len;
      const char *equal =
          strncmp(*arg, options[i], len) ? NULL : strchr(from, '=');
      if (!equal || strncmp(source->path, from, (size_t)(equal - from)))
        continue;
      struct cca_text mapped = {0};
      cca_text_addf(&mapped, "%s%s", equal + 1, source->path + (equal - from));
      name = mapped.data;
    }
  return name;
}

/* Add to OUT what there is to say of a unit without bitcode. */
static void add_failed_unit(struct cca_builder *out, const char *source,
                            const struct cca_frontend_result *result,
                            const char *reason) {
  struct cca_unit unit = cca_unit_init();
  unit.source = cca_builder_string(out, source);
  unit.producer = cca_builder_string(out, PRODUCER);
  unit.status = CCA_STATUS_FAILED;
  unit.reason = cca_builder_string(out, reason);
  unit.digest = (int64_t)result->digest;
  cca_unit_add(out, unit);
}

/* Why the unit of RESULT is partial; OUT stays empty if it is not. */
static void say_what_is_lost(const struct cca_frontend_result *result,
                             struct cca_text *out) {
  if (result->dropped)
    cca_text_addf(out, "%zu of %zu marks were refused by clang",
                  result->dropped, result->marks);
  if (result->refused.of_layout.len)
    cca_text_addf(out, "%sclang does not know %s: types may have other sizes",
                  out->len ? "; " : "", result->refused.of_layout.data);
}

/* Source to rows: the front end, then the extraction. */
static struct cca_builder *summarise(const struct task *task) {
  const char *name = mapped_name(&task->source);
  struct cca_builder *out = cca_builder_new(&cca_summary_schema);
  struct cca_frontend_result front;
  if (cca_frontend_run(&task->source, &front) != 0) {
    cca_log("cca-analyze: %s: failed: %s", name, front.reason.data);
    add_failed_unit(out, name, &front, front.reason.data);
    cca_frontend_release(&front);
    return out;
  }
  char why[256] = "", folder[4096];
  struct cca_text partly = {0};
  say_what_is_lost(&front, &partly);
  if (front.refused.options.len)
    cca_log("cca-analyze: %s: without %s, which clang refuses", name,
            front.refused.options.data);
  struct cca_extract_request request = {
      .bitcode = front.bitcode.data,
      .bitcode_len = front.bitcode.len,
      .source = name,
      .folder = getcwd(folder, sizeof folder),
      .producer = PRODUCER,
      .status = partly.len ? CCA_STATUS_PARTIAL : CCA_STATUS_OK,
      .reason = partly.len ? partly.data : "",
      .marks = (uint32_t)front.marks,
      .dropped = (uint32_t)front.dropped,
      .digest = front.digest,
  };
  if (cca_extract(&request, out, why, sizeof why) != 0) {
    cca_log("cca-analyze: %s: failed: %s", name, why);
    add_failed_unit(out, name, &front, why);
  } else {
    cca_log("cca-analyze: %s: %zu marks, %zu dropped", name, front.marks,
            front.dropped);
  }
  cca_text_release(&partly);
  cca_frontend_release(&front);
  return out;
}

/* The table file of the rows in BUILDER; false, and a line in the log, if they
 * break the format. */
static bool finish(struct cca_builder *builder, const struct task *task,
                   struct cca_text *image) {
  struct cca_table_error err;
  image->len = 0;
  if (cca_builder_finish(builder, image, &err) == CCA_TABLE_OK)
    return true;
  cca_log("cca-analyze: %s: bad summary: %s", task->source.path, err.text);
  return false;
}

/* Wait until the compiler is done; false if it has failed. */
static bool wait_for_object(void) {
  char byte;
  ssize_t got;
  while ((got = read(0, &byte, 1)) < 0 && errno == EINTR)
    ;
  return got == 1;
}

/* Add to BUILDER where the calls of its image are in the object. */
static void add_sites(struct cca_builder *builder, const struct task *task,
                      const struct cca_text *image) {
  struct cca_table table;
  struct cca_text object = {0};
  struct cca_site_calls calls = {0};
  struct cca_sites sites;
  if (cca_file_read(task->object, OBJECT_MAX, &object) != 0 ||
      cca_table_open(&table, &cca_summary_schema, image->data, image->len,
                     NULL) != CCA_TABLE_OK) {
    cca_text_release(&object);
    return;
  }
  cca_site_calls_of_table(&calls, &table);
  const char *wrong =
      cca_sites_join(&sites, object.data, object.len, calls.items, calls.count);
  if (wrong)
    cca_log("cca-analyze: %s: no call sites: %s", task->object, wrong);
  else
    cca_log("cca-analyze: %s: %u of %u calls in the code are known",
            task->object, sites.joined_calls, sites.code_calls);
  cca_sites_to_builder(&sites, builder);
  cca_sites_release(&sites);
  cca_vec_release(&calls);
  cca_text_release(&object);
}

static int attach(const struct task *task, const struct cca_text *image) {
  struct cca_attach_error err;
  int status = cca_attach(task->object, image->data, image->len,
                          CCA_ATTACH_REPLACE, &err);
  if (status != CCA_ATTACH_OK)
    cca_log("cca-analyze: %s: not attached: %s", task->object, err.text);
  return status == CCA_ATTACH_OK ? 0 : 1;
}

/* Whoever waits for the file finds it whole or not at all. */
static int publish(const struct task *task, const struct cca_text *image) {
  struct cca_text name = {0};
  cca_text_addf(&name, "%s.new", task->summary);
  FILE *file = fopen(name.data, "wbx");
  bool ok = file && fwrite(image->data, 1, image->len, file) == image->len;
  if (file && fclose(file) != 0)
    ok = false;
  if (ok)
    ok = rename(name.data, task->summary) == 0;
  if (!ok) {
    cca_log("cca-analyze: %s: %s", task->summary, strerror(errno));
    if (file)
      unlink(name.data);
  }
  cca_text_release(&name);
  return ok ? 0 : 1;
}

/* Has the source changed since STATUS was taken? */
static bool has_changed(const char *path, const struct stat *old) {
  struct stat now;
  return stat(path, &now) != 0 || now.st_ino != old->st_ino ||
         now.st_size != old->st_size ||
         now.st_mtim.tv_sec != old->st_mtim.tv_sec ||
         now.st_mtim.tv_nsec != old->st_mtim.tv_nsec;
}

/* End when there is no compiler any more, or when it takes too long; and read
 * no pipe that the compiler is to read (#include "/dev/fd/3"). */
static void be_nobodys_burden(void) {
  sigset_t none;
  sigemptyset(&none);
  signal(SIGTERM, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
  prctl(PR_SET_PDEATHSIG, SIGTERM); /* which attach.c can put off */
  signal(SIGXFSZ, SIG_IGN);         /* a file that is too long: clean up */
  struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS + 5}, core = {0, 0};
  setrlimit(RLIMIT_CPU, &cpu);
  setrlimit(RLIMIT_CORE, &core);
  close_range(3, ~0u, 0);
}

static int run(int argc, char **argv) {
  struct task task = {0};
  if (argc > 1 && (!strcmp(argv[1], "--join") || !strcmp(argv[1], "--locate")))
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* before that, their files are gone */
  if (argc == 4 && !strcmp(argv[1], "--join"))
    return cca_join(argv[2], argv[3]);
  if (argc == 5 && !strcmp(argv[1], "--locate"))
    return cca_locate(argv[2], argv[3], argv[4]);
  if (!read_task(&task, argc, argv))
    return 2;
  be_nobodys_burden();

  struct stat before;
  if (stat(task.source.path, &before) != 0)
    return 1;
  struct cca_builder *builder = summarise(&task);
  struct cca_text image = {0};
  if (!finish(builder, &task, &image))
    return 1;
  if (task.object && !wait_for_object())
    return 0;
  /* From here on the compiler has read the source, and so have we: the same? */
  if (has_changed(task.source.path, &before)) {
    cca_log("cca-analyze: %s: changed while it was compiled", task.source.path);
    return 1;
  }
  if (task.summary)
    return publish(&task, &image);
  add_sites(builder, &task, &image);
  return finish(builder, &task, &image) ? attach(&task, &image) : 1;
}

/* LLVM's options alone take a millisecond to be destroyed. */
int main(int argc, char **argv) { _exit(run(argc, argv)); }
