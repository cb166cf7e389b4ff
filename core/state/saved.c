/* saved.c: what is in the bytes of a save: checked, and not yet in a world. */
#include "state/saved.h"

#include <stdio.h>
#include <string.h>

#include "state/packed.h"
#include "state/saved_text.h"
#include "world/world.h"

/* Where reading the manifest is. */
typedef struct Manifest {
  ecs_Saved *saved;
  const char *at;
  const char *end;
  uint32_t line; /* for messages */
  ecs_Status status;
} Manifest;

/* Words ------------------------------------------------------------------- */

static bool wrong(Manifest *manifest) {
  if (manifest->status == ECS_OK) manifest->status = ECS_E_FILE;
  return false;
}

/* Passes over a text. */
static bool accept(Manifest *manifest, const char *text) {
  size_t bytes = strlen(text);
  if ((size_t)(manifest->end - manifest->at) < bytes ||
      memcmp(manifest->at, text, bytes) != 0)
    return false;
  manifest->at += bytes;
  return true;
}

static bool expect(Manifest *manifest, const char *text) {
  return accept(manifest, text) || wrong(manifest);
}

static bool end_line(Manifest *manifest) {
  if (!expect(manifest, "\n")) return false;
  manifest->line++;
  return true;
}

/* The bytes up to the next blank or the end of the line. */
static size_t word_bytes(const Manifest *manifest) {
  const char *at = manifest->at;
  while (at < manifest->end && *at != ' ' && *at != '\n') at++;
  return (size_t)(at - manifest->at);
}

/* A number without leading zeros, at most `most`. */
static bool number(Manifest *manifest, uint64_t most, uint64_t *value) {
  const char *begin = manifest->at;
  *value = 0;
  for (; manifest->at < manifest->end; manifest->at++) {
    uint32_t digit = (uint32_t)(*manifest->at - '0');
    if (digit > 9) break;
    if (*value > (most - digit) / 10) return wrong(manifest);
    *value = *value * 10 + digit;
  }
  size_t digits = (size_t)(manifest->at - begin);
  if (digits == 0 || (digits > 1 && *begin == '0')) return wrong(manifest);
  return *value <= most || wrong(manifest);
}

static bool number32(Manifest *manifest, uint32_t most, uint32_t *value) {
  uint64_t wide = 0;
  bool done = number(manifest, most, &wide);
  *value = (uint32_t)wide;
  return done;
}

/* Sixteen hexadecimal digits. */
static bool hex(Manifest *manifest, uint64_t *value) {
  *value = 0;
  for (uint32_t i = 0; i < 16; i++, manifest->at++) {
    char byte = manifest->at < manifest->end ? *manifest->at : 0;
    bool is_digit = byte >= '0' && byte <= '9';
    if (!is_digit && !(byte >= 'a' && byte <= 'f')) return wrong(manifest);
    *value = *value << 4 | (uint32_t)(is_digit ? byte - '0' : byte - 'a' + 10);
  }
  return true;
}

/* A name, which is kept. */
static bool name(Manifest *manifest, const char **text) {
  ecs_Saved *saved = manifest->saved;
  char *to = saved->texts + saved->text_bytes;
  char read[256];
  size_t bytes = word_bytes(manifest);
  if (!saved_name_read(manifest->at, bytes, read)) return wrong(manifest);
  manifest->at += bytes;
  memcpy(to, read, strlen(read) + 1);
  saved->text_bytes += strlen(read) + 1;
  *text = to;
  return true;
}

/* A new element of a list; NULL: there is no memory. */
static void *append(Manifest *manifest, SavedList *list, size_t bytes) {
  if (!memory_grow(manifest->saved->memory, &list->all, &list->capacity,
                   list->count, 1, bytes)) {
    manifest->status = ECS_E_MEMORY;
    return NULL;
  }
  void *element = (char *)list->all + list->count++ * bytes;
  memset(element, 0, bytes);
  return element;
}

