/* SPDX-License-Identifier: MIT */
/*
 * promote.c -- cca_promote() as LLVM's C API has it; see promote.cpp.
 */
#include "analysis/promote.h"

#include <stddef.h>

#include <llvm-c/Transforms/PassBuilder.h>

const char *cca_promote(LLVMModuleRef module) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error =
      LLVMRunPasses(module, "sroa<preserve-cfg>", NULL, options);
  LLVMDisposePassBuilderOptions(options);
  return error ? LLVMGetErrorMessage(error) : NULL;
}
