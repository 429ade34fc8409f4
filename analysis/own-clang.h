/* SPDX-License-Identifier: MIT */
/*
 * own-clang.h -- the clang that is linked into the analyser, where clang's
 * static libraries were found when it was built.
 */
#ifndef CCA_OWN_CLANG_H
#define CCA_OWN_CLANG_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Be clang, with the ARGC words of ARGV as its command line: ends the process
 * with clang's status.  Returns, with nothing read or written, if this is no
 * job for us, and the installed clang is to be executed instead.
 *
 * To be called once in a process, which is then good for nothing else.  NULL
 * where it is not linked.
 */
__attribute__((weak)) void cca_own_clang(int argc, const char *const *argv);

#ifdef __cplusplus
}
#endif

#endif
