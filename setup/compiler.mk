# SPDX-License-Identifier: Apache-2.0
# The compilers of agent/, algorithms/ and classifier/. zig builds for every processor, with its own
# musl. What this machine alone uses is built by its own compiler where that has a musl: in a sixth
# of the time, since zig first builds the musl. `OWN=` has zig build that, too.
ZIG ?= $(PYTHON) -m ziglang
HOST := $(patsubst armv7l,armv7,$(shell uname -m))
ARCHS := x86_64 aarch64 armv7 mips mipsel

target_x86_64 := x86_64-linux-musl
target_aarch64 := aarch64-linux-musl
target_armv7 := arm-linux-musleabihf
target_mips := mips-linux-musleabi
target_mipsel := mipsel-linux-musleabi

# musl's headers come first; those of Linux, of which musl has none, are the system's.
OWN := $(if $(shell command -v gcc),$(shell command -v musl-gcc))
OWN_CC := $(OWN) -idirafter /usr/include $(if $(OWN),-idirafter /usr/include/$(shell gcc -print-multiarch))

# $(1): arch. The folder below build/ of what is installed for it: `own`, or the processor's.
kind = $(if $(and $(OWN),$(filter $(HOST),$(1))),own,$(1))
# $(1): arch, or own
compiler = $(if $(filter own,$(1)),$(OWN_CC),$(ZIG) cc -target $(target_$(1)))
# For a recipe below $(eval): prints which compiler it is.
version = $(if $(filter own,$(1)),$(OWN) -v 2>&1 | tail -n 1,echo zig $$$$($(ZIG) version): $(target_$(1)))
# $(1): arch, or own. zig builds its musl anew, in 25 s of CPU, for each mode that a link asks for:
# one does for a processor, the small one where a device has 8 MiB of flash.
link = $(if $(filter armv7 mips mipsel,$(1)),-Os -flto,-O2)
