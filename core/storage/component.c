/* component.c: places a component in a group and chooses its functions. */
#include "storage/component.h"

/* Have all fields four bytes? */
static bool has_only_cells(const Schema *schema) {
  for (uint32_t i = 0; i < schema->field_count; i++)
    if (schema->fields[i].shift != 2) return false;
  return true;
}

void component_choose(Component *component, const ChangeWays *ways) {
  const Group *group = component->group;
  bool bits = component_is_bits(component);
  bool followed = component->followers > 0 || group->first->stamps != NULL;
  ways += group->id == 0 ? component->noting : group->marks != NULL;
  component->add = ways->add_any;
  component->remove = ways->remove_any;
  if (group->id == 0 && !bits) { /* tables with stamps see to themselves */
    component->add = ways->add_in_main;
    component->remove = ways->remove_in_main;
  } else if (group->id == 0 && !followed) {
    component->add = ways->add_as_bit;
    component->remove = ways->remove_as_bit;
  } else if (group->locator.narrow && !followed) {
    component->add = ways->add_to_set;
    component->remove = ways->remove_from_set;
  }
}

void component_place(Component *component, const ChangeWays *ways, Group *group,
                     uint32_t bit) {
  uint32_t bits_index = group->components[bit].bits_index;
  ECS_ASSERT(bits_index == GROUP_NOT_BITS ||
             component->schema->field_count == 0);
  component->group = group;
  component->group_id = group->id;
  component->bit = bit;
  component->last_edge_key = last_edge_key(bit, true);
  component->field_count = component->schema->field_count;
  uint8_t count = (uint8_t)component->schema->field_count;
  component->f32_count = component->schema->uniform == ECS_F32 ? count : 0;
  component->cell_count = has_only_cells(component->schema) ? count : 0;
  component->bits_index = bits_index;
  component_choose(component, ways);
}
