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
---| "string"
---| "any"

---The value of a field: nil only for types entity and any.
---@alias ecs.FieldValue any

---What happens when the target of a link dies: its field becomes nil, its
---component is removed, or the entity that links dies as well.
---@alias ecs.LinkRule "clear" | "remove" | "destroy"

---The elements of an array, by their numbers from 1, or one value for all.
---@alias ecs.ElementValues table<integer, number | boolean> | number | boolean

---A field of a new component: its type, its type and default, or a link to an
---entity. With count, from 1 to 64, it is an array of so many elements. With
---tree, no entity is its own target, the target of that one, and so on.
---@alias ecs.FieldSchema
---| ecs.FieldType
---| { [1]: ecs.FieldType, [2]: ecs.FieldValue, count?: integer }
---| { [1]: "entity", link: ecs.LinkRule, tree?: boolean }

---A component with values for some of its fields. Reusable, in every world.
---@class ecs.Value

---A field of a component.
---@class ecs.Field
---@field name string
---@field type ecs.FieldType
---@field default? number | boolean | string nil for types entity and any
---@field link? ecs.LinkRule of a link
---@field tree? boolean of a link
---@field count? integer of an array

---A component or a tag. Calling it with fields makes a value.
---@class ecs.Component
---@field name string
---@field fields ecs.Field[] a new list each time, in the order of storage
---@overload fun(fields: ecs.Fields): ecs.Value

---What is spawned from one call, with its children: see ecs.prefab.
---@class ecs.Prefab
---@field name string

---The parts of a prefab, or of a child of one. A prefab among them is its base.
---@class ecs.PrefabParts
---@field [integer] ecs.Part | ecs.Fields | ecs.Prefab
---@field base? ecs.Prefab whose parts and children it has, too
---@field children? ecs.PrefabParts[] linked to it by ecs.ChildOf

---A part of an entity. A component without a value stands for its defaults.
---@alias ecs.Part ecs.Component | ecs.Value

---Fields of the component before it, in place of a value: read at once, neither
---kept nor changed.
---@alias ecs.Fields table<string, ecs.FieldValue | ecs.ElementValues>

---@class ecs.ComponentOptions
---@field storage? "table" | "sparse" | "bits" default "table"; "bits" for tags
---@field needs? (ecs.Component | string)[] what an entity gets with it

---A phase that runs once for each step that has passed.
---@class ecs.FixedPhase
---@field [1] string its name
---@field fixed number length of a step, above 0
---@field most? integer steps that a frame may have; default 5; those beyond are
---dropped

---@class ecs.WorldOptions
---@field phases? (string|ecs.FixedPhase)[] in running order; default first,
---update, last
---@field states? string[] the first is the state at first; default none
---@field flush? "system" | "frame" when changes apply; default "system"
---@field seed? integer of ecs.random, 0 to 2^53; default 0
---@field precision? "fields" | "double" of compiled functions; default "fields"
---@field compile? false all functions run as plain Lua, for debuggers
---@field memory_limit? integer|string the most bytes that the world may hold,
---as a number or a text such as "64M"; no limit unless given
---@field threads? integer|"auto" that may run compiled functions and kernels, 1
---to 64; default 1
---@field passes? false each system runs by itself

---The terms of a query. The array part lists components to read and write.
---@class ecs.QueryTerms
---@field [integer] ecs.Component
---@field read? ecs.Component[] required; read only
---@field optional? ecs.Component[] read and written where present
---@field with? ecs.Component[] required; not passed to callbacks
---@field without? ecs.Component[] excluded
---@field any? ecs.Component[] at least one required; not passed to callbacks
---@field changed? ecs.Component[] one set, added or opened for writing since
---the system of the query last ran
---@field sort? table the order: a component, a field of it and maybe "down"
---@field up? ecs.QueryUp the order of a tree, and rows of targets
---@field all? true every entity; alone, or with optional or up

