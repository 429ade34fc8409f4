# SPDX-License-Identifier: MIT
"""peers.py -- what others find, without us, in the units of a build.

In:   the compilations of a build (commands.py).
Out:  for each peer, the functions that it takes for allocation functions, with
      the size arguments that it names.

  gcc          -Wsuggest-attribute=malloc, with the build's own arguments, but
               for -fPIC, with which it thinks that all functions are replaced.
  LLVM         `noalias` results that it infers (function-attrs), bottom up in
               each unit; what people wrote is taken out first, but for libc's.
  names        the heuristic of CodeQL: the name has "alloc" in it, a pointer is
               returned, and exactly one parameter is an unsigned integer.
  annotations  `malloc` and `alloc_size`, as people wrote them.

The last three come from one compilation to unoptimised IR, in which there are
all functions of a unit, those too that would be inlined.  All look at one unit at
a time, and that is all that they can do.
"""

import concurrent.futures
import os
import re
import subprocess

NAMES = {"gcc": "gcc -Wsuggest-attribute=malloc", "llvm": "LLVM noalias",
         "names": "names with alloc", "annotations": "annotations"}
CLANG, OPT = "clang-19", "opt-19"
PASSES = ("inferattrs,function(sroa,early-cse,instcombine,simplifycfg),"
          "cgscc(function-attrs)")
FUNCTION = re.compile(r'^(define|declare) (.*?)@(?:"([^"]+)"|([\w.$-]+))\((.*)$',
                      re.M)
NODE = re.compile(r"^(![0-9]+) = (?:distinct )?(!.*)$", re.M)
UNSIGNED = {"DW_ATE_unsigned", "DW_ATE_unsigned_char"}


def run(words, folder, text=None):
    """Out: standard output and error of a program that must not ask anything."""
    done = subprocess.run(words, cwd=folder, input=text, text=True,
                          errors="replace", capture_output=True,
                          env=dict(os.environ, LC_ALL="C"), check=False)
    return (done.stdout if done.returncode == 0 else ""), done.stderr


def ask_gcc(command):
    """Out: names of the functions for which gcc suggests the attribute."""
    words, skip = [], False
    for word in command.args:
        if skip or word in ("-o", "-MF", "-MT", "-MQ"):
            skip = not skip
        elif not word.lower().startswith("-fpic") and not word.startswith(
                ("-M", "-Werror", "-flto", "-w", "-o")):
            words.append(word)
    words = [word for word in words if word != "-c"]
    words += ["-S", "-g0", "-o", "/dev/null", "-fno-lto",
              "-fno-diagnostics-color", "-Wsuggest-attribute=malloc"]
    name = command.name if "clang" not in command.name else "gcc"
    _, said = run([name, *words], command.folder)
    found, function = set(), None
    for line in said.splitlines():
        if (context := re.search(r": In function '([^']+)':$", line)):
            function = context[1]
        elif line.endswith("[-Wsuggest-attribute=malloc]") and function:
            found.add(function)
    return found


def attributes(text):
    """Out: of each attribute group, the text."""
    return dict(re.findall(r"^attributes (#[0-9]+) = \{ (.*) \}$", text, re.M))


def unsigned_parameters(name, nodes, by_name):
    """Out: the parameters of function NAME that are unsigned integers."""
    def field(node, key):
        found = re.search(rf"\b{key}: ([^,)]+)", nodes.get(node, ""))
        return found[1] if found else None

    types = field(field(by_name.get(name), "type"), "types")
    listed = re.findall(r"![0-9]+|null", nodes.get(types, ""))
    result = []
    for index, node in enumerate(listed[1:]):
        while "DIDerivedType" in nodes.get(node, "") and re.search(
                "DW_TAG_(typedef|const_type|volatile_type)", nodes[node]):
            node = field(node, "baseType")
        if "DIBasicType" in nodes.get(node, "") and (
                field(node, "encoding") in UNSIGNED):
            result.append(index)
    return result


def ask_clang(command):
    """Out: for the three other peers, {function: size arguments}, and what is
    defined; None if clang does not compile it."""
    ir, _ = run([CLANG, "-w", "-Qunused-arguments", *command.meaning, "-g", "-O0",
                 "-Xclang", "-disable-O0-optnone", "-S", "-emit-llvm", "-o", "-",
                 command.compiles()], command.folder)
    if not ir:
        return None
    groups = attributes(ir)
    nodes = dict(NODE.findall(ir))
    by_name = {}
    for node, text in nodes.items():
        if text.startswith("!DISubprogram("):
            name = re.search(r'\bname: "([^"]+)"', text)
            if name:
                by_name[name[1]] = node
    result = {"llvm": {}, "names": {}, "annotations": {}, "defined": []}
    for kind, before, quoted, plain, after in FUNCTION.findall(ir):
        name = quoted or plain
        said = " ".join(groups.get(g, "") for g in re.findall(r"#[0-9]+", after))
        size = re.search(r"allocsize\(([0-9, ]+)\)", said)
        if size or "noalias" in before.split():
            result["annotations"][name] = (
                [int(n) for n in size[1].split(",")] if size else [])
        if kind == "define":
            result["defined"].append(name)
            if "alloc" in name and re.search(r"\bptr $", before):
                found = unsigned_parameters(name, nodes, by_name)
                if len(found) == 1:
                    result["names"][name] = found
    bare = re.sub(r"^((?:define|declare) .*?)\bnoalias (.*?@)", r"\1\2", ir,
                  flags=re.M)
    inferred, _ = run([OPT, "-S", f"-passes={PASSES}", "-o", "-"],
                      command.folder, bare)
    for kind, before, quoted, plain, _ in FUNCTION.findall(inferred):
        if kind == "define" and "noalias" in before.split():
            result["llvm"][quoted or plain] = []
    return result


def ask(commands, progress):
    """Out: {peer: {function: size arguments}}, "defined" and "failed"."""
    found = {peer: {} for peer in NAMES}
    defined, failed, done = set(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(pool.submit(ask_gcc, c), pool.submit(ask_clang, c))
                for c in commands]
        for gcc, clang in jobs:
            found["gcc"] |= {name: [] for name in gcc.result()}
            unit = clang.result()
            if unit is None:
                failed += 1
            else:
                defined |= set(unit.pop("defined"))
                for peer, functions in unit.items():
                    found[peer] |= functions
            done += 1
            progress(f"peers: {done} of {len(jobs)} units")
    found["annotations"] = {name: args for name, args in
                            found["annotations"].items() if name in defined}
    return {peer: dict(sorted(names.items())) for peer, names in found.items()
            } | {"defined": sorted(defined), "failed": failed}
