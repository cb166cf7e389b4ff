# Builds, tests and measures ecs. `make help` lists what there is to make.
#
#   core/*/*.c -> build/core/*.o ---> build/libecs.a, build/libecs.so
#                        |
#   bindings/lua/**.c ---+---> build/<abi>/ecs/core.so     one for each Lua
#                        |     build/libecs_<abi>.a        the same for hosts
#                        |
#   spec/**/*_test.c ----+---> build/test/<build>/*_test   three builds
#   bench/bench_*.c -----+---> build/bench/bench_*
#
#   examples/**/*.c ---------> build/kernels/*.so          native kernels
#   bench/lua/*.c -----------> build/kernels/*.so          the same, at their best
#   examples/embed/*.c ------> build/embed/<abi>/*         C hosts of scripts
#
# Nothing is built into ./ itself: every Lua looks for ./?.so first, and would
# find a library that was built for another Lua.

# The modules of the core, bottom up; the first four are the public headers, in
# include/. A module includes only modules that stand before it (`make floors`),
# so folders, too, see only the folders before them. A module may lack its .c or
# its .h. This is the only list: the build, the tests, the floors and the
# rockspec follow it.
CORE := ecs ecs_kernel ecs_access ecs_grid ecs_array \
  base/config base/access base/invariant base/status base/misuse base/platform base/workers base/float_mode base/memory base/text \
  base/id base/scalar base/bits base/clones \
  math/elementary_number math/elementary_exp math/elementary_pow \
  math/elementary_sin math/elementary_atan math/elementary math/remainder \
  math/random math/reduction \
  storage/schema storage/held_values storage/slot storage/entity_index storage/locator \
  storage/link_index storage/text_pool storage/element storage/stamps \
  storage/kept_hash \
  storage/table_layout storage/table storage/table_row storage/table_image \
  storage/table_rows storage/edge_map storage/matched_tables \
  storage/row_marks storage/group storage/component storage/name_index \
  storage/store storage/group_lists storage/entity_claim storage/locate \
  storage/change_note storage/placement storage/store_check \
  query/query_group query/join query/row_list query/marked_rows \
  query/gather_loops query/tree_list query/picked_rows query/query \
  query/query_span query/opened query/index_set query/claims query/gather \
  query/cursor query/query_entities query/query_use query/grid \
  query/grid_fresh query/grid_build query/grid_order query/grid_walk \
  query/grid_nearest query/grid_report \
  change/change_state change/entity_change change/entity_change_fast change/replacement \
  change/bundle change/spawn change/spawn_together change/group_fill \
  change/regroup change/staged_rows change/chain_shape change/command_buffer \
  change/list_change change/recorded_spawn change/net_effect \
  change/command_flush change/bulk_sparse change/bulk_rows change/bulk \
  change/bulk_destroy \
  layout/component_set layout/layout_problem layout/layout_constants \
  layout/layout_cost layout/layout_search layout/layout_advice \
  world/link_set world/observer_set world/entity_names world/array_set \
  world/world \
  world/recorded world/link_check world/link_step world/link_kill \
  world/link_flush world/observe world/deferral world/deferred_change \
  world/spawn_as world/family world/replace world/clone world/world_hash \
  world/world_explain world/world_trim \
  state/snapshot state/held_marks state/restore state/archive state/saved_text \
  state/dump state/held_save state/packed state/held_list state/save state/snapshot_save \
  state/diff state/pack state/saved state/load_part state/load_fields \
  state/load_values state/load_links \
  state/load state/unpack_part state/unpack_links state/unpack \
  kernel/kernel_library kernel/kernel_binding \
  program/operation program/program_part program/program_pass program/program_ir \
  program/program_cycles program/program_parse program/program_print \
  program/program_order program/program_ranges program/program_facts \
  program/program_whole program/program_presence program/vm_loop_macros \
  program/vm_remainder_loops program/vm_integer_loops program/vm_loops \
  program/vm_whole_loops program/vm_arrays program/vm_plan program/vm_rows program/vm_puts \
  program/vm_elements program/vm_row_steps \
  program/vm_regions program/vm_turns program/vm_planner program/vm_look \
  program/vm_near \
  program/vm_sums program/vm_changes program/vm_ahead program/vm_sifting \
  program/vm_parallel program/vm_run program/vm_listed program/vm_block \
  program/vm_start program/vm_shared program/vm program/vm_pass \
  api/for_bindings api/accessor api/field_access api/spawn_call \
  api/api_entity api/api_grid api/api_query api/kept_end api/api_family api/api_bulk \
  api/api_list api/api_link api/api_name api/api_array api/api_observe api/row_access \
  api/api_program api/program_keys api/api_snapshot api/api_world \
  api/api_layout