---What a query along a tree reads of the entities that rows link to.
---@class ecs.QueryUp
---@field [1] ecs.Component with one link that is a tree, such as ecs.ChildOf
---@field read? ecs.Component[] of targets; nil where they are absent

---A system: exactly one of each, batch, native and run is given.
---@class ecs.SystemOptions
---@field name string
---@field query? ecs.QueryTerms | ecs.Query required, but not for run
---@field each? fun(...) or its text; called with the rows, dt and the entity
---@field batch? fun(batch: ecs.Batch, dt: number)
---@field native? string the full name of a kernel, as in "forces.drag"
---@field parameters? table<string, any> of the kernel, or the row of a
---resource; read before each run
---@field run? fun(world: ecs.World, dt: number)
---@field uses? (ecs.Grid|ecs.Array)[] built before it runs; arrays: of native
---@field phase? string default "update"
---@field before? string | string[] systems that run later
---@field after? string | string[] systems that run earlier
---@field enabled? boolean default true
---@field every? number time from one run to the next, above 0; default every
---frame
---@field when? fun(world: ecs.World): any keeps the system off unless true
---@field in_state? string the only state in which the system runs
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
---@field grids integer
---@field grid_bytes integer memory of these, a part of bytes
---@field systems integer systems defined, disabled ones included
---@field frames integer frames begun: calls of progress and run
---@field dropped_events integer events that were not met for 1,024 frames
---@field dropped_steps integer steps of fixed phases beyond the most of a frame

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
---@field up table<ecs.Component | string, table<string, ecs.Column>?> of
---targets, read only; where the query has up
---@field copy fun(self: ecs.Batch, ...): string | integer the rows as a string:
---components, each with its fields; on LuaJIT also memory and its bytes first
---@field [ecs.Component | string] table<string, ecs.Column | ecs.Column[]>

---One component of one entity. Valid inside the loop body; to remember
---something, store its entity.
---@class ecs.Row
---@field [string] ecs.FieldValue | ecs.Elements

---An array of a row, from 1 to its count. As valid as the row.
---@class ecs.Elements
---@field [integer] number | boolean

---@alias ecs.Occasion
---| "begin"
---| "end"
---| "add"
---| "remove"
---| "set"
---| "enter"
---| "leave"
---| "destroy"

---@alias ecs.WatchFunction
---| fun(world: ecs.World, other: string)
---| fun(e: ecs.Entity, ...: ecs.Row?)
---| fun(batch: ecs.Batch)

---@class ecs.ObserverOptions
---@field batch? boolean the function gets batches of up to 256 entities

---What world:on returns; it need not be kept.
---@class ecs.Watch
---@field off fun(self: ecs.Watch) ends the calls

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
---component. A component may have a table of its fields behind it. One part may
---be a prefab, of which the others override fields. Cost: one move into its
---table, and one for each sparse part.
---@param ... ecs.Part | ecs.Fields | ecs.Prefab
---@return ecs.Entity
function World:spawn(...) end

---Prepares spawn: the closure makes an entity with these parts and returns it.
---The name of a field behind a part makes that field an argument of the
---closure; a table behind a component gives fixed fields. Raises an error for a
---component or field named twice; the closure for too few or too many arguments
---and for a value that does not fit. Cost: that of spawn without its parts; no
---garbage.
---@param ... ecs.Part | ecs.Fields | ecs.Prefab | string
---@return fun(...: ecs.FieldValue): ecs.Entity
function World:spawner(...) end

---Makes many entities. f, if given, is called at once with batches of the new
---rows, in which every column may be written. An error in f is raised again,
---and the entities stay. Cost: linear in count; whole columns are filled.
---@param count integer 0 to 2^28 - 1
---@param parts (ecs.Part | ecs.Fields | ecs.Prefab)[]
---@param f? fun(batch: ecs.Batch)
function World:spawn_many(count, parts, f) end

