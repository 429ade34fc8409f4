/* SPDX-License-Identifier: MIT */
/*
 * promote.h -- LLVM's pass that makes values of locals.
 */
#ifndef CCA_PROMOTE_H
#define CCA_PROMOTE_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * In all functions of MODULE, locals become values, and local records fall into
 * their members; no basic block comes or goes.  NULL, or why it was not done;
 * never freed.
 */
const char *cca_promote(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif

#endif
