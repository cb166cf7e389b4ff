/* instance.c: one real world of a model test, with its objects. */
#include "instance.h"

#include <string.h>

/* Components -------------------------------------------------------------- */

typedef struct Definition {
  const char *name;
  ecs_Storage storage;
  uint32_t field_count;
  ecs_Field fields[ORACLE_FIELDS];
} Definition;

/* Every scalar type, defaults that are zero and that are not, odd images. */
static const Definition definitions[ORACLE_COMPONENTS] = {
    {"Position", ECS_STORE_TABLE, 2, {{"x", ECS_F32, 0}, {"y", ECS_F32, 0}}},
    {"Velocity", ECS_STORE_TABLE, 2, {{"x", ECS_F32, 1.5}, {"y", ECS_F32, 0}}},
    {"Health",
     ECS_STORE_TABLE,
     2,
     {{"hp", ECS_I32, 100}, {"max", ECS_I32, 100}}},
    {"Everything",
     ECS_STORE_TABLE,
     10,
     {{"a", ECS_I8, -5},
      {"b", ECS_F32, 0.5},
      {"c", ECS_U8, 250},
      {"d", ECS_F64, -2.25},
      {"e", ECS_BOOL, 1},
      {"f", ECS_I16, -30000},
      {"g", ECS_ENTITY, 0},
      {"h", ECS_U16, 60000},
      {"i", ECS_I32, -2000000000},
      {"j", ECS_U32, 4000000000.0}}},
    {"Shield",
     ECS_STORE_SPARSE,
     2,
     {{"level", ECS_U16, 3}, {"strong", ECS_BOOL, 0}}},
    {"Target", ECS_STORE_SPARSE, 1, {{"who", ECS_ENTITY, 0}}},
    {"Enemy", ECS_STORE_TABLE, 0, {{NULL, ECS_F32, 0}}},
    {"Stunned", ECS_STORE_SPARSE, 0, {{NULL, ECS_F32, 0}}},
    {"Frozen", ECS_STORE_BITS, 0, {{NULL, ECS_F32, 0}}},
    {"Mass", ECS_STORE_TABLE, 1, {{"kg", ECS_F64, 2.25}}},
    {"Flags", ECS_STORE_SPARSE, 1, {{"bits", ECS_U8, 0}}},
    {"Burning", ECS_STORE_BITS, 0, {{NULL, ECS_F32, 0}}},
    {"Hidden", ECS_STORE_SPARSE, 0, {{NULL, ECS_F32, 0}}},
    {"Armour", ECS_STORE_TABLE, 2, {{"thick", ECS_I16, 0}, {"on", ECS_U8, 0}}},
};

void model_components(Oracle *oracle) {
  for (uint32_t i = 0; i < ORACLE_COMPONENTS; i++)
    oracle_component(oracle, definitions[i].fields, definitions[i].field_count);
}

/* Needs of needs, a circle, and tags of every storage. */
void model_needs(Oracle *oracle) {
  oracle->needs[HEALTH] = 1u << SHIELD | 1u << ENEMY;
  oracle->needs[SHIELD] = 1u << VELOCITY;
  oracle->needs[VELOCITY] = 1u << HEALTH;
  oracle->needs[ENEMY] = 1u << BURNING;
  oracle->needs[TARGET] = 1u << MASS;
  oracle->needs[FROZEN] = 1u << STUNNED | 1u << EVERYTHING;
}

static bool declare_needs(const Instance *instance, const Oracle *oracle) {
  for (ecs_Component c = 1; c <= ORACLE_COMPONENTS; c++)
    for (ecs_Component need = 1; need <= ORACLE_COMPONENTS; need++)
      if ((oracle->needs[c] >> need & 1) &&
          ecs_component_need(instance->world, c, &need, 1) != ECS_OK)
        return false;
  return true;
}

static ecs_Storage storage_for(InstanceKind kind, ecs_Storage mixed) {
  if (kind == INSTANCE_MAIN) return ECS_STORE_TABLE;
  if (kind == INSTANCE_SPARSE) return ECS_STORE_SPARSE;
  return mixed;
}

/* The image is as the oracle lays it out. */
static bool schema_agrees(const Instance *instance, ecs_Component component,
                          const OracleComponent *schema) {
  if (ecs_component_image_bytes(instance->world, component) !=
          schema->image_bytes * (schema->field_count > 0) ||
      ecs_component_field_count(instance->world, component) !=
          schema->field_count)
    return false;
  for (uint32_t f = 0; f < schema->field_count; f++) {
    ecs_FieldInfo info;
    if (ecs_component_field(instance->world, component, f, &info) != ECS_OK ||
        info.offset != schema->offsets[f] || info.type != schema->types[f])
      return false;
  }
  return true;
}

static bool define_all(Instance *instance, const Oracle *oracle) {
  for (uint32_t i = 0; i < ORACLE_COMPONENTS; i++) {
    const Definition *definition = &definitions[i];
    const ecs_ComponentDescription description = {
        .name = definition->name,
        .fields = definition->fields,
        .field_count = definition->field_count,
        .storage = storage_for(instance->kind, definition->storage)};
    ecs_Component component = 0;
    if (ecs_component(instance->world, &description, &component) != ECS_OK ||
        component != i + 1 ||
        !schema_agrees(instance, component, &oracle->components[component]))
      return false;
  }
  return true;
}

