/* saved_text.h: the words of a save: names, types, and where columns are.
 *
 * A save is an archive (archive.h) of these entries, in this order:
 *
 *      manifest.txt             what there is, see below
 *      generations.npy          u32 of each index from 1 on; retired ones have
 *                               bit 31
 *      free.npy                 u32: indices that are issued next, in order
 *      entities/main.npy        u64: entities of all tables, table by table
 *      entities/group1.npy      the same of the next group
 *      columns/Name.field.npy   the values of a field, row by row as the entities
 *                               of the component's tables
 *      tags/Name.npy            of a tag stored as bits: u8, 0 or 1, for each row
 *                               of its group
 *      links/Name.field.npy     u64: who links, target by target, in order
 *      arrays/Name.npy          elements of an array of the world, of its sizes
 *      values.msgpack           the values of fields of type string and any, one
 *                               after the other (packed.h), where a component
 *                               has such fields; these are u32, which value it
 *                               is, from 1 on, and 0 for "" and nil
 *      script.txt               what scripts keep
 *
 * Arrays are those of NumPy, version 1.0, little-endian. The manifest is text,
 * a line for each thing, words with one blank between them:
 *
 *      ecs-save 1                   2 where a component has fields of type string
 *                                   or any
 *      hash 91d8c8aa7871394d
 *      index 7 0                    indices used, retired
 *      component Position table 2   name, storage, fields; in order of names
 *      field x f32 0000000000000000 -            bits of the default; link
 *      field of entity 0000000000000000 destroy-tree
 *      group 1 2 4b                 components by number, b: as bits; the main
 *                                   group is the first
 *      table 100 1 2                rows, components
 *      link 3 1 20                  component, field, how many link
 *      name 4294967299 player
 *      array walls u8 9 9 of 6 6    name, type, sizes, and those that it was
 *                                   made with; in order of names
 *      values 3                     in the order of their first use; only of 2
 *      end
 *
 * In names every byte but letters, digits, _ and - is %XX. Worlds with equal
 * hashes have equal saves.
 */
#ifndef ECS_SAVED_TEXT_H
#define ECS_SAVED_TEXT_H

#include "storage/schema.h"

/* A name of 255 bytes, each as %XX, and the 0. */
#define SAVED_NAME 766u
/* A path with two of them. */
#define SAVED_PATH (2u * SAVED_NAME + 32u)

/* Writes a name as it is in a save. Returns `to`. */
ECS_INTERNAL const char *saved_name(const char *name, char to[SAVED_NAME]);

/* Takes such a name back; at most 255 bytes and a 0. False: it is none. */
ECS_INTERNAL bool saved_name_read(const char *text, size_t bytes, char to[256]);

/* Writes the path of an entry; field NULL: there is none. Returns `to`. */
ECS_INTERNAL const char *saved_path(const char *folder, const char *name,
                                    const char *field, char to[SAVED_PATH]);

#define SAVED_VALUES "values.msgpack"

/* "f32", "entity"; and back: ECS_SCALAR_COUNT for another word. */
ECS_INTERNAL const char *saved_type(ecs_Scalar type);
ECS_INTERNAL ecs_Scalar saved_type_read(const char *word, size_t bytes);

/* "table", "sparse", "bits"; and back: false for another word. */
ECS_INTERNAL const char *saved_storage(ecs_Storage storage);
ECS_INTERNAL bool saved_storage_read(const char *word, size_t bytes,
                                     ecs_Storage *storage);

/* "-", "clear", "destroy-tree"; and back: false for another word. */
ECS_INTERNAL const char *saved_link(const SchemaField *field);
ECS_INTERNAL bool saved_link_read(const char *word, size_t bytes,
                                  SchemaField *field);

/* The head of an array file of a type, which has 128 bytes. */
#define SAVED_HEAD 128u
ECS_INTERNAL void saved_array_head(ecs_Scalar type, uint64_t count,
                                   char to[SAVED_HEAD]);

/* The same of one to three sizes. */
ECS_INTERNAL void saved_sizes_head(ecs_Scalar type, const uint32_t *sizes,
                                   uint32_t dimensions, char to[SAVED_HEAD]);

#endif