# The modules of the binding, likewise; the last one opens them all.
BINDING := object/compat object/object object/error object/held object/message_pack object/number object/name \
  object/plain_table object/system object/read_file object/save_file object/tokens \
  object/same_code object/lua_math component/field_array component/definition component/value_parts \
  component/new_definition \
  component/define component/prefab component/new_prefab \
  component/host_definition world/open_walk world/recent_queries \
  world/lua_world world/collect world/recording world/borrowed world/report \
  world/telling world/held_sweep world/components world/parts world/families \
  world/world_methods world/advice world/entity_methods world/link_methods \
  world/field_calls world/value_calls world/spawner world/prepared \
  world/traceback world/threads world/frames world/totals world/lua_array \
  world/array_element world/lua_snapshot world/value_save world/lua_save \
  world/script_hash query/lua_query \
  query/lua_grid query/world_queries query/column_copy query/kept_columns \
  query/batch_view query/walk_end query/batch_loop query/spawn_many \
  query/row_view query/observer_calls query/observers query/world_close \
  query/block_loop query/row_loop query/grid_loop query/bulk_methods \
  query/lua_pack \
  query/row_random program/lua_kernel program/table_walk program/table_copy \
  program/table_wanted program/lua_program \
  program/outside program/lua_pass program/exit_loop missing_names host module

# What the mutation score is about: what moves rows, finds them and computes on
# them. tools/mutants.lua refuses a name that is no module.
MUTANT_MODULES := storage/table storage/table_row storage/table_image \
  storage/edge_map storage/group storage/component storage/store storage/group_lists \
  storage/locate storage/change_note storage/placement storage/locator \
  query/row_list query/cursor query/gather query/claims \
  change/entity_change change/entity_change_fast change/chain_shape \
  change/command_buffer change/recorded_spawn change/net_effect \
  change/command_flush change/list_change change/bulk program/vm_sums program/vm \
  program/vm_listed program/vm_block program/vm_changes api/accessor \
  storage/row_marks query/marked_rows change/group_fill \
  layout/component_set layout/layout_problem layout/layout_cost \
  layout/layout_search layout/layout_advice \
  program/program_facts program/vm_plan program/vm_planner program/vm_regions \
  program/program_whole program/vm_whole_loops program/vm_integer_loops \
  program/vm_ahead program/vm_sifting

# The public header of the binding stands last: no module of the core may
# include it.
CORE += ecs_lua

# The environment's compiler, if it names one; make's own default is cc.
ifeq ($(origin CC),default)
CC := gcc
endif
PREFIX := /usr/local
LDCONFIG := ldconfig
JOBS := 2
N := 100
SEED := 1
SECONDS := 60

LUA54_INCLUDE := /usr/include/lua5.4
LUAJIT_INCLUDE := /usr/include/luajit-2.1
LUA51_INCLUDE := /usr/include/lua5.1
LUA52_INCLUDE := /usr/include/lua5.2
LUA53_INCLUDE := /usr/include/lua5.3
# What a C host of scripts is linked with.
LUA54_LIBRARY := -llua5.4
LUAJIT_LIBRARY := -lluajit-5.1

# Flags -------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror

# The suffix and the flags of libraries, by the system that is compiled for:
# Windows with MinGW, macOS, or one with ELF.
TARGET := $(shell $(CC) -dumpmachine)
PIC := -fPIC
MODULE_LINK := -Wl,-Bsymbolic-functions
SHARED := -shared
SUFFIX := .so
LDLIBS := -lm -ldl -pthread
ifneq ($(findstring mingw,$(TARGET)),)
PIC :=
SUFFIX := .dll
LDLIBS := -lm
MODULE_LINK := -static-libgcc
# Macros of its math.h convert numbers. There, a module is linked with its Lua.
WARNINGS += -Wno-float-conversion
LINKED_LUA = $(1)
endif
ifneq ($(findstring darwin,$(TARGET)),)
SHARED := -bundle -undefined dynamic_lookup
LDLIBS := -lm
MODULE_LINK :=
endif

INCLUDES := -Iinclude -Icore
BINDING_INCLUDES := -Ibindings/lua
# Results must be the same bits on every machine: nothing is contracted into a
# fused multiply-add. The other two let loops be vectorised and change no bit.
FLOATS := -fno-fast-math -fno-unsafe-math-optimizations -ffp-contract=off \
  -fno-trapping-math -fno-math-errno
