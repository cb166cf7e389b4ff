---@meta ecs
-- luacheck: ignore 212 241
--- ecs: types of the public module, for language servers that read LuaCATS
-- annotations. Programs never load this file. docs/reference.md has more.
--
-- Rules for every function: an argument of the wrong form raises an error at
-- the caller's line, and a call that fails has changed nothing. A method of a
-- world that is closed raises an error. "Inside a callback" means while a
-- function that was passed to batch, each or spawn_many runs, or an each or
-- batch system.

---An entity: a number that is never issued again. In a field, nil is no entity.
---@alias ecs.Entity number

---@alias ecs.FieldType
---| "f32"
---| "f64"
---| "i8"
---| "u8"
---| "i16"
---| "u16"
---| "i32"
---| "u32"
---| "bool"
---| "entity"

---The value of a field: nil only for type entity.
---@alias ecs.FieldValue number | boolean | nil

---A field of a new component: its type, or its type and default.
---@alias ecs.FieldSchema
---| ecs.FieldType
---| { [1]: ecs.FieldType, [2]: ecs.FieldValue }

---A component with values for some of its fields. Reusable, in every world.
---@class ecs.Value

---A field of a component.
---@class ecs.Field
---@field name string
---@field type "f32"|"f64"|"i8"|"u8"|"i16"|"u16"|"i32"|"u32"|"bool"|"entity"
---@field default? number | boolean nil for type entity

---A component or a tag. Calling it with fields makes a value.
---@class ecs.Component
---@field name string
---@field fields ecs.Field[] a new list each time, in the order of storage
---@overload fun(fields: table<string, ecs.FieldValue>): ecs.Value

---A part of an entity. A component without a value stands for its defaults.
---@alias ecs.Part ecs.Component | ecs.Value

---Fields of the component before it, in place of a value: read at once, neither
---kept nor changed.
---@alias ecs.Fields table<string, ecs.FieldValue>

---@class ecs.ComponentOptions
---@field storage? "table" | "sparse" | "bits" default "table"; "bits" for tags

---@class ecs.WorldOptions
---@field phases? string[] in running order; default first, update, last
---@field flush? "system" | "frame" when changes apply; default "system"
---@field seed? integer of ecs.random, 0 to 2^53; default 0
---@field precision? "fields" | "double" of compiled functions; default "fields"
---@field memory_limit? integer|string the most bytes that the world may hold,
---as a number or a text such as "64M"; no limit unless given

---The terms of a query. The array part lists components to read and write.
---@class ecs.QueryTerms
---@field [integer] ecs.Component
---@field read? ecs.Component[] required; read only
---@field optional? ecs.Component[] read and written where present
---@field with? ecs.Component[] required; not passed to callbacks
---@field without? ecs.Component[] excluded
---@field all? true every entity; alone or with optional

---A system: exactly one of each, batch, native and run is given.
---@class ecs.SystemOptions
---@field name string
---@field query? ecs.QueryTerms | ecs.Query required, but not for run
---@field each? fun(...) or its text; called with the rows, dt and the entity
---@field batch? fun(batch: ecs.Batch, dt: number)
---@field native? string the full name of a kernel, as in "forces.drag"
---@field parameters? table<string, any> of the kernel; read before each run
---@field run? fun(world: ecs.World, dt: number)
---@field phase? string default "update"
---@field before? string | string[] systems that run later
---@field after? string | string[] systems that run earlier
---@field enabled? boolean default true
---@field compile? boolean|"whole" of each; true: compile or raise; "whole": the
---same, and no side exits; false: plain Lua
---@field precision? "fields"|"double" of a compiled each; default: the world's

---@class ecs.Stats
---@field entities integer entities alive, recorded spawns included
---@field retired integer indices that will never be issued again
---@field dropped integer ignored changes to entities that were to be destroyed
---@field groups integer
---@field tables integer
---@field components integer
---@field queries integer
---@field bytes integer memory that the world holds
---@field peak_bytes integer the most memory that it held
---@field memory_limit integer the most that it may hold; 0: no limit
---@field state_bytes integer memory that all worlds made by scripts hold
---@field state_memory_limit integer the most that these may hold, as the host
---has set it; 0: no limit
---@field systems integer systems defined, disabled ones included
---@field frames integer frames begun: calls of progress and run

