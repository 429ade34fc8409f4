// SPDX-License-Identifier: MIT
//
// cca-clang -- clang's driver and front end, linked statically.
//
// In:    clang's own command line, as preprocess.c and lower.c make it.
// Out:   what clang would write: the same text, the same module.
// Holds: whatever is not one run of the preprocessor or of the front end up
//        to bitcode, and whatever the driver has something to say about, is
//        done by the real clang in our place.
//
// Why: a shared clang spends 15 ms on relocating and constructing all of
// libclang-cpp and libLLVM before main(), twice for every C file; the same
// code without a loader begins at once.  clang has no C API that makes
// modules, hence the one file of C++.  No code generator is linked: bitcode
// needs none.
//
#include <unistd.h>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/Stack.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Tool.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace clang;

// LLVM's pass pipelines name their extension Polly; we run no pass.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "", [](llvm::PassBuilder &) {}};
}

static std::unique_ptr<FrontendAction> actionOf(frontend::ActionKind kind) {
  if (kind == frontend::PrintPreprocessedInput)
    return std::make_unique<PrintPreprocessedAction>();
  if (kind == frontend::EmitBC)
    return std::make_unique<EmitBCAction>();
  return nullptr;
}

// Status of the run, or -1 if it is none for us.
static int run(llvm::ArrayRef<const char *> args) {
  llvm::IntrusiveRefCntPtr<DiagnosticIDs> ids(new DiagnosticIDs);
  llvm::IntrusiveRefCntPtr<DiagnosticOptions> options(new DiagnosticOptions);
  auto *said = new TextDiagnosticBuffer;
  DiagnosticsEngine diagnostics(ids, options, said);

  driver::Driver driver(CCA_CLANG, llvm::sys::getDefaultTargetTriple(),
                        diagnostics);
  std::unique_ptr<driver::Compilation> plan(driver.BuildCompilation(args));
  if (!plan || plan->containsError() || diagnostics.hasErrorOccurred() ||
      plan->getJobs().size() != 1)
    return -1;
  const driver::Command &job = *plan->getJobs().begin();
  llvm::ArrayRef<const char *> job_args = job.getArguments();
  if (llvm::StringRef(job.getCreator().getName()) != "clang" ||
      job_args.empty() || llvm::StringRef(job_args[0]) != "-cc1")
    return -1;

  auto invocation = std::make_shared<CompilerInvocation>();
  if (!CompilerInvocation::CreateFromArgs(*invocation, job_args.drop_front(),
                                          diagnostics, CCA_CLANG))
    return -1;
  auto action = actionOf(invocation->getFrontendOpts().ProgramAction);
  if (!action)
    return -1;
  // Never freed: the process is about to end.
  auto *instance = new CompilerInstance;
  instance->setInvocation(invocation);
  instance->createDiagnostics();
  if (!instance->hasDiagnostics())
    return -1;
  bool done = instance->ExecuteAction(*action.release());
  llvm::outs().flush();
  return !done;
}

int main(int argc, char **argv) {
  noteBottomOfStack();
  llvm::SmallVector<const char *, 64> args(argv, argv + argc);
  args[0] = CCA_CLANG;
  int status = run(args);
  if (status >= 0)
    _exit(status);
  args.push_back(nullptr);
  execv(CCA_CLANG, const_cast<char *const *>(args.data()));
  _exit(127);
}