# For clang, that is within the first one, and to say it with the last but one is
# a contradiction.
ifneq ($(findstring clang,$(shell $(CC) --version)),)
FLOATS := $(filter-out -fno-unsafe-math-optimizations,$(FLOATS))
endif
DEPENDENCIES := -MMD -MP
COMPILE := $(CC) -std=c11 $(WARNINGS) $(FLOATS) $(DEPENDENCIES) $(INCLUDES)
# What is shipped (libraries, modules, kernels, hosts) is compiled and linked
# with the caller's flags, too: behind our own, so that theirs count, and before
# those that must not change.
ASKED_FLAGS = $(CPPFLAGS) $(CFLAGS) $(FLOATS)
LINK = $(CC) $(CFLAGS) $(FLOATS) $(LDFLAGS)
# A library linked with it makes all threads that load it compute in another way.
ifneq ($(filter -Ofast,$(CFLAGS)),)
$(error -Ofast changes the results of the whole process: use CFLAGS=-O3)
endif
CORE_FLAGS := -O2 -fvisibility=hidden
# A short call of the C API for Lua is a dozen calls of Lua's and of ours: the
# first go without a detour over the linker's table, the others need none. It
# makes has() a tenth faster.
BINDING_FLAGS := $(CORE_FLAGS) -fno-plt
# Modules whose loops over columns gain from being vectorised.
VECTORISED := base/scalar query/gather_loops query/gather query/query_group \
  query/join query/row_list query/marked_rows query/picked_rows \
  query/grid_build query/grid_walk query/grid_nearest program/vm_sifting \
  kernel/kernel_binding storage/table_rows change/bulk_sparse \
  change/group_fill

# Lines for messages and traces; for a debugger make CHECK_LEVEL='-O0 -g'.
CHECK_LEVEL := -O1 -g1
# There are some hundred test programs: gold links them in half the time.
TEST_LINK := $(if $(shell command -v ld.gold),-fuse-ld=gold)
CHECKED_FLAGS := $(CHECK_LEVEL) -DECS_CHECKED
TINY_FLAGS := $(CHECK_LEVEL) -DECS_CHECKED -DECS_TINY
# The other builds have warned; what the sanitizers add draws false warnings.
# What never ends takes seconds to be stopped there, so it is stopped sooner.
ASAN_FLAGS := -O1 -g1 -w -DECS_CHECKED -fno-omit-frame-pointer \
  -fsanitize=address,undefined -fno-sanitize-recover=all \
  -DECS_TURN_LIMIT=65536u -DECS_JOINT_TURNS=4096u

# Files -------------------------------------------------------------------

CORE_SOURCES := $(wildcard $(CORE:%=core/%.c))
LUA_SOURCES := $(wildcard $(BINDING:%=bindings/lua/%.c))
CORE_OBJECTS := $(CORE_SOURCES:core/%.c=build/core/%.o)
PUBLIC_HEADERS := $(wildcard include/*.h)
TEST_SOURCES := $(wildcard spec/core/*/*_test.c spec/model/*_test.c)
# What tests share.
CORE_SUPPORT := $(wildcard spec/core/support/*.c)
EMBED_TESTS := $(wildcard spec/embed/*_test.c)
MODEL_SUPPORT := $(filter-out %_test.c,$(wildcard spec/model/*.c))
BENCH_SOURCES := $(wildcard bench/bench_*.c)
BENCH_SUPPORT := $(filter-out bench/bench_%.c,\
  $(wildcard bench/*.c bench/baseline/*.c))

# Native kernels of examples and specs: libraries of their own, that know the
# public headers and are found on package.cpath. A file is a library.
HOST_SOURCES := $(wildcard examples/embed/*.c)
KERNEL_SOURCES := $(filter-out $(HOST_SOURCES),\
  $(wildcard examples/*.c examples/*/*.c spec/kernels/*.c bench/lua/*.c))
KERNELS := $(patsubst %.c,build/kernels/%$(SUFFIX),$(notdir $(KERNEL_SOURCES)))
EXAMPLES := $(wildcard examples/[0-9]*.lua examples/[0-9]*/program.lua)
HOSTS := $(HOST_SOURCES:examples/embed/%.c=%)

# Modules for scripts, as they lie in the checkout.
export LUA_PATH := ./scripts/?.lua;./scripts/?/init.lua;;
LUA54 := LUA_CPATH='./build/lua54/?.so;./build/kernels/?.so;;' lua5.4
LUAJIT := LUA_CPATH='./build/luajit/?.so;./build/kernels/?.so;;' luajit

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all help demo examples test suite check-hard check-ports bench bench-lua \
  run-bench run-bench-lua lint format floors sizes check-rockspec rockspec modules cdef mutants \
  planted fuzz soak site love pictures rock specs release install uninstall clean \
  libraries compile-checks kernels embed \
  install-embed \
  bench-programs bench-js bench-report claimed-benches \
  lua54 luajit lua51 lua52 lua53

all: libraries lua54 luajit kernels embed

