--- cdef: what include/ecs.h declares, and structs of the binding.
--
-- Made by tools/generate_cdef.lua (make cdef); do not edit. Types cannot be
-- declared twice in one process, and are not.
-- luacheck: no max line length

local require = require("ecs.standard").inner "ecs.ffi.cdef"

local ffi = require "ffi"

if not pcall(ffi.typeof, "ecs_KernelLibrary") then
  ffi.cdef [=[
typedef enum ecs_Status {
  ECS_OK = 0,
  ECS_E_MEMORY,
  ECS_E_LIMIT,
  ECS_E_DEAD,
  ECS_E_ABSENT,
  ECS_E_COMPONENT,
  ECS_E_FIELD,
  ECS_E_VALUE,
  ECS_E_NAME,
  ECS_E_SCHEMA,
  ECS_E_OPEN,
  ECS_E_ACCESS,
  ECS_E_ARGUMENT,
  ECS_E_LIBRARY,
  ECS_E_ABI,
  ECS_E_KERNEL,
  ECS_E_NAN,
  ECS_E_PROGRAM,
  ECS_E_TURNS,
  ECS_E_TAKEN,
  ECS_E_LINK,
  ECS_E_CIRCLE,
  ECS_E_FILE,
  ECS_STATUS_COUNT
} ecs_Status;
typedef char
    ecs_needs_no_short_enums[sizeof(ecs_Status) == sizeof(int) ? 1 : -1];
const char *ecs_status_name(ecs_Status status);
const char *ecs_status_text(ecs_Status status);
typedef uint64_t ecs_Entity;
typedef uint32_t ecs_Component;
typedef uint32_t ecs_Bundle;
typedef struct ecs_World ecs_World;
typedef struct ecs_Query ecs_Query;
typedef struct ecs_KernelBinding ecs_KernelBinding;
typedef struct ecs_Program ecs_Program;
typedef struct ecs_Memory {
  void *(*resize)(void *user, void *block, size_t old_bytes, size_t new_bytes);
  void *user;
} ecs_Memory;
typedef struct ecs_WorldDescription {
  ecs_Memory memory;
  uint64_t limit_bytes;
} ecs_WorldDescription;
ecs_Status ecs_world_create(const ecs_WorldDescription *description,
                                    ecs_World **world);
void ecs_world_destroy(ecs_World *world);
typedef struct ecs_Holder {
  void (*ended)(struct ecs_Holder *holder);
} ecs_Holder;
ecs_Status ecs_world_hold(ecs_World *world, ecs_Holder *holder);
typedef struct ecs_Budget {
  uint64_t limit_bytes;
  uint64_t bytes;
  const char *owner;
} ecs_Budget;
ecs_Status ecs_world_budget(ecs_World *world, ecs_Budget *budget);
size_t ecs_world_refusal(const ecs_World *world, ecs_Status status,
                                 char *text, size_t capacity);
ecs_Status ecs_world_clear(ecs_World *world);
ecs_Status ecs_world_trim(ecs_World *world);
ecs_Status ecs_world_set_threads(ecs_World *world, uint32_t threads);
uint32_t ecs_world_threads(const ecs_World *world);
uint32_t ecs_cores(void);
typedef struct ecs_Statistics {
  uint64_t entities;
  uint64_t retired;
  uint64_t dropped;
  uint64_t groups;
  uint64_t tables;
  uint64_t components;
  uint64_t queries;
  uint64_t bytes;
  uint64_t peak_bytes;
  uint64_t allocations;
  uint64_t structure_version;
  uint64_t recorded;
  uint64_t limit_bytes;
  uint64_t grids;
  uint64_t grid_bytes;
} ecs_Statistics;
void ecs_world_statistics(const ecs_World *world,
                                  ecs_Statistics *statistics);
size_t ecs_world_explain(const ecs_World *world, char *text,
                                 size_t capacity);
uint64_t ecs_world_hash(const ecs_World *world);
uint64_t ecs_world_state_hash(const ecs_World *world);
typedef struct ecs_Snapshot ecs_Snapshot;
ecs_Status ecs_snapshot_create(ecs_World *world,
                                       ecs_Snapshot **snapshot);
void ecs_snapshot_destroy(ecs_Snapshot *snapshot);
ecs_Status ecs_snapshot_take(ecs_Snapshot *snapshot);
ecs_Status ecs_snapshot_restore(ecs_Snapshot *snapshot);
uint64_t ecs_snapshot_bytes(const ecs_Snapshot *snapshot);
typedef enum ecs_Scalar {
  ECS_F32 = 0,
  ECS_F64,
  ECS_I8,
  ECS_U8,
  ECS_I16,
  ECS_U16,
  ECS_I32,
  ECS_U32,
  ECS_BOOL,
  ECS_ENTITY,
  ECS_STRING,
  ECS_ANY_VALUE,
  ECS_SCALAR_COUNT
} ecs_Scalar;
typedef enum ecs_Storage {
  ECS_STORE_TABLE = 0,
  ECS_STORE_SPARSE,
  ECS_STORE_BITS
} ecs_Storage;
typedef struct ecs_Field {
  const char *name;
  ecs_Scalar type;
  double default_value;
} ecs_Field;
typedef enum ecs_LinkRule {
  ECS_LINK_CLEAR = 0,
  ECS_LINK_REMOVE,
  ECS_LINK_DESTROY,
  ECS_LINK_RULE_COUNT
} ecs_LinkRule;
typedef struct ecs_Link {
  uint32_t field;
  ecs_LinkRule rule;
  bool tree;
} ecs_Link;
typedef struct ecs_ComponentDescription {
  const char *name;
  const ecs_Field *fields;
  uint32_t field_count;
  ecs_Storage storage;
  const ecs_Link *links;
  uint32_t link_count;
} ecs_ComponentDescription;
ecs_Status ecs_component(ecs_World *world,
                                 const ecs_ComponentDescription *description,
                                 ecs_Component *component);
ecs_Status ecs_component_need(ecs_World *world, ecs_Component component,
                                      const ecs_Component *needs,
                                      uint32_t count);
ecs_Component ecs_component_find(const ecs_World *world,
                                         const char *name);
const char *ecs_component_name(const ecs_World *world,
                                       ecs_Component component);
typedef struct ecs_FieldInfo {
  const char *name;
  ecs_Scalar type;
  uint32_t offset;
  double default_value;
  bool is_link;
  ecs_LinkRule rule;
  bool tree;
} ecs_FieldInfo;
uint32_t ecs_component_field_count(const ecs_World *world,
                                           ecs_Component component);
uint32_t ecs_component_image_bytes(const ecs_World *world,
                                           ecs_Component component);
ecs_Status ecs_component_field(const ecs_World *world,
                                       ecs_Component component, uint32_t field,
                                       ecs_FieldInfo *info);
ecs_Storage ecs_component_storage(const ecs_World *world,
                                          ecs_Component component);
ecs_Status ecs_scalar_store(ecs_Scalar type, void *place, double value);
void ecs_scalar_convert(ecs_Scalar type, void *place, double value);
double ecs_scalar_load(ecs_Scalar type, const void *place);
uint32_t ecs_scalar_bytes(ecs_Scalar type);
const char *ecs_scalar_name(ecs_Scalar type);
ecs_Status ecs_links(const ecs_World *world, ecs_Entity target,
                             ecs_Component component, uint32_t field,
                             ecs_Entity *sources, uint32_t capacity,
                             uint32_t *count);
ecs_Status ecs_link_target(const ecs_World *world, ecs_Entity source,
                                   ecs_Component component, uint32_t field,
                                   ecs_Entity *target);
bool ecs_refused_link(const ecs_World *world, ecs_Entity *source,
                              ecs_Entity *target);
ecs_Status ecs_group(ecs_World *world, const ecs_Component *components,
                             uint32_t count);
ecs_Status ecs_group_bits(ecs_World *world,
                                  const ecs_Component *components,
                                  uint32_t count);
ecs_Status ecs_ungroup(ecs_World *world,
                               const ecs_Component *components, uint32_t count);
ecs_Status ecs_bundle(ecs_World *world, const ecs_Component *components,
                              uint32_t count, ecs_Bundle *bundle);
ecs_Status ecs_reserve(ecs_World *world, ecs_Bundle bundle,
                               uint64_t count);
ecs_Status ecs_spawn(ecs_World *world, const ecs_Component *components,
                             uint32_t count, const void *const *values,
                             ecs_Entity *entity);
ecs_Status ecs_spawn_bundle(ecs_World *world, ecs_Bundle bundle,
                                    const void *const *values,
                                    ecs_Entity *entity);
ecs_Status ecs_spawn_as(ecs_World *world, ecs_Entity entity,
                                const ecs_Component *components, uint32_t count,
                                const void *const *values);
typedef struct ecs_Member {
  ecs_Bundle bundle;
  const void *const *values;
  uint32_t parent;
} ecs_Member;
typedef struct ecs_Family {
  const ecs_Member *members;
  uint32_t member_count;
  ecs_Component link;
  uint32_t field;
  ecs_Entity
      first;
} ecs_Family;
ecs_Status ecs_spawn_family(ecs_World *world, const ecs_Family *family,
                                    uint64_t count, ecs_Entity *entities);
ecs_Status ecs_spawn_children(ecs_World *world,
                                      const ecs_Family *family,
                                      const ecs_Entity *parents,
                                      uint64_t count);
ecs_Status ecs_reserve_family(ecs_World *world,
                                      const ecs_Family *family, uint64_t count);
ecs_Status ecs_destroy(ecs_World *world, ecs_Entity entity);
bool ecs_alive(const ecs_World *world, ecs_Entity entity);
ecs_Status ecs_clone(ecs_World *world, ecs_Entity entity,
                             ecs_Entity *clone);
ecs_Status ecs_set_name(ecs_World *world, ecs_Entity entity,
                                const char *name);
ecs_Status ecs_name_tag(ecs_World *world, ecs_Component tag);
const char *ecs_name(const ecs_World *world, ecs_Entity entity);
ecs_Entity ecs_find(const ecs_World *world, const char *name);
ecs_Status ecs_add(ecs_World *world, ecs_Entity entity,
                           ecs_Component component, const void *image);
ecs_Status ecs_remove(ecs_World *world, ecs_Entity entity,
                              ecs_Component component);
ecs_Status ecs_replace(ecs_World *world, ecs_Entity entity,
                               ecs_Component gone, ecs_Component added,
                               const void *image, uint64_t fields);
ecs_Status ecs_set(ecs_World *world, ecs_Entity entity,
                           ecs_Component component, const void *image,
                           uint64_t fields);
ecs_Status ecs_get(const ecs_World *world, ecs_Entity entity,
                           ecs_Component component, void *image);
ecs_Status ecs_get_field(const ecs_World *world, ecs_Entity entity,
                                 ecs_Component component, uint32_t field,
                                 double *value);
ecs_Status ecs_set_field(ecs_World *world, ecs_Entity entity,
                                 ecs_Component component, uint32_t field,
                                 double value);
bool ecs_has(const ecs_World *world, ecs_Entity entity,
                     ecs_Component component);
uint32_t ecs_components_of(const ecs_World *world, ecs_Entity entity,
                                   ecs_Component *components,
                                   uint32_t capacity);
ecs_Status ecs_destroy_many(ecs_World *world,
                                    const ecs_Entity *entities, uint32_t count,
                                    uint32_t *found);
ecs_Status ecs_add_many(ecs_World *world, const ecs_Entity *entities,
                                uint32_t count, ecs_Component component,
                                const void *image, uint32_t *found);
ecs_Status ecs_remove_many(ecs_World *world, const ecs_Entity *entities,
                                   uint32_t count, ecs_Component component,
                                   uint32_t *found);
typedef struct ecs_Accessor {
  uint64_t private_state[12];
} ecs_Accessor;
ecs_Status ecs_accessor(ecs_World *world, ecs_Component component,
                                ecs_Accessor *accessor);
ecs_Status ecs_accessor_get(ecs_Accessor *accessor, ecs_Entity entity,
                                    void *image);
ecs_Status ecs_accessor_set(ecs_Accessor *accessor, ecs_Entity entity,
                                    const void *image);
ecs_Status ecs_accessor_get_many(ecs_Accessor *accessor,
                                         const ecs_Entity *entities,
                                         uint32_t count, void *const *columns,
                                         uint32_t *found);
ecs_Status ecs_accessor_set_many(ecs_Accessor *accessor,
                                         const ecs_Entity *entities,
                                         uint32_t count,
                                         const void *const *columns,
                                         uint32_t *found);
typedef enum ecs_Access {
  ECS_WRITE = 0,
  ECS_READ,
  ECS_OPTIONAL,
  ECS_UP,
  ECS_WITH,
  ECS_WITHOUT,
  ECS_ANY,
  ECS_ALONG,
  ECS_ACCESS_COUNT
} ecs_Access;
typedef struct ecs_Term {
  ecs_Component component;
  ecs_Access access;
} ecs_Term;
ecs_Status ecs_query_create(ecs_World *world, const ecs_Term *terms,
                                    uint32_t count, ecs_Query **query);
ecs_Status ecs_query_destroy(ecs_Query *query);
ecs_Status ecs_query_count(ecs_Query *query, uint64_t *count);
ecs_Status ecs_query_first(ecs_Query *query, ecs_Entity *entity);
ecs_Status ecs_query_target(const ecs_Query *query, ecs_Entity entity,
                                    ecs_Entity *target);
ecs_Status ecs_query_column(const ecs_Query *query, uint32_t term,
                                    uint32_t field, uint32_t *column);
uint32_t ecs_query_column_count(const ecs_Query *query);
ecs_Status ecs_query_ask_changes(ecs_Query *query, uint32_t term);
void ecs_query_mark_seen(ecs_Query *query);
ecs_Status ecs_query_sort(ecs_Query *query, uint32_t term,
                                  uint32_t field, bool down);
size_t ecs_query_explain(ecs_Query *query, char *text, size_t capacity);
typedef enum ecs_Place {
  ECS_PLACE_MAIN = 0,
  ECS_PLACE_SET,
  ECS_PLACE_GROUP,
  ECS_PLACE_BITS,
  ECS_PLACE_FIELD,
  ECS_PLACE_ARRAY
} ecs_Place;
typedef enum ecs_Reason {
  ECS_REASON_CHANGES = 0,
  ECS_REASON_LISTS,
  ECS_REASON_COPIES,
  ECS_REASON_TABLES,
  ECS_REASON_MEMORY,
  ECS_REASON_TOGETHER,
  ECS_REASON_ALONE
} ecs_Reason;
typedef struct ecs_Advice {
  ecs_Component component;
  ecs_Place from;
  ecs_Place to;
  ecs_Component from_beside;
  ecs_Component to_beside;
  ecs_Reason reason;
  int64_t gain;
} ecs_Advice;
typedef struct ecs_ComponentStatistics {
  uint64_t
      changes;
  ecs_Place place;
  ecs_Component beside;
} ecs_ComponentStatistics;
ecs_Status
ecs_component_statistics(const ecs_World *world, ecs_Component component,
                         ecs_ComponentStatistics *statistics);
ecs_Status ecs_query_count_runs(ecs_Query *query, uint64_t runs);
ecs_Status ecs_world_advise(ecs_World *world, ecs_Advice *entries,
                                    uint32_t capacity, uint32_t *count);
ecs_Status ecs_world_optimize(ecs_World *world, ecs_Advice *entries,
                                      uint32_t capacity, uint32_t *count);
ecs_Status ecs_query_add_all(ecs_Query *query, ecs_Component component,
                                     const void *image);
ecs_Status ecs_query_remove_all(ecs_Query *query,
                                        ecs_Component component);
ecs_Status ecs_query_replace_all(ecs_Query *query, ecs_Component gone,
                                         ecs_Component added, const void *image,
                                         uint64_t fields);
ecs_Status ecs_query_set_all(ecs_Query *query, ecs_Component component,
                                     const void *image, uint64_t fields);
ecs_Status ecs_query_destroy_all(ecs_Query *query);
ecs_Status ecs_query_destroy_in_order(ecs_Query *query);
ecs_Status ecs_query_mark_all(ecs_Query *query, ecs_Component tag);
typedef struct ecs_Cursor {
  uint64_t private_state[16];
} ecs_Cursor;
typedef struct ecs_Batch {
  uint32_t count;
  uint32_t column_count;
  const ecs_Entity *entities;
  void *const *columns;
} ecs_Batch;
typedef enum ecs_Batching {
  ECS_BATCH_WHOLE = 0,
  ECS_BATCH_COALESCED
} ecs_Batching;
ecs_Status ecs_query_begin(ecs_Query *query, ecs_Batching batching,
                                   ecs_Cursor *cursor);
ecs_Component ecs_world_contested(const ecs_World *world);
bool ecs_cursor_next(ecs_Cursor *cursor, ecs_Batch *batch);
ecs_Status ecs_cursor_end(ecs_Cursor *cursor);
void ecs_cursor_discard(ecs_Cursor *cursor);
ecs_Status ecs_query_entities(ecs_Query *query, ecs_Entity *entities,
                                      uint64_t capacity, uint64_t *count);
typedef enum ecs_RowFlag {
  ECS_ROW_MATCHES = 1,
  ECS_ROW_IN_PLACE = 2
} ecs_RowFlag;
ecs_Status ecs_query_locate(ecs_Query *query, ecs_Entity entity,
                                    void **elements, uint32_t *flags);
ecs_Status ecs_query_locate_run(ecs_Query *query,
                                        const ecs_Entity *entities,
                                        uint32_t count, void **elements,
                                        uint32_t *flags, uint32_t *run);
const uint64_t *ecs_world_row_epoch(const ecs_World *world);
ecs_Status ecs_spawn_many(ecs_World *world, ecs_Bundle bundle,
                                  uint64_t count, ecs_Cursor *cursor);
ecs_Status ecs_defer_begin(ecs_World *world);
ecs_Status ecs_defer_end(ecs_World *world);
void ecs_defer_discard(ecs_World *world);
bool ecs_deferring(const ecs_World *world);
typedef enum ecs_Occasion {
  ECS_ON_ADD = 0,
  ECS_ON_REMOVE,
  ECS_ON_SET,
  ECS_ON_ENTER,
  ECS_ON_LEAVE,
  ECS_ON_DESTROY,
  ECS_OCCASION_COUNT
} ecs_Occasion;
typedef uint32_t ecs_Observer;
typedef struct ecs_Notice {
  ecs_Observer observer;
  ecs_Entity entity;
  const void *const *images;
  uint32_t image_count;
} ecs_Notice;
ecs_Status ecs_observe(ecs_World *world, ecs_Occasion occasion,
                               ecs_Component component, ecs_Observer *observer);
ecs_Status ecs_observe_query(ecs_Query *query, ecs_Occasion occasion,
                                     ecs_Observer *observer);
void ecs_unobserve(ecs_World *world, ecs_Observer observer);
uint32_t ecs_notices_begin(ecs_World *world);
bool ecs_notice_next(ecs_World *world, ecs_Notice *notice);
void ecs_notices_drop(ecs_World *world);
const uint32_t *ecs_world_notices(const ecs_World *world);
typedef struct ecs_Saved ecs_Saved;
typedef struct ecs_SaveSink {
  bool (*write)(void *user, const void *bytes, size_t count);
  void *user;
} ecs_SaveSink;
ecs_Status ecs_world_save(ecs_World *world, const char *text,
                                  size_t text_bytes, const ecs_SaveSink *sink);
ecs_Status ecs_world_dump(ecs_World *world, const ecs_SaveSink *sink);
ecs_Status ecs_saved_open(ecs_World *world, const char *bytes,
                                  size_t count, ecs_Saved **saved,
                                  char *problem, size_t problem_bytes);
void ecs_saved_close(ecs_Saved *saved);
uint32_t ecs_saved_component_count(const ecs_Saved *saved);
ecs_Status ecs_saved_component(const ecs_Saved *saved, uint32_t number,
                                       ecs_ComponentDescription *description);
const char *ecs_saved_manifest(const ecs_Saved *saved, size_t *bytes);
const char *ecs_saved_text(const ecs_Saved *saved, size_t *bytes);
const void *ecs_saved_column(const ecs_Saved *saved, uint32_t component,
                                     uint32_t field, uint64_t *rows);
typedef struct ecs_SavedRow {
  uint32_t component;
  uint32_t image_bytes;
  uint64_t row;
  const void *const
      *values;
} ecs_SavedRow;
typedef struct ecs_LoadListener {
  const char *(*rename)(void *user,
                        const char *name);
  void (*tell)(void *user, const char *sentence);
  void *user;
  bool (*migrates)(void *user, const char *name);
  bool (*migrate)(void *user, const ecs_SavedRow *row,
                  void *image);
} ecs_LoadListener;
ecs_Status ecs_saved_load(const ecs_Saved *saved,
                                  const ecs_LoadListener *listener,
                                  char *problem, size_t problem_bytes);
ecs_Status ecs_snapshot_save(ecs_Snapshot *snapshot, const char *text,
                                     size_t text_bytes,
                                     const ecs_SaveSink *sink);
ecs_Status ecs_query_pack(ecs_Query *query,
                                  const ecs_Component *components,
                                  uint32_t component_count, const char *text,
                                  size_t text_bytes, const ecs_SaveSink *sink);
ecs_Status ecs_packed_open(ecs_World *world, const char *bytes,
                                   size_t count, ecs_Saved **packed,
                                   char *problem, size_t problem_bytes);
uint64_t ecs_packed_rows(const ecs_Saved *packed);
typedef struct ecs_UnpackOptions {
  bool as_new;
  ecs_Component with;
  const void *value;
  uint64_t fields;
} ecs_UnpackOptions;
ecs_Status ecs_packed_unpack(const ecs_Saved *packed,
                                     const ecs_UnpackOptions *options,
                                     const ecs_LoadListener *listener,
                                     ecs_Entity *entities, char *problem,
                                     size_t problem_bytes);
ecs_Status ecs_save_diff(ecs_World *world, const char *from,
                                 size_t from_bytes, const char *to,
                                 size_t to_bytes, const ecs_SaveSink *sink);
ecs_Status ecs_save_patch(ecs_World *world, const char *from,
                                  size_t from_bytes, const char *diff,
                                  size_t diff_bytes, const ecs_SaveSink *sink,
                                  const char **problem);
typedef struct ecs_KernelBlock {
  const ecs_Entity *entities;
  void *const *columns;
  uint32_t count;
  uint32_t reserved;
} ecs_KernelBlock;
typedef struct ecs_KernelElements {
  void *elements;
  uint32_t sizes[3];
  uint32_t dimensions;
  ecs_Scalar type;
  ecs_Access access;
} ecs_KernelElements;
typedef struct ecs_KernelCall {
  const ecs_KernelBlock *blocks;
  uint32_t block_count;
  uint32_t reserved;
  double dt;
  uint64_t tick;
  void *user;
  const ecs_KernelElements *arrays;
} ecs_KernelCall;
typedef struct ecs_KernelColumn {
  const char *component;
  const char *field;
  ecs_Scalar type;
  ecs_Access access;
} ecs_KernelColumn;
typedef enum ecs_KernelFlag {
  ECS_KERNEL_WHOLE_TABLES = 1,
  ECS_KERNEL_ENTITIES = 2,
  ECS_KERNEL_PARALLEL = 4
} ecs_KernelFlag;
typedef struct ecs_KernelParameter {
  const char *name;
  ecs_Scalar type;
  uint32_t offset;
  uint32_t bytes;
} ecs_KernelParameter;
typedef struct ecs_KernelParameters {
  const ecs_KernelParameter *list;
  uint32_t count;
  uint32_t bytes;
} ecs_KernelParameters;
typedef struct ecs_KernelArray {
  const char *name;
  ecs_Scalar type;
  uint32_t dimensions;
  ecs_Access access;
} ecs_KernelArray;
typedef struct ecs_KernelArrays {
  const ecs_KernelArray *list;
  uint32_t count;
  uint32_t reserved;
} ecs_KernelArrays;
typedef struct ecs_Kernel {
  const char *name;
  void (*run)(const ecs_KernelCall *call);
  const ecs_KernelColumn *columns;
  uint32_t column_count;
  uint32_t flags;
  const ecs_KernelParameters *parameters;
  const ecs_KernelArrays *arrays;
} ecs_Kernel;
typedef struct ecs_KernelLibrary {
  uint32_t abi;
  uint32_t kernel_bytes;
  uint32_t column_bytes;
  uint32_t call_bytes;
  const ecs_Kernel *kernels;
  uint32_t kernel_count;
  uint32_t parameter_bytes;
  uint32_t array_bytes;
  uint32_t elements_bytes;
} ecs_KernelLibrary;
ecs_Status ecs_library_load(const char *path,
                                    const ecs_KernelLibrary **library,
                                    char *text, size_t capacity);
const ecs_Kernel *ecs_library_find(const ecs_KernelLibrary *library,
                                           const char *name);
ecs_Status ecs_kernel_bind(ecs_Query *query, const ecs_Kernel *kernel,
                                   ecs_KernelBinding **binding,
                                   uint32_t *wrong);
struct ecs_Array;
ecs_Status ecs_kernel_use(ecs_KernelBinding *binding,
                                  struct ecs_Array *const *arrays,
                                  uint32_t count, uint32_t *wrong);
ecs_Status ecs_kernel_run(ecs_KernelBinding *binding,
                                  const ecs_KernelCall *call);
ecs_Status ecs_program_create(ecs_Query *query, const char *text,
                                      size_t length, ecs_Program **program,
                                      char *message, size_t capacity);
void ecs_program_destroy(ecs_Program *program);
size_t ecs_program_text(const ecs_Program *program, char *text,
                                size_t capacity);
typedef struct ecs_ProgramInfo {
  uint32_t uniforms;
  uint32_t reductions;
  uint32_t arrays;
  uint32_t grids;
  uint32_t operations;
  uint32_t bytes_read;
  uint32_t bytes_written;
  uint32_t slow_calls;
  bool exits;
  const char *back_end;
  const char *alone;
} ecs_ProgramInfo;
void ecs_program_info(const ecs_Program *program,
                              ecs_ProgramInfo *info);
typedef struct ecs_ProgramMeetings {
  uint32_t late;
  bool late_cycles;
  bool late_keys;
  uint64_t rows;
  uint64_t slices;
  uint64_t alone;
} ecs_ProgramMeetings;
void ecs_program_meetings(const ecs_Program *program,
                                  ecs_ProgramMeetings *meetings);
typedef struct ecs_ProgramStop {
  uint64_t row;
  uint64_t count;
  ecs_Entity endless;
  uint32_t line;
} ecs_ProgramStop;
typedef struct ecs_ProgramArray {
  const double *elements;
  const uint8_t *present;
  int32_t first;
  uint32_t count;
  const struct ecs_Array
      *array;
} ecs_ProgramArray;
typedef struct ecs_ProgramCall {
  const double *uniforms;
  double *reductions;
  uint32_t uniform_count;
  uint32_t reduction_count;
  uint64_t random_key;
  uint64_t first;
  ecs_ProgramStop *stop;
  const ecs_ProgramArray *arrays;
  uint32_t array_count;
  uint32_t grid_count;
  struct ecs_Grid *const *grids;
} ecs_ProgramCall;
ecs_Status ecs_program_run(ecs_Program *program,
                                   const ecs_ProgramCall *call);
double ecs_sin(double x);
double ecs_cos(double x);
double ecs_exp(double x);
double ecs_log(double x);
double ecs_pow(double x, double y);
double ecs_atan2(double y, double x);
double ecs_random(uint64_t key, ecs_Entity entity, double draws);
uint64_t ecs_random_key(uint64_t seed, const char *name, uint64_t tick);
]=]
end