---Makes an entity with a given id, from parts as spawn takes them. Returns the
---id; or nil and why: the entity is alive, another has its index, the index had
---this generation or is retired, or is more than 1,048,576 above all that were
---used. Raises an error for what is no id. Cost: that of spawn, and for
---each index that is jumped over.
---@param e ecs.Entity
---@param ... ecs.Part | ecs.Fields | ecs.Prefab
---@return ecs.Entity? e
---@return string? why
function World:spawn_as(e, ...) end

---Makes room for count more entities of these parts, so that spawning them
---allocates nothing. Raises an error while changes are recorded, and where the
---memory is not there. Cost: copies the rows of a table that grows.
---@param count integer 0 to 2^28 - 1
---@param parts (ecs.Part | ecs.Fields | ecs.Prefab)[]
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
---@param value? ecs.FieldValue | ecs.ElementValues
---@param ... string | ecs.FieldValue | ecs.ElementValues more fields, in turns
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

---Emits an event: an entity that every enabled system which names its component
---meets once. Returns the entity. Raises an error for what is no event. Cost:
---that of spawn.
---@param part ecs.Part a value of an event, or its component
---@param fields? ecs.Fields
---@return ecs.Entity
function World:emit(part, fields) end

---Gives the row of the world's one resource of a component, and its entity.
---With a value, or a table of fields, makes the resource or sets these fields.
---Raises an error for a component alone that is no resource, for a tag, and
---where one would be made inside a callback or a frame that records. The row is
---valid until the resource is gone. Cost: counts the matches of a query.
---@param part ecs.Part
---@param fields? ecs.Fields
---@return ecs.Row row
---@return ecs.Entity e
function World:resource(part, fields) end

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

---Spawns another entity like this one, without its name and the tag
---ecs.Resource, and clones its children with it. Raises an error if the entity
---is dead, or a callback has claimed a component of it. Cost: for each entity,
---every component of the world.
---@param e ecs.Entity
---@return ecs.Entity
function World:clone(e) end

---Returns the name of an entity, or nil; with a name as argument names it, with
---nil takes its name away. Raises an error if another entity has the name, and
---when a dead entity is named. Cost: a hash of the name.
---@param e ecs.Entity
---@param name? string 1 to 255 bytes of UTF-8 without control characters
---@return string? name
function World:name(e, name) end

---Returns the entity that has a name, or nil. Cost: a hash of the name.
---@param name string
---@return ecs.Entity?
function World:find(name) end

---Loops over the entities whose field links to an entity, in the order of
---linking, as in `for e in world:links(sun, Orbits) do`. They are copied first,
---and those that do not link any more are passed over. The field may be left
---out where the component has one link. Raises an error for a component without
---links, and for a field that is none. Cost: a copy, and a look at each entity;
---no garbage once the loop has ended.
---@param e ecs.Entity?
---@param component ecs.Component
---@param field? string
---@return fun(): ecs.Entity?
function World:links(e, component, field) end

---Returns how many entities the field of which links to an entity. Otherwise as
---links. Cost: constant.
---@param e ecs.Entity?
---@param component ecs.Component
---@param field? string
---@return integer
function World:link_count(e, component, field) end

---Returns the parent of an entity: the field of its ecs.ChildOf. Cost: two
---look-ups.
---@param e ecs.Entity?
---@return ecs.Entity? parent nil if it has none or is dead
function World:parent(e) end

---Loops over the children of an entity, in the order in which they came, as
---links does.
---@param e ecs.Entity?
---@return fun(): ecs.Entity?
function World:children(e) end

---Loops over the parent of an entity, the parent of that one, and so on, as
---they were when the loop began; those that die are passed over. Cost: that of
---links.
---@param e ecs.Entity?
---@return fun(): ecs.Entity?
function World:ancestors(e) end

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

---Runs one phase, as a frame of its own; of a phase in fixed steps, one step of
---dt. Raises errors as progress does.
---@param phase string
---@param dt number
function World:run(phase, dt) end

