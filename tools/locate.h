/* SPDX-License-Identifier: MIT */
/*
 * locate.h -- cca-analyze --locate OUTPUT WANTED FOUND.
 */
#ifndef CCA_LOCATE_H
#define CCA_LOCATE_H

/*
 * Look in the linked module OUTPUT for the calls that the file WANTED lists,
 * and write the file FOUND (linker_plugin/wanted.h has both).  Returns 0, or 1
 * without a file FOUND.
 */
int cca_locate(const char *output, const char *wanted, const char *found);

#endif