/* Lines ------------------------------------------------------------------- */

/* Has no field of the component before this one its name? */
static bool is_field_new(const ecs_Saved *saved, uint32_t first,
                         const SavedField *field) {
  const SavedField *other = (const SavedField *)saved->fields.all + first;
  while (other != field && strcmp(other->name, field->name) != 0) other++;
  return other == field;
}

/* Is the default a value of the field's type, as it is stored? */
static bool is_default(ecs_Scalar type, uint64_t bits) {
  uint64_t place = 0;
  double value;
  memcpy(&value, &bits, sizeof value);
  if (type >= ECS_ENTITY) return bits == 0;
  if (ecs_scalar_store(type, &place, value) != ECS_OK) return false;
  value = ecs_scalar_load(type, &place);
  return memcmp(&value, &bits, sizeof value) == 0;
}

/* first: of its component. */
static bool read_field(Manifest *manifest, uint32_t first) {
  SavedField *field =
      append(manifest, &manifest->saved->fields, sizeof(SavedField));
  SchemaField link = {.link = SCHEMA_NO_LINK};
  if (field == NULL || !expect(manifest, "field ") ||
      !name(manifest, &field->name) || !expect(manifest, " "))
    return false;
  if (!is_field_new(manifest->saved, first, field)) return wrong(manifest);
  size_t bytes = word_bytes(manifest);
  field->type = saved_type_read(manifest->at, bytes);
  manifest->at += bytes;
  if (field->type >= ECS_SCALAR_COUNT) return wrong(manifest);
  if (scalar_is_held(field->type)) manifest->saved->has_values = true;
  if (!expect(manifest, " ") || !hex(manifest, &field->default_bits) ||
      !expect(manifest, " "))
    return false;
  if (!is_default(field->type, field->default_bits)) return wrong(manifest);
  bytes = word_bytes(manifest);
  if (!saved_link_read(manifest->at, bytes, &link)) return wrong(manifest);
  manifest->at += bytes;
  field->link = link.link;
  field->tree = link.tree;
  if (link.link != SCHEMA_NO_LINK && field->type != ECS_ENTITY)
    return wrong(manifest);
  return end_line(manifest);
}

/* The words of a component behind the first. */
static bool read_component(Manifest *manifest) {
  ecs_Saved *saved = manifest->saved;
  SavedComponent *made =
      append(manifest, &saved->components, sizeof(SavedComponent));
  if (made == NULL || !name(manifest, &made->name) || !expect(manifest, " "))
    return false;
  size_t bytes = word_bytes(manifest);
  if (!saved_storage_read(manifest->at, bytes, &made->storage))
    return wrong(manifest);
  manifest->at += bytes;
  if (!expect(manifest, " ") ||
      !number32(manifest, ECS_FIELD_LIMIT, &made->field_count) ||
      !end_line(manifest))
    return false;
  made->group = SAVED_NO_GROUP;
  made->first_field = saved->fields.count;
  const SavedComponent *before = saved->components.count > 1 ? made - 1 : NULL;
  if (before != NULL && strcmp(before->name, made->name) >= 0)
    return wrong(manifest);
  for (uint32_t i = 0, count = made->field_count; i < count; i++)
    if (!read_field(manifest, made->first_field)) return false;
  return true;
}

/* The number of a component of the last group, in ascending order. */
static bool read_member(Manifest *manifest, uint32_t *last,
                        SavedComponent **component) {
  ecs_Saved *saved = manifest->saved;
  uint32_t value = 0;
  if (!number32(manifest, saved->components.count, &value)) return false;
  if (value <= *last) return wrong(manifest);
  *last = value;
  uint32_t *member = append(manifest, &saved->members, sizeof(uint32_t));
  if (member == NULL) return false;
  *member = value - 1;
  *component = (SavedComponent *)saved->components.all + (value - 1);
  return true;
}

