# SPDX-License-Identifier: MIT
#
# embed.cmake -- the file IN as a C string NAME in the file OUT:
# cmake -DIN=... -DOUT=... -DNAME=... -P embed.cmake

file(READ "${IN}" bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" lines "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," lines "${lines}")
file(WRITE "${OUT}"
  "/* Made from a file by cmake/embed.cmake. */\n"
  "extern const char ${NAME}[];\n"
  "const char ${NAME}[] = {\n${lines}0x00};\n")
