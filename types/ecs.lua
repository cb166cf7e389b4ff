---@meta ecs
-- luacheck: ignore 212 241
--- ecs: types of the public face, for language servers that read LuaCATS
-- annotations. Never loaded by programs; docs/reference.md tells more.

---An entity: one number that never comes back. nil in a field is nobody.
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

---What a field may hold.
---@alias ecs.FieldValue number | boolean | nil

---A field of a component: its type, or its type and its default.
---@alias ecs.FieldSchema
---| ecs.FieldType
---| { [1]: ecs.FieldType, [2]: ecs.FieldValue }

---A component with the fields given.
---@class ecs.Value

---A field of a component, as its definition tells it.
---@class ecs.Field
---@field name string
---@field type "f32"|"f64"|"i8"|"u8"|"i16"|"u16"|"i32"|"u32"|"bool"|"entity"
---@field default? number | boolean nothing for an entity

---A component or a tag.
---@class ecs.Component
---@field name string
---@field fields ecs.Field[] a new list each time, as they are stored
---@overload fun(fields: table<string, ecs.FieldValue>): ecs.Value

---What spawn, add and set take.
---@alias ecs.Part ecs.Component | ecs.Value

---@class ecs.ComponentOptions
---@field storage? "table" | "sparse" | "bits" "bits" is for tags

---@class ecs.WorldOptions
---@field phases? string[] first, update and last unless given
---@field flush? "system" | "frame" "system" unless given
---@field seed? integer what ecs.random goes by; 0 unless given
---@field precision? "fields" | "double" of compiled functions

---What a query asks for; the list itself is read and written.
---@class ecs.QueryTerms
---@field [integer] ecs.Component
---@field read? ecs.Component[] must be there; only read
---@field optional? ecs.Component[] read and written where present
---@field with? ecs.Component[] must be there; gives no argument
---@field without? ecs.Component[] must not be there

---One of each, batch, native and run.
---@class ecs.SystemOptions
---@field name string
---@field query? ecs.QueryTerms | ecs.Query
---@field each? fun(...) the rows, dt, the entity
---@field batch? fun(batch: ecs.Batch, dt: number)
---@field native? string a kernel, as in "forces.drag"
---@field run? fun(world: ecs.World, dt: number)
---@field phase? string "update" unless given
---@field before? string | string[]
---@field after? string | string[]
---@field enabled? boolean
---@field compile? boolean true: compiled or an error; false: plain Lua
---@field precision? "fields"|"double" of a compiled each

---@class ecs.Stats
---@field entities integer alive, recorded spawns included
---@field retired integer indices that will never be issued again
---@field dropped integer changes to entities whose destruction was recorded
---@field groups integer
---@field tables integer
---@field components integer
---@field queries integer
---@field bytes integer that the world holds
---@field peak_bytes integer the most it ever held
---@field systems integer disabled ones included
---@field frames integer begun

---A field of all rows of a batch, 1 to batch.count.
---@alias ecs.Column table<integer, any>

---Some rows that match, as columns; over when its callback returns.
---@class ecs.Batch
---@field count integer
---@field entities ecs.Column
---@field [ecs.Component | string] table<string, ecs.Column>

---One component of one entity, until the next step of the loop that gave it.
---@class ecs.Row
---@field [string] ecs.FieldValue

-- Worlds ---------------------------------------------------------------------

---@class ecs.World
local World = {}

---Destroys every entity; definitions, queries and systems stay. Raises inside a
---callback.
function World:clear() end

---Gives the memory back; every other method raises afterwards. Again is
---harmless. Raises inside a callback.
function World:close() end

---Makes an entity of components, tags and values. Raises for a part twice.
---@param ... ecs.Part
---@return ecs.Entity
function World:spawn(...) end

---Makes many entities; f gets batches of them, in which all may be written. An
---error in f is raised again, and the entities stay.
---@param count integer 0 to 2^28 - 1
---@param parts ecs.Part[]
---@param f? fun(batch: ecs.Batch)
function World:spawn_many(count, parts, f) end

---Destroys an entity; false when it was not alive.
---@param e ecs.Entity?
---@return boolean
function World:destroy(e) end

---Is it alive? False for nil and for what was never an entity.
---@param e ecs.Entity?
---@return boolean
function World:alive(e) end

---Gives an entity a part; one that it has keeps its value. Raises on a dead
---entity.
---@param e ecs.Entity
---@param part ecs.Part
function World:add(e, part) end

---Changes the fields given, or one field; adds where absent. Raises on a dead
---entity, for a value that does not fit, and where an open callback owns it.
---@param e ecs.Entity
---@param part ecs.Part
---@param field? string
---@param value? ecs.FieldValue
function World:set(e, part, field, value) end

---A new table of all fields, or the fields named; nil where the entity is dead
---or lacks it. Raises on a tag, and where an open callback writes it.
---@param e ecs.Entity?
---@param component ecs.Component
---@param ... string
---@return any ...
function World:get(e, component, ...) end

---Has it all of these? Of none: is it alive?
---@param e ecs.Entity?
---@param ... ecs.Component
---@return boolean
function World:has(e, ...) end

---Takes a component away, where it is present. Raises on a dead entity.
---@param e ecs.Entity
---@param component ecs.Component
function World:remove(e, component) end

---A new list of what an entity has, in order of definition; nil of a dead one.
---@param e ecs.Entity?
---@return ecs.Component[]?
function World:components(e) end

---Makes a query, which lives as long as somebody refers to it. Each component
---once; no terms match every entity.
---@param terms ecs.QueryTerms
---@return ecs.Query
function World:query(terms) end

