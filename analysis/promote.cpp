// SPDX-License-Identifier: MIT
//
// promote.cpp -- cca_promote() without LLVM's pass builder, where a C++ compiler
// and LLVM's static libraries are; promote.c elsewhere.
//
// Why: the pass builder, all that the C API has, links every pass that LLVM has,
// and their options are constructed before main(), for every C file.
//
#include "analysis/promote.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;

const char *cca_promote(LLVMModuleRef module) {
  FunctionAnalysisManager analyses;
  analyses.registerPass([] { return PassInstrumentationAnalysis(); });
  analyses.registerPass([] { return DominatorTreeAnalysis(); });
  analyses.registerPass([] { return AssumptionAnalysis(); });
  analyses.registerPass([] { return TargetIRAnalysis(); });
  for (Function &function : *unwrap(module)) {
    if (function.isDeclaration())
      continue;
    PreservedAnalyses kept =
        SROAPass(SROAOptions::PreserveCFG).run(function, analyses);
    analyses.invalidate(function, kept);
  }
  return nullptr;
}