/* Kernels ----------------------------------------------------------------- */

/* Position.x = Velocity.x: full where both share a group. */
static void run_copy(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    float *x = block->columns[0];
    const float *from = block->columns[1];
    for (uint32_t i = 0; i < block->count; i++) x[i] = from[i];
  }
}

static int32_t mark_of(ecs_Entity entity, const ecs_KernelCall *call) {
  return (int32_t)((entity ^ entity >> 20 ^ call->tick) & 0xffffu) +
         (int32_t)call->dt;
}

/* Health.hp from the entity and the tick; Shield.level where it is there. */
static void run_mark(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    int32_t *hp = block->columns[0];
    uint16_t *level = block->columns[1];
    for (uint32_t i = 0; i < block->count; i++) {
      hp[i] = mark_of(block->entities[i], call);
      if (level != NULL) level[i] = (uint16_t)hp[i];
    }
  }
}

/* Mass.kg += the parameter, over rows that are filtered by tags. */
static void run_weigh(const ecs_KernelCall *call) {
  const double *more = call->user;
  for (uint32_t b = 0; b < call->block_count; b++) {
    double *kg = call->blocks[b].columns[0];
    for (uint32_t i = 0; i < call->blocks[b].count; i++) kg[i] = kg[i] + *more;
  }
}

static const ecs_KernelColumn copy_columns[] = {
    {"Position", "x", ECS_F32, ECS_WRITE},
    {"Velocity", "x", ECS_F32, ECS_READ}};
static const ecs_KernelColumn mark_columns[] = {
    {"Health", "hp", ECS_I32, ECS_WRITE},
    {"Shield", "level", ECS_U16, ECS_OPTIONAL}};
static const ecs_KernelColumn weigh_columns[] = {
    {"Mass", "kg", ECS_F64, ECS_WRITE}};

const ecs_Kernel model_kernels[KERNELS] = {
    {"copy", run_copy, copy_columns, 2, 0, NULL, NULL},
    {"mark", run_mark, mark_columns, 2, ECS_KERNEL_ENTITIES, NULL, NULL},
    {"weigh", run_weigh, weigh_columns, 1, 0, NULL, NULL}};

uint32_t model_kernel_terms(uint32_t kernel, ecs_Term *terms) {
  static const ecs_Term all[KERNELS][4] = {
      {{POSITION, ECS_WRITE}, {VELOCITY, ECS_READ}},
      {{SHIELD, ECS_OPTIONAL}, {HEALTH, ECS_WRITE}},
      {{MASS, ECS_WRITE}, {FROZEN, ECS_WITHOUT}, {FLAGS, ECS_READ}}};
  static const uint32_t counts[KERNELS] = {2, 2, 3};
  memcpy(terms, all[kernel], counts[kernel] * sizeof *terms);
  return counts[kernel];
}

void model_kernel_apply(uint32_t kernel, OracleEntity *entity,
                        const ecs_KernelCall *call) {
  if (kernel == 0) {
    entity->values[POSITION][0] = entity->values[VELOCITY][0];
  } else if (kernel == 1) {
    const int32_t mark = mark_of(entity->handle, call);
    entity->values[HEALTH][0] = mark;
    if (entity->has[SHIELD]) entity->values[SHIELD][0] = (uint16_t)mark;
  } else {
    entity->values[MASS][0] = entity->values[MASS][0] + *(double *)call->user;
  }
}

static bool bind_kernels(Instance *instance) {
  for (uint32_t k = 0; k < KERNELS; k++) {
    ecs_Term terms[ORACLE_TERMS];
    const uint32_t count = model_kernel_terms(k, terms);
    if (ecs_query_create(instance->world, terms, count,
                         &instance->kernel_queries[k]) != ECS_OK ||
        ecs_kernel_bind(instance->kernel_queries[k], &model_kernels[k],
                        &instance->bindings[k], NULL) != ECS_OK)
      return false;
  }
  return true;
}

/* Lifetime ---------------------------------------------------------------- */

bool instance_make(Instance *instance, InstanceKind kind,
                   const Oracle *oracle) {
  static const ecs_Component together[] = {EVERYTHING, MASS, BURNING};
  memset(instance, 0, sizeof *instance);
  instance->kind = kind;
  const ecs_WorldDescription description = {
      .memory = failing_memory_init(&instance->memory)};
  if (ecs_world_create(&description, &instance->world) != ECS_OK ||
      !define_all(instance, oracle) || !declare_needs(instance, oracle) ||
      !bind_kernels(instance))
    return false;
  if (kind >= INSTANCE_MIXED &&
      ecs_group(instance->world, together, 3) != ECS_OK)
    return false;
  for (ecs_Component c = 1; c <= ORACLE_COMPONENTS; c++) {
    ecs_Status expected =
        oracle->components[c].field_count > 0 ? ECS_OK : ECS_E_COMPONENT;
    if (ecs_accessor(instance->world, c, &instance->accessors[c]) != expected ||
        ecs_rows_open(instance->world, c, &instance->rows[c]) != expected)
      return false;
  }
  return true;
}

bool instance_end(Instance *instance) {
  ecs_world_destroy(instance->world);
  instance->world = NULL;
  return instance->memory.blocks == 0 && instance->memory.bytes == 0;
}