static bool read_table(Manifest *manifest) {
  ecs_Saved *saved = manifest->saved;
  uint32_t last = 0, number_of_group = saved->groups.count - 1;
  SavedTable *table = append(manifest, &saved->tables, sizeof(SavedTable));
  SavedGroup *group = (SavedGroup *)saved->groups.all + number_of_group;
  if (table == NULL || !number32(manifest, ECS_INDEX_LIMIT, &table->rows))
    return false;
  table->first_member = saved->members.count;
  group->table_count++;
  group->rows += table->rows;
  while (accept(manifest, " ")) {
    SavedComponent *component = NULL;
    if (!read_member(manifest, &last, &component)) return false;
    if (component->group != number_of_group || component->bits)
      return wrong(manifest);
    component->rows += table->rows;
    table->member_count++;
  }
  /* The first table of the main group is that of entities without components. */
  if (number_of_group == 0 && group->table_count == 1 &&
      table->member_count > 0)
    return wrong(manifest);
  return end_line(manifest);
}

static bool read_group(Manifest *manifest) {
  ecs_Saved *saved = manifest->saved;
  uint32_t last = 0, at = saved->groups.count;
  SavedGroup *group = append(manifest, &saved->groups, sizeof(SavedGroup));
  if (group == NULL) return false;
  group->first_member = saved->members.count;
  group->first_table = saved->tables.count;
  while (accept(manifest, " ")) {
    SavedComponent *component = NULL;
    if (!read_member(manifest, &last, &component)) return false;
    component->bits = accept(manifest, "b");
    if (component->group != SAVED_NO_GROUP ||
        (component->bits && component->field_count > 0))
      return wrong(manifest);
    component->group = at;
    group->member_count++;
  }
  if (!end_line(manifest)) return false;
  if (at > 0 && group->member_count == 0) return wrong(manifest);
  /* Groups but the main one are in the order of their first components. */
  const SavedGroup *before = at > 1 ? group - 1 : NULL;
  if (before != NULL && *saved_members(saved, before->first_member) >=
                            *saved_members(saved, group->first_member))
    return wrong(manifest);
  while (accept(manifest, "table "))
    if (!read_table(manifest)) return false;
  group = (SavedGroup *)saved->groups.all + at;
  return group->rows <= ECS_INDEX_LIMIT || wrong(manifest);
}

/* Every link of every component, in their order. */
static bool read_links(Manifest *manifest) {
  ecs_Saved *saved = manifest->saved;
  for (uint32_t i = 0; i < saved->components.count; i++)
    for (uint32_t k = 0; k < saved_components(saved)[i].field_count; k++) {
      const SavedField *field =
          &saved_fields(saved, &saved_components(saved)[i])[k];
      uint32_t component = 0, at = 0;
      if (field->link == SCHEMA_NO_LINK) continue;
      SavedLink *link = append(manifest, &saved->links, sizeof(SavedLink));
      if (link == NULL || !expect(manifest, "link ") ||
          !number32(manifest, i + 1, &component) || !expect(manifest, " ") ||
          !number32(manifest, k + 1, &at) || !expect(manifest, " ") ||
          !number(manifest, ECS_INDEX_LIMIT, &link->count) ||
          !end_line(manifest))
        return false;
      if (component != i + 1 || at != k + 1) return wrong(manifest);
      link->component = i;
      link->field = k;
    }
  return true;
}

static bool read_names(Manifest *manifest) {
  ecs_Saved *saved = manifest->saved;
  ecs_Entity last = 0;
  while (accept(manifest, "name ")) {
    SavedName *named = append(manifest, &saved->names, sizeof(SavedName));
    if (named == NULL ||
        !number(manifest, UINT64_C(1) << ECS_HANDLE_BITS, &named->entity) ||
        !expect(manifest, " ") || !name(manifest, &named->text) ||
        !end_line(manifest))
      return false;
    if (named->entity <= last) return wrong(manifest);
    last = named->entity;
  }
  return true;
}

