/* dump.h: the state of a world as text that people read and tests compare.
 *
 *      ecs-dump 1
 *      component Aim at:entity:clear          those that an entity has, by name
 *      component Burning
 *      component Position x:f32 y:f32
 *      array walls u8 3 2                     by name
 *        0 1                                  a line for each last index
 *        0 0
 *        1 0
 *      entity 7 player                        in the order of their indices
 *        Aim at=9
 *        Position x=0.1 y=-3
 *      entity 8
 *        Aim at=9
 *        Burning
 *      entity 9
 *      links Aim.at 9: 8 7                    who links, where two or more do
 *
 * It has what world_state_hash counts and nothing else, so that two worlds have
 * equal texts exactly where that is equal. Numbers are the shortest decimals
 * that are read as the same number of their type. In names every byte but
 * letters, digits, _ and - is %XX.
 */
#ifndef ECS_DUMP_H
#define ECS_DUMP_H

#include "world/world.h"

/* Writes the text to a sink. ECS_E_FILE: the sink refused; ECS_E_MEMORY. Cost:
 * reads the whole world, and asks every entity for every component. */
ECS_INTERNAL ecs_Status state_dump(ecs_World *world, ecs_SaveSink sink);

#endif
