// SPDX-License-Identifier: MIT
//
// own-clang.cpp -- clang's driver and front end, linked into the analyser.
//
// In:    clang's own command line, as preprocess.c and lower.c make it, in a
//        child of the analyser that is there for nothing else.
// Out:   what clang would write: the same text, the same module.
// Holds: whatever is not one run of the preprocessor or of the front end up
//        to bitcode, and whatever the driver has something to say about, is
//        left to the installed clang.
//
// Why: a clang that is executed spends 15 ms on relocating and constructing
// all of libclang-cpp and libLLVM before main(), twice for every C file, and
// even one that is linked statically 12 ms on being mapped and constructed; a
// child that was forked has all that.  clang has no C API that makes modules,
// hence the one file of C++.  No code generator is linked: bitcode needs none.
//
#include "analysis/own-clang.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/Stack.h"
#include "clang/CodeGen/BackendUtil.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Tool.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace clang;

// All that the generator of modules has of clang's back end, for offloading to
// other processors: what is not here is not linked, and with it all passes.
void clang::EmbedObject(llvm::Module *, const CodeGenOptions &,
                        DiagnosticsEngine &) {}

namespace {

// The files as they are, but for those that can be read only once: they are the
// compiler's, which reads them beside us.
class Files : public llvm::vfs::ProxyFileSystem {
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &twine) override {
    llvm::SmallString<256> path;
    struct stat status;
    twine.toVector(path);
    if (stat(path.c_str(), &status) != 0)
      return std::error_code(errno, std::generic_category());
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode) &&
        path != "/dev/null") {
      llvm::errs() << path << ":1:1: error: only the compiler can read it\n";
      return std::make_error_code(std::errc::no_such_file_or_directory);
    }
    return ProxyFileSystem::openFileForRead(path);
  }
};

// What EmitBCAction does without passes.  That one would link all passes, each
// of which has options that are constructed before main().
class BitcodeAction : public ASTFrontendAction {
  llvm::LLVMContext context;
  CodeGenerator *generator = nullptr; // owned by the instance, as its consumer
  std::unique_ptr<llvm::raw_pwrite_stream> out;

  std::unique_ptr<ASTConsumer>
  CreateASTConsumer(CompilerInstance &instance, llvm::StringRef file) override {
    out = instance.createDefaultOutputFile(true, file, "bc");
    if (!out)
      return nullptr;
    generator = CreateLLVMCodeGen(
        instance.getDiagnostics(), file, &instance.getVirtualFileSystem(),
        instance.getHeaderSearchOpts(), instance.getPreprocessorOpts(),
        instance.getCodeGenOpts(), context);
    return std::unique_ptr<ASTConsumer>(generator);
  }

  void EndSourceFileAction() override {
    const CompilerInstance &instance = getCompilerInstance();
    llvm::Module *module = generator->GetModule();
    if (!module || instance.getDiagnostics().hasErrorOccurred())
      return;
    if (instance.getCodeGenOpts().VerifyModule &&
        llvm::verifyModule(*module, &llvm::errs()))
      llvm::report_fatal_error("broken module");
    llvm::WriteBitcodeToFile(*module, *out,
                             instance.getCodeGenOpts().EmitLLVMUseLists);
    out.reset(); // which writes it
  }
};

} // namespace

static std::unique_ptr<FrontendAction> actionOf(frontend::ActionKind kind) {
  if (kind == frontend::PrintPreprocessedInput)
    return std::make_unique<PrintPreprocessedAction>();
  if (kind == frontend::EmitBC)
    return std::make_unique<BitcodeAction>();
  return nullptr;
}

// Status of the run, or -1 if it is none for us; nothing is written then.
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
  instance->createFileManager(createVFSFromCompilerInvocation(
      *invocation, instance->getDiagnostics(),
      new Files(llvm::vfs::getRealFileSystem())));
  bool done = instance->ExecuteAction(*action.release());
  llvm::outs().flush();
  return !done;
}

void cca_own_clang(int argc, const char *const *argv) {
  noteBottomOfStack();
  llvm::SmallVector<const char *, 64> args(argv, argv + argc);
  args[0] = CCA_CLANG;
  int status = run(args);
  if (status >= 0)
    _exit(status);
}