/* One to three sizes, each behind a blank, of which none is 0. */
static bool read_sizes(Manifest *manifest, uint32_t sizes[3],
                       uint32_t *dimensions, uint64_t *count) {
  *count = 1;
  for (uint32_t d = 0; d < 3; d++) sizes[d] = 1;
  while (manifest->end - manifest->at > 1 && manifest->at[0] == ' ' &&
         manifest->at[1] != 'o') {
    manifest->at++;
    if (*dimensions == 3) return wrong(manifest);
    if (!number32(manifest, ECS_ELEMENT_LIMIT, &sizes[*dimensions]))
      return false;
    *count *= sizes[*dimensions];
    if (*count == 0 || *count > ECS_ELEMENT_LIMIT) return wrong(manifest);
    ++*dimensions;
  }
  return *dimensions > 0 || wrong(manifest);
}

static bool read_array(Manifest *manifest) {
  ecs_Saved *saved = manifest->saved;
  SavedArray *array = append(manifest, &saved->arrays, sizeof(SavedArray));
  if (array == NULL || !name(manifest, &array->name) || !expect(manifest, " "))
    return false;
  const SavedArray *before = saved->arrays.count > 1 ? array - 1 : NULL;
  if (before != NULL && strcmp(before->name, array->name) >= 0)
    return wrong(manifest);
  size_t bytes = word_bytes(manifest);
  array->type = saved_type_read(manifest->at, bytes);
  manifest->at += bytes;
  if (array->type >= ECS_ENTITY) return wrong(manifest);
  uint32_t dimensions = 0;
  uint64_t first = 0;
  if (!read_sizes(manifest, array->sizes, &array->dimensions, &array->count) ||
      !expect(manifest, " of") ||
      !read_sizes(manifest, array->first, &dimensions, &first))
    return false;
  if (dimensions != array->dimensions) return wrong(manifest);
  return end_line(manifest);
}

static bool read_end(Manifest *manifest) {
  if (!expect(manifest, "end") || !end_line(manifest)) return false;
  return manifest->at == manifest->end || wrong(manifest);
}

/* The number of values, which the second version has. */
static bool read_value_count(Manifest *manifest, uint32_t version) {
  ecs_Saved *saved = manifest->saved;
  if (version != (saved->has_values ? 2u : 1u)) return wrong(manifest);
  return !saved->has_values ||
         (expect(manifest, "values ") &&
          number32(manifest, UINT32_MAX, &saved->value_count) &&
          end_line(manifest));
}

static bool read_packed_manifest(Manifest *manifest) {
  ecs_Saved *saved = manifest->saved;
  uint32_t version = 0;
  if (!expect(manifest, "ecs-rows ") || !number32(manifest, 2, &version) ||
      !end_line(manifest) || !expect(manifest, "rows ") ||
      !number(manifest, ECS_INDEX_LIMIT, &saved->rows))
    return false;
  saved->whole = accept(manifest, " whole");
  if ((!saved->whole && !expect(manifest, " part")) || !end_line(manifest))
    return false;
  while (accept(manifest, "component "))
    if (!read_component(manifest)) return false;
  return read_links(manifest) && read_names(manifest) &&
         read_value_count(manifest, version) && read_end(manifest);
}