help:
	@echo 'make demo      a simulation on Lua 5.4 and on LuaJIT'
	@echo 'make test      every suite, most of them short; ends with the counts'
	@echo 'make check-hard the same suites at length: some 40 minutes on two cores'
	@echo 'make suite     NAME=c-asan TIER=quick ONLY=: one of them'
	@echo 'make bench     the tables of numbers, hand-written C in the same run'
	@echo 'make bench-lua the part of it that scripts see, on both VMs'
	@echo 'make bench-js  five tests with libraries of JavaScript: needs npm'
	@echo 'make bench-report what is claimed, measured: docs/report.md'
	@echo 'make all       the C libraries and the modules for Lua 5.4 and LuaJIT'
	@echo 'make site      the documentation for a browser: needs mkdocs'
	@echo 'make examples  the numbered examples, on both VMs'
	@echo 'make lint      floors, the rockspec, luacheck, the layout of C files'
	@echo 'make format    lays the C files out as .clang-format says'
	@echo 'make sizes     functions and files over the ceilings of the style'
	@echo 'make fuzz      SECONDS=60: kernel programs under libFuzzer, with clang'
	@echo 'make soak      SECONDS=60: random suites, with seeds of their own'
	@echo 'make planted   puts known faults into copies: are they found?'
	@echo 'make mutants   N=100 SEED=1: how many small errors the tests catch'
	@echo 'make rockspec  brings its lists of files up to date; make modules, make cdef'
	@echo 'make check-ports the module for Windows and aarch64, by cross compilers'
	@echo 'make love      build/love/ecs, a folder to copy into a game for LÖVE'
	@echo 'make pictures  docs/pictures: the terminal demo, recorded'
	@echo 'make rock      build/release: the source rock of this version'
	@echo 'make release   what a release still needs; changes nothing'
	@echo 'make specs     the short specs on Lua 5.4 alone: luarocks test'
	@echo 'make install   PREFIX=/usr/local: C libraries, headers, Lua files'
	@echo 'make uninstall PREFIX=/usr/local: removes them'
	@echo 'make clean'
	@echo 'demo and test install what they miss, on Debian and as root.'

# The core ----------------------------------------------------------------

libraries: build/libecs.a build/libecs.so

$(VECTORISED:%=build/core/%.o): CORE_FLAGS += -O3

build/core/%.o: core/%.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) $(CORE_FLAGS) $(ASKED_FLAGS) $(PIC) -c -o $@ $<

build/libecs.a: $(CORE_OBJECTS)
	@rm -f $@
	$(AR) rcs $@ $^

build/libecs.so: $(CORE_OBJECTS)
	$(LINK) -shared -Wl,-soname,libecs.so.0 -o $@ $^ $(LDLIBS)

# The Lua modules ---------------------------------------------------------

# $(1) the abi, $(2) the folder of its headers, $(3) its library
define lua_module
$(1): build/$(1)/ecs/core$(SUFFIX)

build/$(1)/objects/%.o: bindings/lua/%.c Makefile
	@mkdir -p $$(@D)
	$$(COMPILE) $$(BINDING_FLAGS) $$(BINDING_INCLUDES) -isystem $(2) \
	  $$(ASKED_FLAGS) $$(PIC) -c -o $$@ $$<

build/$(1)/ecs/core$(SUFFIX): $(CORE_OBJECTS) \
  $(LUA_SOURCES:bindings/lua/%.c=build/$(1)/objects/%.o)
	@mkdir -p $$(@D)
	$$(LINK) $$(SHARED) $$(MODULE_LINK) -o $$@ $$^ $$(call LINKED_LUA,$(3)) $$(LDLIBS)

build/libecs_$(1).a: $(LUA_SOURCES:bindings/lua/%.c=build/$(1)/objects/%.o)
	@rm -f $$@
	$$(AR) rcs $$@ $$^
endef
$(eval $(call lua_module,lua54,$(LUA54_INCLUDE),$(LUA54_LIBRARY)))
$(eval $(call lua_module,luajit,$(LUAJIT_INCLUDE),$(LUAJIT_LIBRARY)))
$(eval $(call lua_module,lua51,$(LUA51_INCLUDE)))
$(eval $(call lua_module,lua52,$(LUA52_INCLUDE)))
$(eval $(call lua_module,lua53,$(LUA53_INCLUDE)))

# The same with the sanitizers, for specs that are run with their libraries
# preloaded (tools/run_tests).
# $(1) the abi, $(2) the folder of its headers
define asan_module
build/asan/$(1)/objects/%.o: bindings/lua/%.c Makefile
	@mkdir -p $$(@D)
	$$(COMPILE) $$(ASAN_FLAGS) -fPIC $$(BINDING_INCLUDES) \
	  -isystem $(2) -c -o $$@ $$<

build/asan/$(1)/ecs/core.so: $(CORE_SOURCES:core/%.c=build/asan/core/%.o) \
  $(LUA_SOURCES:bindings/lua/%.c=build/asan/$(1)/objects/%.o)
	@mkdir -p $$(@D)
	$$(CC) -shared $$(ASAN_FLAGS) -o $$@ $$^ $$(LDLIBS)
endef
$(eval $(call asan_module,lua54,$(LUA54_INCLUDE)))
$(eval $(call asan_module,luajit,$(LUAJIT_INCLUDE)))

