/* SPDX-License-Identifier: MIT */
/*
 * attach.h -- put a summary into the object that the user's compiler made.
 *
 *     cca_attach("foo.o", summary.data, summary.len, 0, &err);
 *
 * Whatever goes wrong, the object is either as the compiler left it or
 * complete with its summary, and nothing else lies beside it.  That the object
 * is the work of this very run, and no old one, is for the caller to know.
 */
#ifndef CCA_ATTACH_H
#define CCA_ATTACH_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "base/text.h"

enum cca_attach_status {
  CCA_ATTACH_OK = 0,
  /* Not a regular file, or neither ET_REL nor bitcode; or it is gone.  Nothing
   * is wrong: there is just nothing to attach to. */
  CCA_ATTACH_NOT_OURS = -1,
  CCA_ATTACH_BITCODE = -2, /* LLVM bitcode to which nothing can be added */
  CCA_ATTACH_HAS_ONE = -3, /* the object has a summary already */
  CCA_ATTACH_CORRUPT = -4, /* the object breaks a rule of ELF */
  CCA_ATTACH_IO = -5,      /* reading or writing failed: see error */
};

enum cca_attach_flags {
  CCA_ATTACH_REPLACE = 1u << 0, /* an old summary is superseded */
};

struct cca_attach_error {
  int status; /* enum cca_attach_status */
  int error;  /* errno, or 0 */
  char text[160];
};

/*
 * Append the LEN bytes of SUMMARY to OBJECT as its section .cc_allocs, or as a
 * block of bitcode.
 *
 * A symbolic link stays one; other hard links keep the old content; owner,
 * group and mode are kept.  Returns CCA_ATTACH_OK, or a negative
 * cca_attach_status with *ERR filled (ERR may be NULL).
 */
int cca_attach(const char *object, const void *summary, size_t len,
               unsigned flags, struct cca_attach_error *err);

/*
 * Remove what process WRITER may have left beside OBJECT, if it was killed with
 * SIGKILL in cca_attach(): no other signal comes there.  SINCE, from time(), is
 * no later than its start.
 */
void cca_attach_clean(const char *object, pid_t writer, time_t since);

/*
 * The same in memory: patches the header in the IMAGE_LEN bytes of IMAGE and
 * adds to TAIL what must follow them.  On failure IMAGE is as it was.
 */
int cca_attach_image(unsigned char *image, size_t image_len,
                     const void *summary, size_t len, unsigned flags,
                     struct cca_text *tail, struct cca_attach_error *err);

#endif
