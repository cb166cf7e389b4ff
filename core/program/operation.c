/* operation.c: what each operation of a kernel program is called and takes. */
#include "program/operation.h"

/* clang-format off */
const OperationInfo operation_infos[OPERATION_COUNT] = {
#define OPERATION(name, text, shape) {text, SHAPE_##shape},
    ECS_VALUE_OPERATIONS(OPERATION)
    ECS_EFFECT_OPERATIONS(OPERATION)
#undef OPERATION
};
/* clang-format on */

const char *value_type_name(ValueType type) {
  static const char *const names[VALUE_TYPE_COUNT] = {"f32", "f64", "bool",
                                                      "entity"};
  return names[type];
}

uint32_t shape_operand_count(OperationShape shape) {
  switch (shape) {
    case SHAPE_UNARY:
    case SHAPE_NEGATION:
    case SHAPE_CONVERT:
    case SHAPE_QUANTIZE:
    case SHAPE_ELEMENT:
    case SHAPE_AT:
    case SHAPE_INSIDE:
    case SHAPE_ALIVE:
    case SHAPE_HAS:
    case SHAPE_GET:
    case SHAPE_RANDOM:
    case SHAPE_FOUND:
    case SHAPE_FOUND_GET:
    case SHAPE_CARRY: return 1;
    case SHAPE_BINARY:
    case SHAPE_COMPARE:
    case SHAPE_EQUAL:
    case SHAPE_INDEX:
    case SHAPE_NTH:
    case SHAPE_LOGIC: return 2;
    case SHAPE_SELECT: return 3;
    default: return 0;
  }
}

bool shape_is_typed(OperationShape shape) {
  switch (shape) {
    case SHAPE_LOGIC:
    case SHAPE_NEGATION:
    case SHAPE_PRESENT:
    case SHAPE_SELF:
    case SHAPE_INDEX:
    case SHAPE_INSIDE:
    case SHAPE_ALIVE:
    case SHAPE_HAS:
    case SHAPE_SPAWN:
    case SHAPE_NEAR:
    case SHAPE_NEAREST:
    case SHAPE_ANY:
    case SHAPE_NTH:
    case SHAPE_FOUND:
    case SHAPE_RANDOM: return false;
    default: return true;
  }
}

bool scalar_loads_as(ecs_Scalar scalar, ValueType type) {
  switch (scalar) {
    case ECS_F32:
    case ECS_I8:
    case ECS_U8:
    case ECS_I16:
    case ECS_U16: return type == VALUE_F32 || type == VALUE_F64;
    case ECS_BOOL: return type == VALUE_BOOL;
    case ECS_ENTITY: return type == VALUE_ENTITY;
    case ECS_ANY_VALUE: return false;
    default: return type == VALUE_F64;
  }
}

bool scalar_stores_as(ecs_Scalar scalar, ValueType type) {
  if (scalar == ECS_BOOL) return type == VALUE_BOOL;
  if (scalar == ECS_ENTITY) return type == VALUE_ENTITY;
  if (scalar == ECS_ANY_VALUE) return false;
  return type == VALUE_F32 || type == VALUE_F64;
}