static bool read_manifest(Manifest *manifest) {
  ecs_Saved *saved = manifest->saved;
  uint32_t version = 0;
  if (!expect(manifest, "ecs-save ") || !number32(manifest, 2, &version) ||
      !end_line(manifest) || !expect(manifest, "hash ") ||
      !hex(manifest, &saved->hash) || !end_line(manifest) ||
      !expect(manifest, "index ") ||
      !number32(manifest, ECS_INDEX_LIMIT, &saved->used) ||
      !expect(manifest, " ") ||
      !number32(manifest, saved->used, &saved->retired) || !end_line(manifest))
    return false;
  if (saved->used == 0) return wrong(manifest);
  while (accept(manifest, "component "))
    if (!read_component(manifest)) return false;
  while (accept(manifest, "group"))
    if (!read_group(manifest)) return false;
  if (saved->groups.count == 0 || saved_groups(saved)->table_count == 0)
    return wrong(manifest);
  for (uint32_t i = 0; i < saved->components.count; i++)
    if (saved_components(saved)[i].group == SAVED_NO_GROUP)
      return wrong(manifest);
  if (!read_links(manifest) || !read_names(manifest)) return false;
  while (accept(manifest, "array "))
    if (!read_array(manifest)) return false;
  return read_value_count(manifest, version) && read_end(manifest);
}

/* Arrays ------------------------------------------------------------------ */

/* Goes over the entries of the archive. */
typedef struct Entries {
  ecs_Saved *saved;
  uint32_t at;
  const char *path; /* of the last that was asked for, for messages */
  bool no_memory;
} Entries;

/* The values behind the head of an array file that comes next; NULL: it is
 * another one. */
static const char *next_values(Entries *entries, const char *path,
                               const char *head, ecs_Scalar type,
                               uint64_t count) {
  const ArchiveReader *archive = &entries->saved->archive;
  entries->path = path;
  if (entries->at >= archive->count) return NULL;
  const ArchiveEntry *entry = &archive->entries[entries->at++];
  if (entry->name_bytes != strlen(path) ||
      memcmp(entry->name, path, entry->name_bytes) != 0 ||
      entry->count != SAVED_HEAD + count * scalar_bytes(type) ||
      memcmp(entry->bytes, head, SAVED_HEAD) != 0)
    return NULL;
  return entry->bytes + SAVED_HEAD;
}

static const char *next_array(Entries *entries, const char *path,
                              ecs_Scalar type, uint64_t count) {
  char head[SAVED_HEAD];
  saved_array_head(type, count, head);
  return next_values(entries, path, head, type, count);
}

static bool find_world_arrays(Entries *entries, char *path) {
  ecs_Saved *saved = entries->saved;
  for (uint32_t i = 0; i < saved->arrays.count; i++) {
    SavedArray *array = (SavedArray *)saved->arrays.all + i;
    char head[SAVED_HEAD];
    saved_path("arrays", array->name, NULL, path);
    saved_sizes_head(array->type, array->sizes, array->dimensions, head);
    array->elements =
        next_values(entries, path, head, array->type, array->count);
    if (array->elements == NULL) return false;
  }
  return true;
}

static bool find_columns(Entries *entries, const SavedComponent *component,
                         char *path) {
  ecs_Saved *saved = entries->saved;
  for (uint32_t k = 0; k < component->field_count; k++) {
    SavedField *field =
        (SavedField *)saved->fields.all + (component->first_field + k);
    saved_path("columns", component->name, field->name, path);
    field->values = next_array(entries, path, field->type, component->rows);
    if (field->values == NULL) return false;
  }
  return true;
}

/* Of packed rows: which of them have it, at least one; and their values. */
static bool find_packed(Entries *entries, SavedComponent *component,
                        char *path) {
  const ecs_Saved *saved = entries->saved;
  saved_path("has", component->name, NULL, path);
  if (component->storage == ECS_STORE_BITS && component->field_count > 0)
    return false;
  component->tags = next_array(entries, path, ECS_U8, saved->rows);
  if (component->tags == NULL) return false;
  for (uint64_t row = 0; row < saved->rows; row++) {
    if ((uint8_t)component->tags[row] > 1) return false;
    component->rows += (uint8_t)component->tags[row];
  }
  return component->rows > 0 && find_columns(entries, component, path);
}

static bool find_component(Entries *entries, SavedComponent *component,
                           char *path) {
  const ecs_Saved *saved = entries->saved;
  if (!find_columns(entries, component, path)) return false;
  if (!component->bits) return true;
  saved_path("tags", component->name, NULL, path);
  component->tags = next_array(entries, path, ECS_U8,
                               saved_groups(saved)[component->group].rows);
  return component->tags != NULL;
}