---Numbers about a system; but for the first two, since world:profile(true).
---@class ecs.SystemStats
---@field runs integer
---@field fallback_runs integer as plain Lua although compile is not false
---@field exits integer rows that took a side exit
---@field profiled_runs integer
---@field rows integer rows that matched when these runs began
---@field changes integer changes of structure that they made or recorded
---@field seconds number

---One field of all rows of a batch: elements 1 to batch.count.
---@alias ecs.Column table<integer, any>

---Some of the rows that match, as columns. Valid until its callback returns.
---@class ecs.Batch
---@field count integer number of rows, at least 1
---@field entities ecs.Column read only
---@field [ecs.Component | string] table<string, ecs.Column>

---One component of one entity. Valid inside the loop body; to remember
---something, store its entity.
---@class ecs.Row
---@field [string] ecs.FieldValue

-- Worlds ---------------------------------------------------------------------

---@class ecs.World
local World = {}

---Destroys every entity; definitions, queries and systems stay. Raises an error
---inside a callback or a frame that records. Cost: every entity and row.
function World:clear() end

---Frees the world's memory; closing it again is harmless. Raises an error
---inside a callback or a frame that records. Cost: one free for each block of
---memory.
function World:close() end

---Makes an entity with these parts. Raises an error if two parts are of one
---component. A component may have a table of its fields behind it. Cost: one
---move into its table, and one for each sparse part.
---@param ... ecs.Part | ecs.Fields
---@return ecs.Entity
function World:spawn(...) end

---Prepares spawn: the closure makes an entity with these parts and returns it.
---The name of a field behind a part makes that field an argument of the
---closure; a table behind a component gives fixed fields. Raises an error for a
---component or field named twice; the closure for too few or too many arguments
---and for a value that does not fit. Cost: that of spawn without its parts; no
---garbage.
---@param ... ecs.Part | ecs.Fields | string
---@return fun(...: ecs.FieldValue): ecs.Entity
function World:spawner(...) end

---Makes many entities. f, if given, is called at once with batches of the new
---rows, in which every column may be written. An error in f is raised again,
---and the entities stay. Cost: linear in count; whole columns are filled.
---@param count integer 0 to 2^28 - 1
---@param parts (ecs.Part | ecs.Fields)[]
---@param f? fun(batch: ecs.Batch)
function World:spawn_many(count, parts, f) end

---Makes an entity with a given id, from parts as spawn takes them. Returns the
---id; or nil and why: the entity is alive, another has its index, the index had
---this generation or is retired, or is more than 1,048,576 above all that were
---used. Raises an error for what is no id. Cost: that of spawn, and for
---each index that is jumped over.
---@param e ecs.Entity
---@param ... ecs.Part | ecs.Fields
---@return ecs.Entity? e
---@return string? why
function World:spawn_as(e, ...) end

---Makes room for count more entities of these parts, so that spawning them
---allocates nothing. Raises an error while changes are recorded, and where the
---memory is not there. Cost: copies the rows of a table that grows.
---@param count integer 0 to 2^28 - 1
---@param parts (ecs.Part | ecs.Fields)[]
function World:reserve(count, parts) end

---Destroys an entity. Returns false if it was not alive. Cost: linear in the
---columns of its rows.
---@param e ecs.Entity?
---@return boolean destroyed
function World:destroy(e) end

---Is the entity alive? Returns false for nil and for numbers that are no
---entity. Cost: constant.
---@param e ecs.Entity?
---@return boolean
function World:alive(e) end

---Adds a part to an entity; a component that is present keeps its value. Raises
---an error if the entity is dead. Cost: moves the other columns of its row,
---unless the part is sparse or bits.
---@param e ecs.Entity
---@param part ecs.Part a component, where fields are given
---@param fields? ecs.Fields
function World:add(e, part, fields) end

