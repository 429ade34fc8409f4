#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scripts/measure-cost builds with the plain compiler and with cc-allocs in
# turns, compares the least of each, and fails where a build does.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need python3

mkdir scripts
cp "$source_dir/scripts/measure-cost" scripts
# In the place of a build: user and system seconds by kind and round.
cat >scripts/build-program <<'END'
#!/usr/bin/env bash
set -eu
program=$1 kind=plain time=''
shift
while [ $# -gt 0 ]; do
  case $1 in
  --cc) kind=ours ;;
  --time) time=$2 ;;
  --clang) program=$program-clang ;;
  esac
  shift
done
echo "$program $kind" >>calls
round=$(grep -cx "$program $kind" calls)
sed -n "${round}p" "$program.$kind" >"$time"
[ -s "$time" ]
END
chmod +x scripts/build-program
printf '2.5 1.5\n2 1\n' >toy.plain
printf '3 1.5\n9 9\n' >toy.ours
cp toy.plain same.plain
cp toy.plain same.ours
printf '1 0\n' >toy-clang.plain
printf '1 1\n' >toy-clang.ours

scripts/measure-cost toy same >figures
expect figures <<'END'
toy: plain 3.00 s, with cc-allocs 4.50 s, ratio 1.500
same: plain 3.00 s, with cc-allocs 3.00 s, ratio 1.000
END
expect calls <<'END'
toy plain
toy ours
toy plain
toy ours
same plain
same ours
same plain
same ours
END
scripts/measure-cost --clang --rounds 1 toy >figures
expect figures <<<'toy: plain 1.00 s, with cc-allocs 2.00 s, ratio 2.000'
# There is no third round of the one, and none of the other.
rm calls
not scripts/measure-cost --rounds 3 toy 2>said >figures
not scripts/measure-cost none 2>said >figures
[ ! -s figures ]