static bool find_groups(Entries *entries, char *path) {
  ecs_Saved *saved = entries->saved;
  for (uint32_t i = 0; i < saved->groups.count; i++) {
    SavedGroup *group = (SavedGroup *)saved->groups.all + i;
    snprintf(path, SAVED_PATH, "entities/group%u.npy", i);
    if (i == 0) snprintf(path, SAVED_PATH, "entities/main.npy");
    group->entities = next_array(entries, path, ECS_ENTITY, group->rows);
    if (group->entities == NULL) return false;
  }
  return true;
}

static bool find_links(Entries *entries, char *path) {
  ecs_Saved *saved = entries->saved;
  for (uint32_t i = 0; i < saved->links.count; i++) {
    SavedLink *link = (SavedLink *)saved->links.all + i;
    const SavedComponent *component = &saved_components(saved)[link->component];
    saved_path("links", component->name,
               saved_fields(saved, component)[link->field].name, path);
    link->sources = next_array(entries, path, ECS_ENTITY, link->count);
    if (link->sources == NULL) return false;
  }
  return true;
}

/* Indices that no table has are free or retired. */
static bool count_free(ecs_Saved *saved) {
  uint64_t taken = saved_groups(saved)->rows + saved->retired;
  if (taken > saved->used - 1u) return false;
  saved->free_count = saved->used - 1u - (uint32_t)taken;
  return true;
}

/* The last entry. */
static bool find_script(Entries *entries) {
  ecs_Saved *saved = entries->saved;
  const ArchiveReader *archive = &saved->archive;
  entries->path = "script.txt";
  if (entries->at + 1 != archive->count) return false;
  const ArchiveEntry *entry = &archive->entries[entries->at];
  saved->script = entry->bytes;
  saved->script_bytes = entry->count;
  return entry->name_bytes == 10 && memcmp(entry->name, "script.txt", 10) == 0;
}

/* Takes the values apart. */
static bool take_values(ecs_Saved *saved, const ArchiveEntry *entry) {
  SavedValue *values = saved->values.all;
  const char *at = entry->bytes, *end = at + entry->count;
  for (uint32_t k = 0; k < saved->value_count; k++) {
    const char *begin = at, *next = at;
    Packed head;
    if (!packed_check(&at, end)) return false;
    (void)ecs_packed_next(&next, end, &head);
    values[k] =
        (SavedValue){begin, (size_t)(at - begin), head.kind == PACKED_MADE,
                     head.kind == PACKED_TEXT && head.count > 0};
  }
  saved->values.count = saved->value_count;
  return at == end;
}

/* Values are numbered in the order of their first use, and strings are strings. */
static bool check_indices(const ecs_Saved *saved) {
  const SavedValue *values = saved->values.all;
  const SavedField *fields = saved->fields.all;
  uint32_t used = 0;
  for (uint32_t i = 0; i < saved->components.count; i++) {
    const SavedComponent *component = &saved_components(saved)[i];
    for (uint32_t k = 0; k < component->field_count; k++) {
      const SavedField *field = &fields[component->first_field + k];
      for (uint64_t row = 0;
           scalar_is_held(field->type) && row < component->rows; row++) {
        uint32_t index;
        memcpy(&index, field->values + row * sizeof index, sizeof index);
        if (index == 0) continue;
        if (index > saved->values.count || index > used + 1) return false;
        if (field->type == ECS_STRING && !values[index - 1].is_text)
          return false;
        if (index > used) used = index;
      }
    }
  }
  return used == saved->values.count;
}