---Sets the given fields: of a value, of a table, or named one by one; adds the
---component where it is absent, with defaults for the rest. A component alone
---resets all fields. Raises an error if the entity is dead, a value does not
---fit, or an open callback uses the component. Cost: constant per field; where
---it adds, that of add.
---@param e ecs.Entity
---@param part ecs.Part a component, where fields are given
---@param field? string | ecs.Fields
---@param value? ecs.FieldValue
---@param ... string | ecs.FieldValue more fields, each with its value
function World:set(e, part, field, value, ...) end

---Returns a new table of all fields, or the values of the named fields; nil, or
---nil for each, if the entity is dead or lacks the component. Raises an error
---for a tag, an unknown field, or a component that an open callback writes.
---Cost: constant per field; garbage only without names.
---@param e ecs.Entity?
---@param component ecs.Component
---@param ... string names of fields
---@return any ...
function World:get(e, component, ...) end

---Has the entity all of these components? Without components: is it alive?
---Cost: constant for each component.
---@param e ecs.Entity?
---@param ... ecs.Component
---@return boolean
function World:has(e, ...) end

---Prepares get for these fields: the closure takes the entity and returns what
---world:get(e, component, ...) does, or raises its error; for more than one
---argument, too. Cost: about half of get on Lua 5.4; no garbage, but for the
---table that a getter without names returns.
---@param component ecs.Component
---@param ... string names of fields
---@return fun(e: ecs.Entity?): any ...
function World:getter(component, ...) end

---Prepares set for these fields, one at least, each once: the closure takes the
---entity and a value for each. It sets all of them, or raises the error of
---world:set and sets none. Cost: under half of set on Lua 5.4.
---@param component ecs.Component
---@param ... string names of fields
---@return fun(e: ecs.Entity, ...: ecs.FieldValue)
function World:setter(component, ...) end

---Prepares has for these components: the closure takes the entity and returns
---what world:has(e, ...) does. Cost: about half of has on Lua 5.4.
---@param ... ecs.Component
---@return fun(e: ecs.Entity?): boolean
function World:tester(...) end

---Removes a component from an entity, where it is present. Raises an error if
---the entity is dead. Cost: as add.
---@param e ecs.Entity
---@param component ecs.Component
function World:remove(e, component) end

---Removes a component from an entity and adds another, in one move. The first
---may be absent. The second stays as it is where it is present and no values
---are given; those that are given are set, others are defaults where it is new.
---Raises an error if the entity is dead, or for one component twice. Cost: as
---add where both are stored in tables together.
---@param e ecs.Entity
---@param gone ecs.Component
---@param part ecs.Part a component, or one with values
---@param fields? ecs.Fields
function World:replace(e, gone, part, fields) end

---Returns a new list of an entity's components, in order of definition; nil if
---it is dead. For tools. Cost: linear in the components of the world.
---@param e ecs.Entity?
---@return ecs.Component[]? components
function World:components(e) end

---Makes a query. It lives as long as something refers to it; without terms it
---matches every entity. Raises an error if a component is named twice. Cost: a
---check of every table, so make a query once and keep it.
---@param terms ecs.QueryTerms
---@return ecs.Query
function World:query(terms) end

---Defines a system, or replaces the system of this name, keeping its position.
---Raises an error inside a callback. Cost: compiles an each function, some
---tenths of a millisecond; the next frame plans the order anew.
---@param options ecs.SystemOptions
function World:system(options) end

---Runs one frame: every phase, in order. Raises the error of a system that
---fails, and an error inside a callback or frame, or if no order of the systems
---exists.
---@param dt number time since the last frame; finite, in a unit of your choice
function World:progress(dt) end

---Runs one phase, as a frame of its own. Raises errors as progress does.
---@param phase string
---@param dt number
function World:run(phase, dt) end

---Enables or disables a system; it keeps its position. Raises an error if there
---is no such system.
---@param name string
---@param enabled boolean
function World:enable(name, enabled) end

---Removes a system. Raises an error if there is no such system.
---@param name string
function World:remove_system(name) end