build/asan/core/%.o: core/%.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) $(ASAN_FLAGS) -fPIC -fvisibility=hidden -c -o $@ $<

# A dlclose that does nothing, so that reports can name what is in modules.
build/asan/no_dlclose.so: spec/hosts/no_dlclose.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) -shared -fPIC -o $@ $<

# A host whose allocations fail, for each of the two.
# $(1) the abi, $(2) the folder of its headers, $(3) its library
define alloc_host
build/asan/$(1)/alloc_host: spec/hosts/alloc_host.c spec/hosts/no_dlclose.c \
  Makefile
	@mkdir -p $$(@D)
	$$(CC) -std=c11 $$(WARNINGS) $$(ASAN_FLAGS) -isystem $(2) -rdynamic \
	  -o $$@ $$(filter %.c,$$^) -l$(3) $$(LDLIBS)
endef
$(eval $(call alloc_host,lua54,$(LUA54_INCLUDE),lua5.4))
$(eval $(call alloc_host,luajit,$(LUAJIT_INCLUDE),luajit-5.1))

asan-modules: build/asan/lua54/ecs/core.so build/asan/luajit/ecs/core.so \
  build/asan/no_dlclose.so build/asan/lua54/alloc_host \
  build/asan/luajit/alloc_host
.PHONY: asan-modules

# The Luas that nothing here runs, where their headers are.
compile-checks: $(if $(wildcard $(LUA51_INCLUDE)/lua.h),lua51) \
  $(if $(wildcard $(LUA52_INCLUDE)/lua.h),lua52) \
  $(if $(wildcard $(LUA53_INCLUDE)/lua.h),lua53)

# Native kernels ----------------------------------------------------------

KERNEL_FLAGS := -O3 -fvisibility=hidden

# $(1) a source
define kernel_library
build/kernels/$(basename $(notdir $(1)))$(SUFFIX): $(1) Makefile
	@mkdir -p $$(@D)
	$$(COMPILE) $$(KERNEL_FLAGS) $$(ASKED_FLAGS) $$(LDFLAGS) $$(PIC) -shared \
	  -o $$@ $$< $$(KERNEL_CORE)
endef
$(foreach source,$(KERNEL_SOURCES),$(eval $(call kernel_library,$(source))))

# The baselines of benchmarks are for the machine that runs them.
$(patsubst bench/lua/%.c,build/kernels/%$(SUFFIX),$(wildcard bench/lua/*.c)): \
  KERNEL_FLAGS += $(BENCH_FLAGS)

# This one compares with a C program, and has a core of its own.
build/kernels/bench_families$(SUFFIX): build/libecs.a
build/kernels/bench_families$(SUFFIX): KERNEL_CORE = build/libecs.a $(LDLIBS) \
  -Wl,-Bsymbolic

kernels: $(KERNELS)

# Hosts -------------------------------------------------------------------

# C programs that run scripts on their worlds, and the libraries for them.

HOST_FLAGS := -O2

# $(1) the abi, $(2) the folder of its headers, $(3) its library
define lua_host
build/embed/$(1)/%: examples/embed/%.c build/libecs_$(1).a build/libecs.a Makefile
	@mkdir -p $$(@D)
	$$(COMPILE) $$(HOST_FLAGS) -isystem $(2) $$(ASKED_FLAGS) $$(LDFLAGS) -o $$@ $$< \
	  build/libecs_$(1).a build/libecs.a $(3) $$(LDLIBS)
endef
$(eval $(call lua_host,lua54,$(LUA54_INCLUDE),$(LUA54_LIBRARY)))
$(eval $(call lua_host,luajit,$(LUAJIT_INCLUDE),$(LUAJIT_LIBRARY)))

embed: $(HOSTS:%=build/embed/lua54/%) $(HOSTS:%=build/embed/luajit/%)

# C tests -----------------------------------------------------------------

# The loops of programs for each instruction set take longest to compile and do
# not depend on limits, so all three builds link the same. With these, their
# vm_loops needs no clones, which would take as long again; what is installed
# has the clones.
LOOP_VARIANTS := $(patsubst %.c,build/test/checked/%.o,\
  $(wildcard spec/core/support/loops_*.c))
CHECKED_FLAGS += -DLOOPS_WITHOUT_CLONES
TINY_FLAGS += -DLOOPS_WITHOUT_CLONES

# $(1) the build, $(2) its flags, $(3) the folder of its core's objects, $(4)
# more flags of the tests alone: most run for milliseconds, and compile in a
# quarter of the time without optimization. A test is linked with the whole core
# of its build, so that it reaches what the shared library hides.
define test_build
build/test/$(1)/core/%.o: core/%.c Makefile
	@mkdir -p $$(@D)
	$$(COMPILE) $(2) -c -o $$@ $$<

build/test/$(1)/spec/%.o: spec/%.c Makefile
	@mkdir -p $$(@D)
	$$(COMPILE) $(2) -Ispec/core/support -Ispec/model -c -o $$@ $$<

$(patsubst %.c,build/test/$(1)/%.o,$(wildcard spec/core/*/*_test.c)): \
  build/test/$(1)/spec/%.o: spec/%.c Makefile
	@mkdir -p $$(@D)
	$$(COMPILE) $(2) $(4) -Ispec/core/support -c -o $$@ $$<

