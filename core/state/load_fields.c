/* load_fields.c: fields of a save, compared with those of a world and converted.
 */
#include "state/load_fields.h"

ecs_Status load_compare_fields(Load *load, const SavedComponent *component,
                               const Schema *schema) {
  const SavedField *fields = saved_fields(load->saved, component);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < schema->field_count; i++) {
    const SchemaField *field = &schema->fields[i];
    const SavedField *was = load_find_field(load, component, field->name);
    kept += was != NULL;
    if (was == NULL)
      load_tell(load, "%s.%s is new: it has its default", schema->name,
                field->name);
    else if (was->type != field->type)
      load_tell(load, "%s.%s has another type: it was converted", schema->name,
                field->name);
    else if (was->link != field->link || was->tree != field->tree)
      load_tell(load, "%s.%s is another kind of link", schema->name,
                field->name);
    if (was != NULL && (was->type >= ECS_BOOL || field->type >= ECS_BOOL) &&
        was->type != field->type)
      return load_refuse_of(load, "%s.%s has a type that cannot be converted",
                            schema->name, field->name);
  }
  for (uint32_t i = 0;
       kept < component->field_count && i < component->field_count; i++) {
    uint32_t k = 0;
    while (k < schema->field_count &&
           strcmp(schema->fields[k].name, fields[i].name) != 0)
      k++;
    if (k == schema->field_count)
      load_tell(load, "%s.%s is gone: its values were dropped", schema->name,
                fields[i].name);
  }
  return ECS_OK;
}

/* Stores a number as an element of a type. False: something would be lost. */
static bool put_number(ecs_Scalar type, void *element, double number) {
  return ecs_scalar_store(type, element, number) == ECS_OK &&
         (number != number || ecs_scalar_load(type, element) == number);
}

static bool refuse_value(const Load *load, const char *format,
                         const SavedComponent *component,
                         const SchemaField *field) {
  (void)load_refuse_of(load, format, component->name, field->name);
  return false;
}

/* Values of the same type. */
static bool copy_values(const Load *load, const SavedComponent *component,
                        const SchemaField *field, const char *values,
                        uint64_t rows, char *to, size_t step) {
  uint32_t bytes = scalar_bytes(field->type), wrong = 0;
  if (step == bytes && rows <= UINT32_MAX) {
    memcpy(to, values, rows * bytes);
    wrong = ecs_scalar_canonicalize_many(field->type, to, (uint32_t)rows);
  } else {
    for (uint64_t row = 0; row < rows && wrong == 0; row++, to += step) {
      memcpy(to, values + row * bytes, bytes);
      wrong = ecs_scalar_canonicalize_many(field->type, to, 1);
    }
  }
  return wrong == 0 ||
         refuse_value(load, "a value of %s.%s is none", component, field);
}

bool load_field(const Load *load, const SavedComponent *component,
                const SchemaField *field, uint64_t first, uint64_t rows,
                char *to, size_t step) {
  const SavedField *was = load_find_field(load, component, field->name);
  size_t bytes = scalar_bytes(field->type);
  if (was != NULL && was->type == field->type)
    return copy_values(load, component, field, was->values + first * bytes,
                       rows, to, step);
  for (uint64_t row = 0; row < rows; row++, to += step) {
    double value = field->default_value;
    uint64_t element = 0;
    if (was != NULL)
      value = ecs_scalar_load(
          was->type, was->values + (first + row) * scalar_bytes(was->type));
    if (!put_number(field->type, &element, value))
      return refuse_value(load, "a value of %s.%s does not fit its type",
                          component, field);
    memcpy(to, &element, bytes);
  }
  return true;
}