---Stores these components together, apart from others; a single one becomes a
---sparse set. Values stay, the order of rows may change. Raises an error inside
---a callback or a frame that records. With `{ storage = "bits" }` these
---components, all of them tags, become one bit for each row of the main group:
---adding or removing one moves nothing. Cost: moves the rows of every group
---concerned.
---@param components ecs.Component[]
---@param options? { storage: "bits" }
function World:group(components, options) end

---Stores these components in the tables of the main group, beside those that
---are in no other group: the opposite of `group`, also for components that were
---defined sparse, and for tags stored as bits. Values stay, the order of rows
---may change. Raises an error inside a callback or a frame that records. Cost:
---that of `group`.
---@param components ecs.Component[]
function World:ungroup(components) end

---@class ecs.Advice
---@field component string its name
---@field from string where it is stored: "main group", "sparse set", "bits" or
---"group with" another component
---@field to string where it costs less; or "field of" another component, or
---"plain array"
---@field reason string what matters most
---@field gain integer nanoseconds of a frame that it brings, by the model,
---after the entries before it; below 0 where it pays only with a later one

---Stores components where a frame costs less, by a model of what each system's
---runs and each change cost. Both were counted since the first frame; the
---counts are halved, so that what happens later weighs more. Worlds that were
---equal stay equal. A layout that is better by less than 1/32 is not worth a
---move. Returns what has moved; `tostring` makes text of the list and of each
---entry. Raises an error inside a callback or a frame that records. Cost:
---milliseconds, and that of `group`.
---@return ecs.Advice[]
function World:optimize() end

---Returns what `optimize` would move, and moves nothing; also names components
---that had better be a field of another one, or a plain array. Raises an error
---for a closed world. Cost: milliseconds.
---@return ecs.Advice[]
function World:advise() end

---Describes how the world is stored and runs, or how one system runs: text for
---people, which may change between versions.
---@param name? string of a system
---@return string
function World:explain(name) end

---@class ecs.ComponentStats
---@field changes integer entities that got it or lost it by a change, from the
---first frame on; halved by optimize
---@field stored? string "main group", "sparse set", "bits", or "group with"
---another component; nil before the world has used it

---Returns a new table of numbers about the world, a system, or a component.
---@param name string of a system
---@return ecs.SystemStats
---@overload fun(self: ecs.World): ecs.Stats
---@overload fun(self: ecs.World, component: ecs.Component): ecs.ComponentStats
function World:stats(name) end

---Begins to count what systems do, from 0 on, for stats(name); or stops.
---@param on boolean
function World:profile(on) end

---Gives back memory that the world does not need at the moment: empty tables,
---room for more rows, what queries keep. Entities, values and the order of rows
---stay. Not possible inside a callback. Cost: every row.
---@return integer bytes those given back
function World:trim() end

---Hashes everything that decides what the world does next: worlds with equal
---hashes stay equal in the same program. Not in it are functions, queries and
---what counts cost. Looking never changes it. Equal on every VM for equal
---programs. Cost: reads everything.
---@return string digits 16 hexadecimal digits
function World:hash() end

---Hashes entities and values, however they are stored. Cost: reads everything.
---@return string digits 16 hexadecimal digits
function World:state_hash() end

---The total of this name that sums the numbers added by rows of each systems.
---Every call returns the same object.
---@param name string 1 to 255 bytes
---@return ecs.Total
function World:sum(name) end

---The total of this name that keeps the smallest number added.
---@param name string 1 to 255 bytes
---@return ecs.Total
function World:min(name) end

---The total of this name that keeps the largest number added.
---@param name string 1 to 255 bytes
---@return ecs.Total
function World:max(name) end

---@class ecs.Total
local Total = {}

---Adds a number for the current row of an each system of this world. Raises an
---error anywhere else.
---@param x number
function Total:add(x) end

---Returns the result of the last completed runs of all systems that add to the
---total. If they added nothing: 0 for a sum, math.huge for a min, -math.huge
---for a max. Cost: linear in those systems.
---@return number
function Total:value() end

-- Queries --------------------------------------------------------------------

---@class ecs.Query
local Query = {}

---Returns how many entities match. Cost: linear in the tables that match, or in
---the rows, where several groups are joined and have changed.
---@return integer
function Query:count() end