build/test/$(1)/libecs.a: $(CORE_SOURCES:core/%.c=$(3)/%.o)
	@rm -f $$@
	@$$(AR) rcs $$@ $$^

# What tests of modules share.
build/test/$(1)/libsupport.a: $(LOOP_VARIANTS) \
  $(patsubst %.c,build/test/$(1)/%.o,\
    $(filter-out spec/core/support/loops_%,$(CORE_SUPPORT)))
	@rm -f $$@
	@$$(AR) rcs $$@ $$^

build/test/$(1)/core/%_test: build/test/$(1)/spec/core/%_test.o \
  build/test/$(1)/libsupport.a build/test/$(1)/libecs.a
	@mkdir -p $$(@D)
	$$(CC) $(2) $$(TEST_LINK) -o $$@ $$^ -lcmocka $$(LDLIBS)

build/test/$(1)/model/%_test: build/test/$(1)/spec/model/%_test.o \
  $(MODEL_SUPPORT:spec/%.c=build/test/$(1)/spec/%.o) build/test/$(1)/libecs.a
	@mkdir -p $$(@D)
	$$(CC) $(2) $$(TEST_LINK) -o $$@ $$^ -lcmocka $$(LDLIBS)

test-$(1): $(TEST_SOURCES:spec/%.c=build/test/$(1)/%)
.PHONY: test-$(1)
endef
$(eval $(call test_build,checked,$$(CHECKED_FLAGS),build/test/checked/core,-O0))
$(eval $(call test_build,tiny,$$(TINY_FLAGS),build/test/tiny/core,-O0))
$(eval $(call test_build,asan,$$(ASAN_FLAGS),build/asan/core,-O0))
# ThreadSanitizer, for the tests in which threads meet.
TSAN_FLAGS := -O1 -g1 -w -DECS_CHECKED -fsanitize=thread \
  -DECS_TURN_LIMIT=65536u -DECS_JOINT_TURNS=4096u
$(eval $(call test_build,tsan,$$(TSAN_FLAGS),build/test/tsan/core,-O0))

# What hosts call is tested with each Lua under the sanitizers, binding and all.
# $(1) the abi, $(2) the folder of its headers, $(3) its library
define embed_test
build/test/asan/$(1)/%_test.o: spec/embed/%_test.c Makefile
	@mkdir -p $$(@D)
	$$(COMPILE) $$(ASAN_FLAGS) -O0 -Ispec/core/support -isystem $(2) -c -o $$@ $$<

build/test/asan/embed/%_$(1)_test: build/test/asan/$(1)/%_test.o \
  $(LUA_SOURCES:bindings/lua/%.c=build/asan/$(1)/objects/%.o) \
  build/test/asan/libecs.a
	@mkdir -p $$(@D)
	$$(CC) $$(ASAN_FLAGS) $$(TEST_LINK) -o $$@ $$^ -lcmocka $(3) $$(LDLIBS)

test-asan: $(EMBED_TESTS:spec/embed/%_test.c=build/test/asan/embed/%_$(1)_test)
endef
$(eval $(call embed_test,lua54,$(LUA54_INCLUDE),$(LUA54_LIBRARY)))
$(eval $(call embed_test,luajit,$(LUAJIT_INCLUDE),$(LUAJIT_LIBRARY)))

# Commands that set themselves up -----------------------------------------

# The sub-make sees the headers that were just installed. Two jobs, unless the
# caller has said how many.
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))

test:
	@tools/setup test
	@MAKE='$(MAKE)' JOBS=$(JOBS) tools/run_tests quick

check-hard:
	@tools/setup hard
	@MAKE='$(MAKE)' JOBS=$(JOBS) tools/run_tests hard

# One suite of tools/suites, and what it needs: make suite NAME=c-asan
# ONLY=embed/share_lua54_test TIER=hard.
TIER := quick
ONLY :=
suite:
	@tools/setup test
	@MAKE='$(MAKE)' JOBS=$(JOBS) ONLY='$(ONLY)' tools/run_tests $(TIER) '$(NAME)'

# What luarocks test runs: the short specs, on Lua 5.4.
specs:
	@tools/setup test
	@$(MAKE) --no-print-directory -s $(PARALLEL) lua54 kernels
	@ECS_SPEC_SHORT=1 lua5.4 "$$(command -v busted)" --ignore-lua \
	  -o plainTerminal --cpath='./build/lua54/?.so;./build/kernels/?.so;;' \
	  spec/contract spec/lua

