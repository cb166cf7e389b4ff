/* config.h: every size, limit and switch of the core, in one place.
 *
 * ECS_TINY shrinks them so that tests reach every limit and every growth step
 * within a few operations. ECS_CHECKED turns on asserts and scans.
 *
 * Every limit has a name here, a test that reaches it and a test that exceeds
 * it. Exceeding it returns ECS_E_LIMIT. Whatever has no name here is bounded by
 * memory alone.
 */
#ifndef ECS_CONFIG_H
#define ECS_CONFIG_H

/* Every column starts on a line of this many bytes. */
#define ECS_LINE_BYTES 64u

/* ECS_ROW_ALIGN: capacities of tables are multiples of this, so that a vector
 * of any scalar type that starts inside a column may be loaded past its last
 * row. (Not in the tiny build: its kernels are scalar.) */

#ifdef ECS_TINY
#define ECS_ROW_ALIGN 4u
#define ECS_INDEX_LIMIT 48u       /* entities ever alive at once, plus one */
#define ECS_INDEX_REACH 16u       /* of a given handle, above those in use */
#define ECS_GENERATION_LIMIT 3u   /* generations of one index */
#define ECS_SLOT_GENERATIONS 1u   /* of these, distinct in a slot */
#define ECS_PAGE_BITS 2u          /* slots of a page of the index: 4 */
#define ECS_LOCATOR_BITS 2u       /* entries of a locator page: 4 */
#define ECS_FIRST_SLOTS 2u        /* of the first page of slots, at first */
#define ECS_TABLE_LIMIT 60u       /* tables of one group */
#define ECS_COMPONENT_LIMIT 16u   /* components of one world */
#define ECS_GROUP_LIMIT 16u       /* groups of one world */
#define ECS_NEAR_GROUPS 6u        /* found without lists, the main one too */
#define ECS_QUERY_LIMIT 16u       /* queries of one world */
#define ECS_BUNDLE_LIMIT 32u      /* bundles of one world */
#define ECS_RECENT_BUNDLES 2u     /* kept for spawns without a bundle */
#define ECS_NESTING_LIMIT 4u      /* open cursors and deferrals of one world */
#define ECS_BLOCK_ROWS 16u        /* rows of a gathered batch */
#define ECS_SLICE_ROWS 8u         /* of a slice, for kernels */
#define ECS_JOIN_ROWS 8u          /* rows of a row list found at once */
#define ECS_NOTES 5u              /* moved entities that marks follow */
#define ECS_COALESCE_ROWS 4u      /* tables below this are coalesced */
#define ECS_COMMAND_PAGE 256u     /* bytes of a page of commands */
#define ECS_COMMAND_LIMIT 512u    /* commands recorded at once */
#define ECS_OBSERVER_LIMIT 8u     /* observers of one world */
#define ECS_NOTICE_LIMIT 96u      /* notices that wait in one world */
#define ECS_SHAPES_KEPT 12u       /* shapes of chains, for the next recording */
#define ECS_BIRTH_ROWS 5u         /* recorded spawns placed at once */
#define ECS_COPY_PIECE 24u        /* bytes copied, then cleared, at once */
#define ECS_TEXT_LIMIT (1u << 16) /* bytes of a kernel program's text */
#define ECS_CODE_LIMIT 256u       /* instructions of a kernel program */
#define ECS_CYCLE_LIMIT 3u        /* cycles of a program, each in another */
#define ECS_TURN_LIMIT 64u        /* turns of one row in all its cycles */
#define ECS_JOINT_TURNS 24u       /* turns of a block until rows go alone */
#define ECS_NEAR_ROWS 60u         /* rows near those of a block, likewise */
#define ECS_DECLARATION_LIMIT 32u /* columns, uniforms, arrays and so on */
#define ECS_ARRAY_LIMIT 40u       /* elements of an array of a kernel program */
#define ECS_ELEMENT_LIMIT 60u     /* elements of an array of a world */
#define ECS_PUT_MARKS 8u          /* of elements that a slice puts; no limit */
#define ECS_SHARED_ROWS 8u        /* rows that threads take are multiples */
#define ECS_PASS_ROWS 8u          /* rows that go through a pass at once */
#define ECS_PASS_BYTES 1u   /* of a program's rows, from which on they do */
#define ECS_SHARED_STEPS 1u /* of rows, in a run that threads share */
#else
#define ECS_ROW_ALIGN 16u
#define ECS_INDEX_LIMIT (1u << 28)
#define ECS_INDEX_REACH (1u << 20)
#define ECS_GENERATION_LIMIT (1u << 24)
#define ECS_SLOT_GENERATIONS 31u
#define ECS_PAGE_BITS 12u
#define ECS_LOCATOR_BITS 8u
#define ECS_FIRST_SLOTS 64u
#define ECS_TABLE_LIMIT (1u << 24)
#define ECS_COMPONENT_LIMIT (1u << 16)
#define ECS_GROUP_LIMIT (1u << 16)
#define ECS_NEAR_GROUPS 12u
#define ECS_QUERY_LIMIT (1u << 24)
#define ECS_BUNDLE_LIMIT (1u << 24)
#define ECS_RECENT_BUNDLES 16u
#define ECS_NESTING_LIMIT 40u
#define ECS_BLOCK_ROWS 1024u
#define ECS_SLICE_ROWS 128u
#define ECS_JOIN_ROWS 256u
#define ECS_NOTES 8192u
#define ECS_COALESCE_ROWS 64u
#define ECS_COMMAND_PAGE 65536u
#define ECS_COMMAND_LIMIT (1u << 31)
#define ECS_OBSERVER_LIMIT (1u << 16)
#define ECS_NOTICE_LIMIT (1u << 30)
#define ECS_SHAPES_KEPT 4096u
#define ECS_BIRTH_ROWS 256u
#define ECS_COPY_PIECE 8192u
#define ECS_TEXT_LIMIT (1u << 20)
#define ECS_CODE_LIMIT 8192u
#define ECS_CYCLE_LIMIT 32u
#ifndef ECS_TURN_LIMIT /* a fuzzer has no time for as many */
#define ECS_TURN_LIMIT (1u << 24)
#define ECS_JOINT_TURNS (1u << 20)
#endif
#define ECS_NEAR_ROWS (1u << 20)
#define ECS_DECLARATION_LIMIT 1024u
#define ECS_ARRAY_LIMIT 65536u
#define ECS_ELEMENT_LIMIT (1u << 30)
#define ECS_PUT_MARKS 4096u
#ifdef ECS_CHECKED
#define ECS_SHARED_ROWS 16u
#define ECS_PASS_ROWS 48u
#define ECS_PASS_BYTES 1u
#define ECS_SHARED_STEPS 1u
#else
#define ECS_SHARED_ROWS 1024u
#define ECS_PASS_ROWS 1024u
#define ECS_PASS_BYTES (12u << 20)
#define ECS_SHARED_STEPS 150000u
#endif
#endif

#define ECS_FIELD_LIMIT 64u      /* fields of one component */
#define ECS_MEMBER_LIMIT 1024u   /* members of a family */
#define ECS_NAME_LIMIT 255u      /* bytes of a name */
#define ECS_TERM_LIMIT 4096u     /* terms of one query */
#define ECS_COLUMN_LIMIT 8191u   /* columns of one element size in a table */
#define ECS_EXPLAINED_TABLES 16u /* of a group, listed one by one; no limit */

/* Marks a function that other files of the core may call and users of the
 * library may not. A rock is built without -fvisibility, so every such function
 * needs the mark. */
#if defined(_WIN32) /* exports only what is marked for that */
#define ECS_INTERNAL
#else
#define ECS_INTERNAL __attribute__((visibility("hidden")))
#endif

#endif
