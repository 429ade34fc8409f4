/* SPDX-License-Identifier: MIT */
/*
 * join.h -- cca-analyze --join OBJECT SUMMARY.
 */
#ifndef CCA_JOIN_H
#define CCA_JOIN_H

/*
 * Learn where the calls of the table in the file SUMMARY are in OBJECT's code,
 * and replace the file by one that says so.  Returns 0, or 1 with the file as
 * it was.
 */
int cca_join(const char *object, const char *summary);

#endif