# The modules on systems that this machine is not, as far as it can run them.
check-ports:
	@tools/check_ports

demo:
	@tools/setup demo
	@$(MAKE) --no-print-directory -s $(PARALLEL) lua54 luajit kernels
	@echo '== Lua 5.4'
	@$(LUA54) examples/demo.lua
	@echo '== LuaJIT'
	@$(LUAJIT) examples/demo.lua

# The picture in the README: the same bytes each time.
pictures: lua54 kernels
	@mkdir -p docs/pictures
	@$(LUA54) tools/record_demo.lua docs/pictures/fireworks.svg

# The numbered examples and the hosts, each on both VMs. They assert what they
# claim.
examples: lua54 luajit kernels embed
	@set -e; for example in $(EXAMPLES); do \
	  echo "== $$example"; $(LUA54) $$example; $(LUAJIT) $$example; done
	@set -e; for host in $(HOSTS); do echo "== examples/embed/$$host.c"; \
	  build/embed/lua54/$$host; build/embed/luajit/$$host; done

# Benchmarks --------------------------------------------------------------

# Loops start at borders of 32 bytes of code, so that what is compared is not
# where the linker happened to put them.
BENCH_FLAGS := -O3 -march=native -falign-functions=64 -falign-loops=32
BENCH_ARGUMENTS :=
BENCHES := $(BENCH_SOURCES:bench/%.c=build/bench/%)
CLAIMED := units removal derivatives varkor profiles iterate access layout \
  hierarchy managed
LUA_BENCHES := $(wildcard bench/lua/bench_*.lua)

bench:
	@tools/setup demo
	@$(MAKE) --no-print-directory -s $(PARALLEL) bench-programs
	@$(MAKE) --no-print-directory run-bench bench-lua

# What scripts see of it, on both VMs: of the installed rock, because its
# compiler flags are not those of this file. run-bench-lua measures what make builds.
bench-lua:
	@tools/setup demo
	@$(MAKE) --no-print-directory -s $(PARALLEL) kernels
	@set -e; for bench in $(LUA_BENCHES); do echo "== $$bench"; \
	  tools/with_rock lua54 lua5.4 $$bench $(BENCH_ARGUMENTS); \
	  tools/with_rock luajit luajit $$bench $(BENCH_ARGUMENTS); done

# Libraries of another language beside ours: nothing else needs them.
bench-js:
	@tools/bench_js $(BENCH_ARGUMENTS)

bench-programs: $(BENCHES)

# Those that docs/report.md is about. The report runs the others, too.
claimed-benches: $(CLAIMED:%=build/bench/bench_%)

bench-report:
	@tools/setup demo
	@$(MAKE) --no-print-directory -s $(PARALLEL) bench-programs
	@lua5.4 tools/bench_report.lua

run-bench: $(BENCHES)
	@set -e; for bench in $^; do \
	  echo "== $$bench"; $$bench $(BENCH_ARGUMENTS); done

run-bench-lua: lua54 luajit kernels
	@set -e; for bench in $(LUA_BENCHES); do \
	  echo "== $$bench"; $(LUA54) $$bench $(BENCH_ARGUMENTS); \
	  $(LUAJIT) $$bench $(BENCH_ARGUMENTS); done

build/bench/objects/%.o: bench/%.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) $(BENCH_FLAGS) -Ibench -c -o $@ $<

# Run by hand: they take minutes, and print tables of their own.
BY_HAND := climb_layouts fit_prices
$(BY_HAND:%=build/bench/%): build/bench/%: build/bench/objects/by_hand/%.o \
  $(BENCH_SUPPORT:bench/%.c=build/bench/objects/%.o) build/libecs.a
	$(CC) $(BENCH_FLAGS) -o $@ $^ $(LDLIBS)

# The same loops once more, as most programs are compiled.
build/bench/objects/baseline/unit_loops_o2.o: BENCH_FLAGS += -O2

build/bench/bench_%: build/bench/objects/bench_%.o \
  $(BENCH_SUPPORT:bench/%.c=build/bench/objects/%.o) build/libecs.a
	$(CC) $(BENCH_FLAGS) -o $@ $^ $(LDLIBS)

# Checks of the text ------------------------------------------------------

floors: $(CORE_OBJECTS) $(LUA_SOURCES:bindings/lua/%.c=build/lua54/objects/%.o)
	@lua5.4 tools/floors.lua $(CORE) -- $(BINDING)
	@lua5.4 tools/modules.lua check $(CORE) -- $(BINDING)

check-rockspec:
	@lua5.4 tools/rockspec.lua check $(CORE) -- $(BINDING)

lint: floors check-rockspec
	@luacheck --no-color -q .
	@tools/format check

# Lays the C files out anew.
format:
	@tools/format write

sizes:
	@tools/sizes

