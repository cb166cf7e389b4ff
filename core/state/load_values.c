/* load_values.c: columns and tags of a save. */
#include "state/load_values.h"

#include "state/load_fields.h"

/* Values made anew -------------------------------------------------------- */

bool load_is_migrated(const Load *load, const SavedComponent *component) {
  const ecs_LoadListener *listener = load->listener;
  return listener->migrates != NULL && listener->migrate != NULL &&
         listener->migrates(listener->user, component->name);
}

/* One row. False: the listener refuses it. */
static bool migrate_row(const Load *load, const SavedComponent *component,
                        const Schema *schema, ecs_SavedRow *row, char *image) {
  const SavedField *fields = saved_fields(load->saved, component);
  const void *values[ECS_FIELD_LIMIT];
  for (uint32_t i = 0; i < component->field_count; i++)
    values[i] = fields[i].values + row->row * scalar_bytes(fields[i].type);
  row->values = values;
  memcpy(image, schema->default_image, schema->image_bytes);
  if (!load->listener->migrate(load->listener->user, row, image)) return false;
  for (uint32_t i = 0; i < schema->field_count; i++)
    scalar_canonicalize(schema->fields[i].type,
                        image + schema->fields[i].offset);
  return true;
}

ecs_Status load_migrate(Load *load, uint32_t number, const Schema *schema) {
  const SavedComponent *component = &saved_components(load->saved)[number];
  LoadComponent *made = &load->components[number];
  load_tell(load, "%s has new values%s", component->name, "");
  if (schema->image_bytes == 0) return ECS_OK;
  made->image_bytes = schema->image_bytes;
  made->images =
      memory_zeroed(load->memory, component->rows + 1, schema->image_bytes);
  if (made->images == NULL) return ECS_E_MEMORY;
  ecs_SavedRow row = {.component = number, .image_bytes = schema->image_bytes};
  for (; row.row < component->rows; row.row++)
    if (!migrate_row(load, component, schema, &row,
                     made->images + row.row * made->image_bytes))
      return load_refuse_of(load, "a value of %s was refused%s",
                            component->name, "");
  return ECS_OK;
}

void load_forget_images(Load *load) {
  for (uint32_t i = 0; i < load->saved->components.count; i++)
    if (load->components[i].images != NULL)
      memory_free(load->memory, load->components[i].images,
                  (saved_components(load->saved)[i].rows + 1) *
                      load->components[i].image_bytes);
}

static char *load_images(const LoadComponent *made, const SchemaField *field,
                         uint32_t rows, char *to) {
  size_t bytes = scalar_bytes(field->type);
  const char *image = made->images + made->row * made->image_bytes;
  for (uint32_t row = 0; row < rows; row++, to += bytes)
    memcpy(to, image + row * made->image_bytes + field->offset, bytes);
  return to;
}

/* Held values ------------------------------------------------------------- */

/* Is a number what a field of a type may have? 0 stands for "" and nil. */
static bool is_held_as(const HeldValues *held, ecs_Scalar type,
                       uint32_t number) {
  const HeldValue *value = held_get(held, number);
  if (type == ECS_ANY_VALUE) return number == 0 || value != NULL;
  return value != NULL && value->kind == HELD_STRING && value->bytes > 0;
}

ecs_Status load_check_held(Load *load) {
  const ecs_Saved *saved = load->saved;
  const SavedValue *values = saved->values.all;
  const HeldValues *held = load->store->held;
  if (!saved->has_values) return ECS_OK;
  if (saved->number_count != saved->values.count)
    return load_refuse(load, "nothing holds its values here");
  if (saved->values_differ) load->same = false;
  if (held == NULL || saved->values.count == 0) return ECS_OK;
  char *seen = memory_zeroed(load->memory, held->count + 1u, 1);
  if (seen == NULL) return ECS_E_MEMORY;
  ecs_Status status = ECS_OK;
  for (uint32_t k = 0; status == ECS_OK && k < saved->values.count; k++) {
    uint32_t number = saved->numbers[k];
    ecs_Scalar type = values[k].is_text ? ECS_STRING : ECS_ANY_VALUE;
    bool is_new = number == 0 || number >= held->count || !seen[number];
    if (!is_held_as(held, type, number) ||
        (!values[k].is_made && (number == 0 || !is_new)))
      status = load_refuse(load, "a value in it is there twice, or none");
    else if (number != 0 && !values[k].is_made)
      seen[number] = 1;
  }
  memory_free(load->memory, seen, held->count + 1u);
  return status;
}

void load_held(const Load *load, const SavedField *was, uint64_t first,
               size_t rows, char *to, size_t stride) {
  for (size_t row = 0; row < rows; row++, to += stride) {
    uint32_t index = load_get32(was->values, first + row);
    uint32_t number = index == 0 ? 0 : load->saved->numbers[index - 1];
    memcpy(to, &number, sizeof number);
  }
}

/* Columns ----------------------------------------------------------------- */

/* A column of a table, from the save or from the default. Returns where its
 * bytes end; NULL: a value is wrong, and problem says why. */
static char *load_column(Load *load, const SavedComponent *component,
                         const SchemaField *field, uint64_t first,
                         uint32_t rows, char *to) {
  size_t bytes = scalar_bytes(field->type);
  const SavedField *was = load_find_field(load, component, field->name);
  if (was != NULL && scalar_is_held(field->type)) {
    load_held(load, was, first, rows, to, bytes);
    return to + rows * bytes;
  }
  return load_field(load, component, field, first, rows, to, bytes)
             ? to + rows * bytes
             : NULL;
}

char *load_columns(Load *load, const SavedTable *table, char *to) {
  const uint32_t *members = saved_members(load->saved, table->first_member);
  for (uint32_t i = 0; to != NULL && i < table->member_count; i++) {
    LoadComponent *made = &load->components[members[i]];
    const Schema *schema = load->store->components.all[made->id].schema;
    for (uint32_t k = 0; to != NULL && k < schema->field_count; k++)
      to = made->images != NULL
               ? load_images(made, &schema->fields[k], table->rows, to)
               : load_column(load, &saved_components(load->saved)[members[i]],
                             &schema->fields[k], made->row, table->rows, to);
    made->row += table->rows;
  }
  return to;
}

bool load_tags(Load *load, uint32_t rows, char *to) {
  uint32_t bits_index = 0;
  for (uint32_t i = 0; i < load->bits_count; i++) {
    const SavedComponent *component =
        &saved_components(load->saved)[load->bits[i]];
    LoadComponent *made = &load->components[load->bits[i]];
    for (uint32_t row = 0; row < rows; row++) {
      uint8_t bit = (uint8_t)component->tags[made->tag_row + row];
      if (bit > 1) return false;
      if (made->id != 0)
        to[(size_t)(bits_index / 8u) * rows + row] =
            (char)((uint8_t)to[(size_t)(bits_index / 8u) * rows + row] |
                   bit << bits_index % 8u);
    }
    made->tag_row += rows;
    bits_index += made->id != 0;
  }
  return true;
}