/* False: there is no memory, or they are not what they should be. */
static bool find_values(Entries *entries) {
  ecs_Saved *saved = entries->saved;
  const ArchiveReader *archive = &saved->archive;
  entries->path = SAVED_VALUES;
  if (entries->at >= archive->count) return false;
  const ArchiveEntry *entry = &archive->entries[entries->at++];
  if (entry->name_bytes != sizeof SAVED_VALUES - 1 ||
      memcmp(entry->name, SAVED_VALUES, entry->name_bytes) != 0 ||
      saved->value_count > entry->count)
    return false;
  if (!memory_grow(saved->memory, &saved->values.all, &saved->values.capacity,
                   0, saved->value_count, sizeof(SavedValue))) {
    entries->no_memory = true;
    return false;
  }
  return take_values(saved, entry) && check_indices(saved);
}

/* Finds what the manifest of packed rows asks for. */
static bool find_packed_arrays(Entries *entries, char *path) {
  ecs_Saved *saved = entries->saved;
  saved->entities =
      next_array(entries, "entities.npy", ECS_ENTITY, saved->rows);
  if (saved->entities == NULL) return false;
  for (uint32_t i = 0; i < saved->components.count; i++)
    if (!find_packed(entries, (SavedComponent *)saved->components.all + i,
                     path))
      return false;
  return find_links(entries, path) &&
         (!saved->has_values || find_values(entries)) && find_script(entries);
}

/* Finds what the manifest asks for. False: an entry is not what it should be. */
static bool find_arrays(Entries *entries, char *path) {
  ecs_Saved *saved = entries->saved;
  entries->path = "manifest.txt";
  if (!count_free(saved)) return false;
  saved->generations =
      next_array(entries, "generations.npy", ECS_U32, saved->used - 1u);
  if (saved->generations == NULL) return false;
  saved->free = next_array(entries, "free.npy", ECS_U32, saved->free_count);
  if (saved->free == NULL || !find_groups(entries, path)) return false;
  for (uint32_t i = 0; i < saved->components.count; i++)
    if (!find_component(entries, (SavedComponent *)saved->components.all + i,
                        path))
      return false;
  return find_links(entries, path) && find_world_arrays(entries, path) &&
         (!saved->has_values || find_values(entries)) && find_script(entries);
}

/* Descriptions ------------------------------------------------------------ */

static ecs_Status describe(ecs_Saved *saved) {
  const SavedField *fields = saved->fields.all;
  saved->described =
      memory_zeroed(saved->memory, saved->fields.count + 1u, sizeof(ecs_Field));
  saved->described_links =
      memory_zeroed(saved->memory, saved->links.count + 1u, sizeof(ecs_Link));
  if (saved->described == NULL || saved->described_links == NULL)
    return ECS_E_MEMORY;
  for (uint32_t i = 0; i < saved->fields.count; i++) {
    double value;
    memcpy(&value, &fields[i].default_bits, sizeof value);
    saved->described[i] = (ecs_Field){fields[i].name, fields[i].type, value};
  }
  const SavedLink *links = saved->links.all;
  for (uint32_t i = 0; i < saved->links.count; i++) {
    const SavedComponent *component =
        &saved_components(saved)[links[i].component];
    const SavedField *field = &saved_fields(saved, component)[links[i].field];
    saved->described_links[i] =
        (ecs_Link){links[i].field, (ecs_LinkRule)field->link, field->tree};
  }
  return ECS_OK;
}

ecs_ComponentDescription saved_describe(const ecs_Saved *saved,
                                        const SavedComponent *component) {
  const SavedLink *links = saved->links.all;
  uint32_t number = (uint32_t)(component - saved_components(saved));
  uint32_t first = 0, count = 0;
  while (first < saved->links.count && links[first].component < number) first++;
  while (first + count < saved->links.count &&
         links[first + count].component == number)
    count++;
  return (ecs_ComponentDescription){
      .name = component->name,
      .fields = saved->described + component->first_field,
      .field_count = component->field_count,
      .storage = component->storage,
      .links = saved->described_links + first,
      .link_count = count};
}