---Returns the step of a phase in fixed steps, what has passed of the next step,
---and that as a part of the step. Raises an error for another phase.
---@param name string
---@return number step
---@return number rest
---@return number part at least 0, below 1
function World:phase(name) end

---Returns the state that the world is in. Raises an error in a world without
---states.
---@return string
function World:state() end

---Has the state change before the next phase, or step of one; the last call
---counts. Raises an error for an unknown state.
---@param state string
function World:go(state) end

---Has f called whenever a state begins or ends, with the world and the state
---that ended or begins; or behind every change of a kind: a component is
---added, removed or set, an entity enters or leaves a query, or is destroyed
---(then f is the second argument), with the entity and the rows; of what has
---left, the last values. What such a function changes is applied after all of
---them were called. An error in f ends the frame, or is raised by the call that
---applied the change; what has happened stays.
---@param what ecs.Occasion
---@param of string | ecs.Component | ecs.Query | ecs.WatchFunction
---@param f? ecs.WatchFunction | ecs.ObserverOptions
---@param options? ecs.ObserverOptions
---@return ecs.Watch
function World:on(what, of, f, options) end

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
---runs and each change cost. Both were counted since the first frame; counts of
---512 frames or more are halved, so that what happens later weighs more. Worlds
---that were equal stay equal. A layout that is better by less than 1/32 is not
---worth a move. Returns what has moved; `tostring` makes text of the list and
---of each entry. Raises an error inside a callback or a frame that records.
---Cost: milliseconds, and that of `group`.
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

---Has the next frames written to a file, for Perfetto and chrome://tracing.
---@param path string
---@param frames? integer 1 to 1,000,000; default 60
---@return boolean? done true; nil: the file cannot be opened
---@return string? why
function World:trace(path, frames) end

---Gives back memory that the world does not need at the moment: empty tables,
---room for more rows, what queries keep. Entities, values and the order of rows
---stay. Not possible inside a callback. Cost: every row.
---@return integer bytes those given back
function World:trim() end

---Hashes everything that decides what the world does next: worlds with equal
---hashes stay equal in the same program. Not in it are functions, queries and
---what counts cost. Looking never changes it. Equal on every VM for equal
---programs. Cost: reads what can have changed since the last hash.
---@return string digits 16 hexadecimal digits
function World:hash() end

---Hashes entities and values, however they are stored. Cost: reads what can
---have changed since the last one.
---@return string digits 16 hexadecimal digits
function World:state_hash() end

---Returns entities, their names, values and links, and arrays as text, a line
---for each, in one order: two worlds have equal texts exactly where their
---state_hash is equal. Cost: looks for each component of each entity.
---@return string text
function World:dump() end

---Copies the state of the world. Raises an error inside callbacks and frames.
---Cost: copies all columns.
---@param into? ecs.Snapshot of this world, to be used again
---@return ecs.Snapshot
function World:snapshot(into) end

---Puts a state back: entities, values, storage, clocks and totals are as they
---were. Raises an error inside callbacks and frames.
---@param snapshot ecs.Snapshot of this world
function World:restore(snapshot) end

---Begins a history, which holds the last states that were taken.
---@param most integer how many, 1 to 4096
---@return ecs.History
function World:history(most) end

---Returns the state of the world as a string; with a path, writes it to a
---file and returns true, or nil and why. Raises an error inside callbacks and
---frames. The options may stand alone.
---@param path? string|ecs.SaveOptions
---@param options? ecs.SaveOptions
---@return string|true|nil saved, string? why
function World:save(path, options) end

---Returns plain data for a value of a field of type any, as "Sprite.image",
---that is none.
---@alias ecs.Encoder fun(value: any, entity: ecs.Entity, field: string): any

---@class ecs.SaveOptions
---@field encode? { any?: ecs.Encoder }