---Returns the entity of the first row; nil if nothing matches.
---@return ecs.Entity?
function Query:first() end

---Calls f(batch, ...) for every batch of rows that match. Changes of structure
---in f are recorded, and applied when the outermost call ends. An error in f
---drops them and is raised again.
---@param f fun(batch: ecs.Batch, ...)
---@param ... any passed on to f
function Query:batch(f, ...) end

---Calls f for every row that matches, with the rows of its components, the
---extra arguments, and the entity. f is compiled where that is possible.
---Changes and errors: as batch. Raises an error for more than 100 components
---with fields, or more than 100 extra arguments.
---@param f fun(...)
---@param ... any passed on to f
function Query:each(f, ...) end

---Returns an iterator: the entity, then the rows of its components. It visits
---the entities that match now and still match when they are reached. The loop
---body may change anything; changes apply at once. Cost: a copy of the
---entities.
---@return fun(): ecs.Entity, ecs.Row, ecs.Row, ecs.Row, ecs.Row, ecs.Row
function Query:rows() end

---Adds a part to every match that lacks the component. One operation, or a
---recorded change for each match inside a callback; so are the following three.
---@param part ecs.Part a component, where fields are given
---@param fields? ecs.Fields
function Query:add(part, fields) end

---Removes a component from every match.
---@param component ecs.Component
function Query:remove(component) end

---Removes a component from every match and adds another, as World:replace: all
---of them or none. Cost: a recorded change and a move for each match.
---@param gone ecs.Component
---@param part ecs.Part
---@param fields? ecs.Fields
function Query:replace(gone, part, fields) end

---Sets the given fields of every match; adds the component where it is absent.
---Raises an error if an open callback uses the component of a match.
---@param part ecs.Part a component, where fields are given
---@param field? string | ecs.Fields
---@param value? ecs.FieldValue
---@param ... string | ecs.FieldValue more fields, each with its value
function Query:set(part, field, value, ...) end

---Destroys every match.
function Query:destroy() end

---Describes how the query is stored and runs: text for people.
---@return string
function Query:explain() end

-- The module -----------------------------------------------------------------

---@class ecs
---@field _NAME string
---@field _VERSION string
---@field _LICENSE string
local ecs = {}

---Defines a component, for all worlds of the Lua state. With the name alone,
---returns the existing component. Raises an error if the name exists with other
---fields or options, or does not exist and no fields are given.
---@param name string 1 to 255 bytes of UTF-8 without control characters
---@param fields? table<string, ecs.FieldSchema> at most 64
---@param options? ecs.ComponentOptions
---@return ecs.Component
function ecs.component(name, fields, options) end

---Defines a component without fields. Raises errors as component does.
---@param name string 1 to 255 bytes of UTF-8 without control characters
---@param options? ecs.ComponentOptions
---@return ecs.Component
function ecs.tag(name, options) end

---Makes a world. The collector closes a world that nothing refers to.
---@param options? ecs.WorldOptions
---@return ecs.World
function ecs.world(options) end

---Called when the each function of a system runs as plain Lua, or one of
---query:each often does. Replace it with a function of your own, or set it to
---nil for silence.
---@param system string name of the system, or "query:each"
---@param where string "file:line"
---@param why string what cannot be compiled, and what to write instead
function ecs.on_fallback(system, where, why) end

---Loads a library of native kernels from package.cpath; it stays loaded.
---Returns the full names of its kernels, or nil and an error message.
---@param library string
---@return string[]? kernels
---@return string? reason
function ecs.load_native(library) end

---Draws a number for the current row of an each system: from 0 up to, but not
---including, 1; with n a whole number from 1 to n; with m and n one between
---them. It depends on the seed, the system, how often its phase has begun since
---a row of it first drew, the entity, and the row's draws before. Raises an
---error anywhere else. Cost: a hash.
---@overload fun(): number
---@overload fun(n: integer): integer
---@param m integer the least number
---@param n integer the largest number, m or more
---@return integer
function ecs.random(m, n) end

---@type ecs.math
ecs.math = {}

return ecs