/* All of it --------------------------------------------------------------- */

static ecs_Status say(char *problem, size_t bytes, const char *sentence) {
  snprintf(problem, bytes, "%s", sentence);
  return ECS_E_FILE;
}

static ecs_Status open(ecs_Saved *saved, const char *bytes, size_t count,
                       char *problem, size_t problem_bytes) {
  const char *sentence = NULL;
  ecs_Status status =
      archive_read(&saved->archive, saved->memory, bytes, count, &sentence);
  if (status == ECS_E_FILE) return say(problem, problem_bytes, sentence);
  if (status != ECS_OK) return status;
  const ArchiveEntry *first = saved->archive.entries;
  if (first->name_bytes != 12 || memcmp(first->name, "manifest.txt", 12) != 0)
    return say(problem, problem_bytes, "its first entry is no manifest.txt");
  saved->texts = memory_zeroed(saved->memory, first->count + 256, 1);
  if (saved->texts == NULL) return ECS_E_MEMORY;
  Manifest manifest = {.saved = saved,
                       .at = first->bytes,
                       .end = first->bytes + first->count,
                       .line = 1};
  if (!(saved->packed ? read_packed_manifest : read_manifest)(&manifest)) {
    if (manifest.status != ECS_E_FILE) return manifest.status;
    snprintf(problem, problem_bytes, "line %u of its manifest.txt is wrong",
             manifest.line);
    return ECS_E_FILE;
  }
  Entries entries = {.saved = saved, .at = 1};
  char path[SAVED_PATH];
  if ((saved->packed ? find_packed_arrays : find_arrays)(&entries, path))
    return describe(saved);
  if (entries.no_memory) return ECS_E_MEMORY;
  snprintf(problem, problem_bytes, "its %.100s is missing or wrong",
           entries.path);
  return ECS_E_FILE;
}

ecs_Status saved_open(ecs_World *world, bool packed, const char *bytes,
                      size_t count, ecs_Saved **opened, char *problem,
                      size_t problem_bytes) {
  Memory *memory = &world->store.memory;
  ecs_Saved *saved = memory_zeroed(memory, 1, sizeof(ecs_Saved));
  *opened = NULL;
  if (saved == NULL) return ECS_E_MEMORY;
  saved->memory = memory;
  saved->world = world;
  saved->packed = packed;
  ecs_Status status = open(saved, bytes, count, problem, problem_bytes);
  if (status == ECS_OK)
    *opened = saved;
  else
    saved_close(saved);
  return status;
}

static void free_list(Memory *memory, SavedList *list, size_t bytes) {
  memory_free(memory, list->all, list->capacity * bytes);
}

void saved_close(ecs_Saved *saved) {
  Memory *memory = saved->memory;
  size_t texts = saved->archive.count > 0 ? saved->archive.entries->count : 0;
  memory_free(memory, saved->texts, texts + 256);
  archive_reader_deinit(&saved->archive, memory);
  if (saved->described != NULL)
    memory_free(memory, saved->described,
                (saved->fields.count + 1u) * sizeof(ecs_Field));
  if (saved->described_links != NULL)
    memory_free(memory, saved->described_links,
                (saved->links.count + 1u) * sizeof(ecs_Link));
  free_list(memory, &saved->components, sizeof(SavedComponent));
  free_list(memory, &saved->fields, sizeof(SavedField));
  free_list(memory, &saved->groups, sizeof(SavedGroup));
  free_list(memory, &saved->tables, sizeof(SavedTable));
  free_list(memory, &saved->links, sizeof(SavedLink));
  free_list(memory, &saved->names, sizeof(SavedName));
  free_list(memory, &saved->arrays, sizeof(SavedArray));
  free_list(memory, &saved->values, sizeof(SavedValue));
  free_list(memory, &saved->members, sizeof(uint32_t));
  memory_free(memory, saved, sizeof(ecs_Saved));
}