---Where a state comes from: path or bytes, not both.
---@class ecs.LoadOptions
---@field path? string of a file
---@field bytes? string what save() gave
---@field migrate? table<string, fun(old: table): table?, string?> by the name
---of a component: gets the old fields of a row and returns the new ones; or nil
---and why the save is refused
---@field decode? { any?: fun(value: any): any } turns back what an encoder made

---Puts a state that was saved in place of the world's. Returns true and a list
---of texts, one for each field that is not as it was saved; or nil and why, and
---nothing has changed. Raises an error inside callbacks and frames, and what a
---function of migrate raises.
---@param source string|ecs.LoadOptions a path, or options
---@return true? loaded, string|string[] told
function World:load(source) end

---Returns the difference between the states of two snapshots, for apply:
---small where little differs. Raises an error inside callbacks and frames.
---@param from ecs.Snapshot of this world
---@param to ecs.Snapshot of this world
---@return string bytes
function World:diff(from, to) end

---Puts the second state of a diff in place of the world's. Returns true; or nil
---and why, where the world has another state than the diff begins with or the
---bytes are damaged, and nothing has changed. Raises an error inside callbacks
---and frames.
---@param bytes string what diff gave
---@return true? applied, string? why
function World:apply(bytes) end

---How world:unpack brings rows in.
---@class ecs.UnpackOptions
---@field as "same" | "new" under their own ids, or as new entities
---@field with? ecs.Part added to each, or set

---Brings rows that query:pack gave into the world. Returns the entities, in the
---order in which they were packed, and a list of texts, one for each field that
---is not as it was packed; or nil and why, and nothing has changed. Raises an
---error inside callbacks and frames.
---@param bytes string what query:pack gave
---@param options ecs.UnpackOptions
---@return ecs.Entity[]? entities, string|string[] told
function World:unpack(bytes, options) end

---@class ecs.Snapshot

---The last states of a world that were taken. take: copies the state; the
---oldest is forgotten where there is no room. rewind: puts the state back that
---was taken so many times ago, 1 for the last one; those after it are
---forgotten. count: returns how many are held.
---@class ecs.History
---@field take fun(self: ecs.History)
---@field rewind fun(self: ecs.History, back: integer)
---@field count fun(self: ecs.History): integer

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

-- Arrays ---------------------------------------------------------------------

---A type of the elements of an array.
---@alias ecs.ArrayType "f32"|"f64"|"i8"|"u8"|"i16"|"u16"|"i32"|"u32"|"bool"

---What an array of two or three indices has at one index.
---@class ecs.ArrayRow
---@field [integer] any
---@operator len: integer

---Elements of one type by one to three indices, each from 1.
---@class ecs.Array
---@field [integer] any an element, or where there are more indices a row
---@operator len: integer
local Array = {}

---The array of this name, made with zeros if there is none. Every call returns
---the same object. Raises an error if the array has another type or other
---sizes.
---@param name string 1 to 255 bytes
---@param type ecs.ArrayType
---@param ... integer one to three sizes, each 1 or more
---@return ecs.Array
function World:array(name, type, ...) end

---Stores a value in every element.
---@param value number|boolean
function Array:fill(value) end

---Stores all elements from lists as the array is indexed: of numbers or
---booleans, of such lists, or of lists of these. Raises an error, and stores
---nothing, where one has too few elements or too many, or a value does not fit.
---@param elements table
function Array:set(elements) end

---The sizes, one for each index.
---@return integer ...
function Array:size() end

---Gives the array other sizes, one for each index. All elements are 0
---afterwards.
---@param ... integer
function Array:resize(...) end

-- Grids ----------------------------------------------------------------------

---An index over space.
---@class ecs.GridOptions
---@field query ecs.QueryTerms | ecs.Query whose rows it copies
---@field at table a component, and two or three names of its fields
---@field cell number the length of a cell's sides, above 0

---Makes a grid, which answers who is near. It is built once a frame or fixed
---step, before the first system that uses it, and outside of frames by a
---question where something may have changed.
---@param options ecs.GridOptions
---@return ecs.Grid
function World:grid(options) end