--- Structs that bindings/lua shares, as texts for ffi.typeof; $ stands for a
-- struct above.
return {
  ViewColumn = [[
struct {
  uint32_t scalar;
  uint32_t writable;
  uint32_t touched;
  int32_t slot;
  uint32_t filled;
  uint32_t field;
  const void *definition;
  double address;
}]],
  View = [[
struct {
  const void *type; uint64_t magic; size_t bytes;
  ecs_Batch batch;
  $ *columns;
}]],
  RowLoop = [[
struct {
  const void *type; uint64_t magic; size_t bytes;
  int32_t row;
  int32_t located;
  uint32_t flags;
  uint32_t at;
  uint64_t stamp;
  void **elements;
  const int64_t *entities;
  uint32_t count;
  uint32_t unchanged;
  int (*advance)(void *);
  double *ids;
  double (*load)(void *, uint32_t column, uint32_t scalar);
  int (*store)(void *, uint32_t column, uint32_t scalar, double value);
  const uint64_t *epoch;
  const uint32_t *found;
  void *near;
  void *world;
  void *query;
}]],
  Calls = [[
struct {
  double (*get)(void *, double, uint32_t);
  int (*present)(void *, double);
  int (*pair)(void *, double, uint32_t, uint32_t, double *);
  int (*all)(void *, double, double *);
  int32_t (*set)(void *, double, uint32_t, double);
  int (*has)(void *, double);
  int (*alive)(void *, double);
  int (*add)(const void *, double);
  int (*remove)(const void *, double);
  int (*destroy)(const void *, double);
}]],
  PreparedCalls = [[
struct {
  double (*get)(void *, double, uint32_t);
  int (*present)(void *, double);
  int (*pair)(void *, double, uint32_t, uint32_t, double *);
  int (*some)(void *, double, double *);
  int32_t (*set)(void *, double, uint32_t, double);
  int32_t (*set_some)(void *, double, const double *);
  int (*alive)(void *, double);
  int (*has)(void *, double);
  int (*has_all)(void *, uint32_t, double);
  double (*spawn)(const void *, const double *);
}]],
  ValueCalls = [[
struct {
  int32_t (*make_value)(void *, const void *, uint32_t, const double *);
  int32_t (*set_value)(const void *, double, const void *);
  int32_t (*add_value)(const void *, double, const void *);
  int32_t (*set_fields)(const void *, double, uint32_t, const double *);
  int32_t (*add_fields)(const void *, double, uint32_t, const double *);
  double (*spawn)(const void *, uint32_t, const double *, const uint32_t *, const void *, const void *, const void *, const void *, const void *, const void *, const void *, const void *);
}]],
  ProgramCalls = [[
struct {
  int32_t (*run)(void *, double);
  int32_t (*idle)(const void *);
}]],
  PassCalls = [[
struct {
  int32_t (*run)(void *, double, double);
}]],
  QueryCalls = [[
struct {
  int32_t (*touch)(void *, const void *, uint32_t, double);
}]],
  GridCalls = [[
struct {
  int32_t (*within)(void *, double, double, double, double);
  int32_t (*box)(void *, double, double, double, double, double, double);
  int32_t (*pairs)(void *, double);
  int32_t (*nearest)(void *, double, double, double, double, double);
  double (*count)(void *, double, double, double, double);
  int32_t (*any)(void *, double, double, double, double, double);
}]],
  VIEW_FOCUS = 1,
  SPAWN_PARTS = 8,
  TABLE_FIELDS = 12,
}