# What LuaJIT's FFI is told, made from the headers.
cdef:
	@mkdir -p build
	luajit tools/generate_cdef.lua include/ecs.h bindings/lua >build/cdef.lua
	cp build/cdef.lua scripts/ecs/ffi/cdef.lua

rockspec:
	@lua5.4 tools/rockspec.lua write $(CORE) -- $(BINDING)

modules:
	@lua5.4 tools/modules.lua write $(CORE) -- $(BINDING)

# The documentation, to read in a browser: build/site/index.html.
site:
	@tools/check_site

mutants:
	@tools/setup test
	@lua5.4 tools/mutants.lua $(N) $(SEED) $(JOBS) $(MUTANT_MODULES)

planted:
	@tools/setup test
	@tools/planted

fuzz:
	@tools/fuzz $(SECONDS)

soak:
	@tools/setup test
	@tools/soak $(SECONDS) $(SEED)

# Installation ------------------------------------------------------------

INTO = $(DESTDIR)$(PREFIX)

# Also, for each Lua whose headers are here, what hosts are linked with, and the
# Lua files where that Lua looks for them by itself. Programs find a shared
# library in /usr/local/lib once ldconfig has run; a package does it by itself.
install: libraries install-embed
	install -d "$(INTO)/lib" "$(INTO)/include"
	install -m 644 build/libecs.a "$(INTO)/lib"
	install -m 755 build/libecs.so "$(INTO)/lib/libecs.so.0"
	ln -sf libecs.so.0 "$(INTO)/lib/libecs.so"
	install -m 644 $(PUBLIC_HEADERS) "$(INTO)/include"
	$(if $(DESTDIR),,@$(LDCONFIG) 2>/dev/null || \
	  echo 'install: ldconfig could not run. As root it lets programs find' \
	  'libecs.so.0; without it, set LD_LIBRARY_PATH')

SCRIPT_FOLDERS := ecs ecs/compile ecs/ffi
SCRIPTS := $(patsubst scripts/%,%,$(wildcard $(SCRIPT_FOLDERS:%=scripts/%/*.lua)))

# $(1) the abi, $(2) the version of Lua whose files it reads
define install_host
install-$(1): build/libecs_$(1).a
	install -d "$$(INTO)/lib"
	install -m 644 build/libecs_$(1).a "$$(INTO)/lib"
	for folder in $(SCRIPT_FOLDERS); do \
	  install -d "$$(INTO)/share/lua/$(2)/$$$$folder" && \
	  install -m 644 scripts/$$$$folder/*.lua \
	    "$$(INTO)/share/lua/$(2)/$$$$folder" || exit 1; done

uninstall-$(1):
	rm -f "$$(INTO)/lib/libecs_$(1).a"
	for file in $(SCRIPTS); do \
	  rm -f "$$(INTO)/share/lua/$(2)/$$$$file" || exit 1; done
	for folder in $(SCRIPT_FOLDERS); do echo $$$$folder; done | sort -r | \
	  while read -r folder; do \
	    rmdir "$$(INTO)/share/lua/$(2)/$$$$folder" 2>/dev/null || :; done
.PHONY: install-$(1) uninstall-$(1)
endef
$(eval $(call install_host,lua54,5.4))
$(eval $(call install_host,luajit,5.1))

install-embed: $(if $(wildcard $(LUA54_INCLUDE)/lua.h),install-lua54) \
  $(if $(wildcard $(LUAJIT_INCLUDE)/lua.h),install-luajit)

# The folder ecs for games of LÖVE, with the C module for this system.
love: build/luajit/ecs/core.so
	@rm -rf build/love
	@for folder in $(SCRIPT_FOLDERS); do install -d "build/love/$$folder" && \
	  install -m 644 scripts/$$folder/*.lua "build/love/$$folder" || exit 1; done
	@install -d build/love/ecs/native
	@install -m 644 LICENSE bindings/love/core.lua build/love/ecs
	@install -m 644 $< "build/love/ecs/native/$$(luajit -e \
	  'io.write(jit.os, "-", jit.arch)').so"
	@echo "build/love/ecs: copy this folder beside the main.lua of your game"

# The source rock of this version, and what a release needs beside it.
rock:
	@tools/pack_rock

release:
	@tools/release

# The files that this version installs, and its folders if nothing else is there.
uninstall: uninstall-lua54 uninstall-luajit
	rm -f "$(INTO)/lib/libecs.a" "$(INTO)/lib/libecs.so" \
	  "$(INTO)/lib/libecs.so.0"
	for header in $(notdir $(PUBLIC_HEADERS)); do \
	  rm -f "$(INTO)/include/$$header" || exit 1; done

# Also what luarocks leaves beside the sources.
clean:
	rm -rf build ecs
	rm -f core/*/*.o bindings/lua/*.o bindings/lua/*/*.o

-include $(wildcard build/*/*.d build/*/*/*.d build/*/*/*/*.d \
  build/*/*/*/*/*.d build/*/*/*/*/*/*.d)