---Rows of a query in the order of cells, as they were when it was built. In
---three dimensions z stands behind y.
---@class ecs.Grid
local Grid = {}

---An iterator over the entities within a radius of a point, with their rows,
---which are only read.
---@param x number
---@param y number
---@param radius number from 0 on
---@return fun(): ecs.Entity?, ...
function Grid:within(x, y, radius) end

---An iterator over the entities in a box, with their rows.
---@param x0 number
---@param y0 number
---@param x1 number
---@param y1 number
---@return fun(): ecs.Entity?, ...
function Grid:box(x0, y0, x1, y1) end

---An iterator over pairs within a radius of each other, each once: two
---entities, the rows of the first, those of the second.
---@param radius number from 0 on
---@return fun(): ecs.Entity?, ecs.Entity, ...
function Grid:each_pair(radius) end

---Returns the entity nearest to a point, its rows and its distance; nil if
---there is none. The rows are over with the next call.
---@param x number
---@param y number
---@param radius? number default: however far
---@param except? ecs.Entity left out
---@return ecs.Entity?, ...
function Grid:nearest(x, y, radius, except) end

---Returns how many are within a radius of a point.
---@param x number
---@param y number
---@param radius number from 0 on
---@return integer
function Grid:count(x, y, radius) end

---Returns whether any is within a radius of a point.
---@param x number
---@param y number
---@param radius number from 0 on
---@param except? ecs.Entity left out
---@return boolean
function Grid:any(x, y, radius, except) end

---Builds the grid now. Raises an error while a callback writes what it copies.
function Grid:build() end

---Returns text for people: rows, cells, bytes, a suitable cell.
---@return string
function Grid:explain() end

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
---@param value? ecs.FieldValue | ecs.ElementValues
---@param ... string | ecs.FieldValue | ecs.ElementValues more fields, in turns
function Query:set(part, field, value, ...) end

---Destroys every match.
function Query:destroy() end

---Returns the matches as a string for world:unpack: whole, or some of their
---components. Raises an error inside callbacks and frames, and for values of
---type any that are no plain data.
---@param components? ecs.Component[]
---@return string bytes
function Query:pack(components) end

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
---@param fields? table<string, ecs.FieldSchema> at most 64, with all elements
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
---query:each often does; and once when the tables that it reads make it slow.
---Replace it with a function of your own, or set it to
---nil for silence.
---@param system string name of the system, or "query:each"
---@param where string "file:line"
---@param why string what is wrong, and what to write instead
---@param compiled boolean true: it is slow, and compiled all the same
function ecs.on_fallback(system, where, why, compiled) end

---Loads a library of native kernels from package.cpath; it stays loaded.
---Returns the full names of its kernels, or nil and an error message: also when
---the file has changed since it was loaded.
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

---Defines a kind of events, by a name and fields as a component has them; an
---event is made by World:emit. Raises an error where there is another component
---of that name.
---@param name string
---@param fields? table<string, ecs.FieldType | table>
---@return ecs.Component
function ecs.event(name, fields) end

---Defines a prefab: the parts of what is spawned from it, and its children. It
---is a part of spawn, spawn_as, spawn_many, reserve and spawners; fields of a
---call override those of the prefab, and these those of its base. Raises an
---error
---where a prefab of that name has other parts, for children more than 32 deep,
---and for more than 1,024 entities. Without parts, returns the prefab of this
---name.
---@param name string
---@param parts? ecs.PrefabParts
---@return ecs.Prefab
function ecs.prefab(name, parts) end

---The tag of entities that are resources.
---@type ecs.Component
ecs.Resource = {}

---The component that makes a hierarchy: its field parent is a link that
---destroys its owner, and a tree.
---@type ecs.Component
ecs.ChildOf = {}

---The tag of entities that have a name, which only world:name gives and takes
---away. Queries may name it.
---@type ecs.Component
ecs.Name = {}

---@type ecs.math
ecs.math = {}

return ecs