---Defines a system, or replaces the one of this name in its place. Raises
---inside a callback; then nothing has changed.
---@param options ecs.SystemOptions
function World:system(options) end

---Runs one frame. Raises what a system raises, and inside another frame.
---@param dt number finite; since the last frame, in the unit of your program
function World:progress(dt) end

---Runs one phase, as a frame of its own.
---@param phase string
---@param dt number
function World:run(phase, dt) end

---Lets a system run, or not; it keeps its place. Raises when there is none.
---@param name string
---@param enabled boolean
function World:enable(name, enabled) end

---Forgets a system. Raises when there is none.
---@param name string
function World:remove_system(name) end

---Stores components together, apart from the others; one alone becomes a sparse
---set. Moves their rows. Raises inside a callback.
---@param components ecs.Component[]
function World:group(components) end

---How the world is stored and runs, or one of its systems: text for people.
---@param name? string
---@return string
function World:explain(name) end

---Numbers about the world.
---@return ecs.Stats
function World:stats() end

---16 hexadecimal digits, of everything, the order of rows included. Reads the
---whole world.
---@return string
function World:hash() end

---16 hexadecimal digits, of entities and values, however they are stored. Reads
---the whole world.
---@return string
function World:state_hash() end

---A sum of what rows of each systems add; the same object for the same name.
---@param name string
---@return ecs.Total
function World:sum(name) end

---The smallest number that rows of each systems add.
---@param name string
---@return ecs.Total
function World:min(name) end

---The largest number that rows of each systems add.
---@param name string
---@return ecs.Total
function World:max(name) end

---@class ecs.Total
local Total = {}

---In the each function of a system: adds a number for this row. Raises anywhere
---else.
---@param x number
function Total:add(x) end

---What the last runs of its systems came to: 0, math.huge or -math.huge of
---nothing.
---@return number
function Total:value() end

-- Queries --------------------------------------------------------------------

---@class ecs.Query
local Query = {}

---How many entities match.
---@return integer
function Query:count() end

---The entity of the first row, nil when nothing matches.
---@return ecs.Entity?
function Query:first() end

---Calls f with batches of the rows that match. Structure that f changes changes
---when the call ends; an error drops that and is raised again.
---@param f fun(batch: ecs.Batch, ...)
---@param ... any
function Query:batch(f, ...) end

---Calls f for every row: rows, extras, the entity. Otherwise as batch.
---@param f fun(...)
---@param ... any
function Query:each(f, ...) end

---For a loop: the entity, then its rows. Anything may change in it, at once.
---@return fun(): ecs.Entity, ecs.Row, ecs.Row, ecs.Row, ecs.Row, ecs.Row
function Query:rows() end

---Gives every match a part, where it is absent.
---@param part ecs.Part
function Query:add(part) end

---Takes a component away from every match.
---@param component ecs.Component
function Query:remove(component) end

---Changes the fields given of every match; adds where absent.
---@param value ecs.Part
function Query:set(value) end

---Destroys every match.
function Query:destroy() end

---How it is stored and will run: text for people.
---@return string
function Query:explain() end

-- The module -----------------------------------------------------------------

---@class ecs
---@field _NAME string
---@field _VERSION string
---@field _LICENSE string
local ecs = {}

---Defines a component; with its name alone, gives the one that is there. Raises
---where the name is defined otherwise.
---@param name string 1 to 255 bytes
---@param fields? table<string, ecs.FieldSchema> up to 64
---@param options? ecs.ComponentOptions
---@return ecs.Component
function ecs.component(name, fields, options) end

---Defines a component without fields.
---@param name string
---@param options? ecs.ComponentOptions
---@return ecs.Component
function ecs.tag(name, options) end

---Makes a world. The collector closes one that nobody refers to.
---@param options? ecs.WorldOptions
---@return ecs.World
function ecs.world(options) end

---Called when a system's each runs as plain Lua; replace it, or set it to nil.
---@param system string
---@param where string file:line
---@param why string
function ecs.on_fallback(system, where, why) end

---Loads a library of native kernels from package.cpath: the full names of its
---kernels, or nil and why not. It stays loaded.
---@param library string
---@return string[]? kernels
---@return string? reason
function ecs.load_native(library) end

---In the each function of a system: a number from 0 up to, but not, 1 for this
---row. Raises anywhere else.
---@return number
function ecs.random() end

---Functions of numbers with the same bits on every machine. Angles are radians.
---@class ecs.math
ecs.math = {}

---@param a number
---@return number
function ecs.math.sin(a) end

---@param a number
---@return number
function ecs.math.cos(a) end

---@param y number
---@param x number
---@return number
function ecs.math.atan2(y, x) end

---@param a number
---@return number
function ecs.math.exp(a) end

---@param a number
---@return number
function ecs.math.log(a) end

---@param a number
---@return number
function ecs.math.log10(a) end

---@param a number
---@param b number
---@return number
function ecs.math.pow(a, b) end

---@param a number
---@param b number
---@return number
function ecs.math.min(a, b) end

---@param a number
---@param b number
---@return number
function ecs.math.max(a, b) end

---@param a number
---@return number
function ecs.math.floor(a) end

---@param a number
---@return number
function ecs.math.ceil(a) end

---@param a number
---@param b number
---@return number
function ecs.math.mod(a, b) end

---@param a number
---@param low number
---@param high number
---@return number
function ecs.math.clamp(a, low, high) end

---@param a number
---@param b number
---@param t number
---@return number
function ecs.math.lerp(a, b, t) end

return ecs
