--- count: how often each part of the catalogue occurs in a function's tree.

local catalogue = require "differential.catalogue"
local entries = require "model_lua.entries"

local count = {}

local add

local by_kind = {
  neg = "neg", const = "constant", choice = "and or", getor = "get or",
  ["and"] = "and", ["or"] = "or", ["not"] = "not", eqbool = "bool comparison",
  self = "self", enteq = "entity comparison", entnil = "entity nil test",
  entchoice = "entity and or", enttrue = "entity truth", alive = "alive",
  getent = "get entity", late = "late local", ["do"] = "do",
  lookup = "lookup", flagat = "boolean table element",
}

local by_name = {
  dt = "dt", ["math.pi"] = "math.pi", ["math.huge"] = "math.huge",
  u1 = "number upvalue", u2 = "number upvalue", b1 = "boolean upvalue",
  b2 = "boolean upvalue", w1 = "entity upvalue", ["cfg.a"] = "table upvalue",
  ["cfg.deep.b"] = "nested table upvalue",
  ["cfg.flag"] = "table boolean upvalue", ["#cfg.l1"] = "table length",
  ["cfg.l1[1]"] = "element at a constant",
}

local forms = { ["then"] = "optional test", ["nil"] = "optional nil test",
                ["and"] = "optional and", ["return"] = "optional early return" }

local special = {}

function special.bin(node) add("op " .. node.op) end
special.cmp = special.bin
function special.bool(node) add(tostring(node.value)) end

function special.field(node)
  add("field " .. catalogue.types[node.row .. "." .. node.name])
end

local elements = { list = "table element", field = "field of table element",
                   rows = "element of table of rows" }
function special.element(node) add(elements[node.form]) end

function special.who() add "field entity" end
function special.outer(node) add(by_name[node.name]) end
special.outerbool, special.outerent = special.outer, special.outer

function special.call(node)
  add("call " .. node.name)
  if node.alias then add "local alias" end
end

function special.fcall(node)
  add(node.f:find(".", 1, true) and "call function of table"
    or "call function")
  for _, argument in ipairs(node.list) do
    if argument.k == "fcall" then add "nested call" end
  end
end

function special.has(node) add(node.tags[2] and "has two" or "has") end

function special.var(node)
  if node.t == "bool" then add "boolean variable" end
end

special["local"] = function(node)
  local kind = node.values[1].t
  add(kind == "num" and "local" or kind == "bool" and "local bool"
    or "local entity")
  if #node.names > #node.values then add "several results" end
end

function special.assign(node)
  if #node.targets > #node.values then add "several results" end
  if #node.targets > 1 then add "multiple assignment" end
  for _, target in ipairs(node.targets) do
    if target.k == "var" then
      add "assign variable"
    else
      local scalar = target.k == "who" and "entity"
        or catalogue.types[target.row .. "." .. target.name]
      add("store " .. scalar)
      add(target.t == "num" and "assign field" or target.t == "bool"
        and "assign bool" or "assign entity")
    end
  end
end

special["if"] = function(node)
  add "if"
  if node.rare then add "rare if" end
  if node.other then add "else" end
  if node.tests[2] then add "elseif" end
  for _, body in ipairs(node.bodies) do
    for _, statement in ipairs(body) do
      if statement.k == "if" then add "nested if" end
      if statement.k == "return" then add "early return" end
    end
  end
end

special["for"] = function(node)
  add(node.step and node.step < 0 and "for down" or "for")
  local last = node.body[#node.body]
  if last.k == "if" and last.bodies[1][1].k == "return" then
    add "return in for"
  end
end

function special.turns(node) add("turns " .. node.form) end
function special.leave() add "leave" end

function special.opt(node) add(forms[node.form]) end
function special.change(node) add(node.op) end

local function visit(place, seen)
  if seen[place] then return end
  seen[place] = true
  if by_kind[place.k] then add(by_kind[place.k]) end
  if special[place.k] then special[place.k](place) end
  if place.k == "lookup" and place.other then add "lookup else" end
  for key, value in entries(place) do
    -- A target is stored to, not read.
    if type(value) == "table" and key ~= "targets" then visit(value, seen) end
  end
end

local function size_class(rows)
  if rows == 0 then return "0" end
  if rows <= 16 then return "1 to 16" end
  return rows <= 70 and "17 to 70" or "1023 to 1025"
end

--- Adds the parts of a function, its rows, and what runs it, to counts.
function count.add(counts, made, rows, by_each)
  function add(name) counts[name] = (counts[name] or 0) + 1 end
  local seen = {}
  visit(made.body, seen)
  for _, f in ipairs(made.functions) do visit(f.body, seen) end
  local shape = made.shape
  if shape.o then add "optional term" end
  if shape.r then add "gathered term" end
  if shape.o and shape.r then add "optional and gathered term" end
  add("rows " .. size_class(rows))
  add(by_each and "by query:each" or "by a system alone")
end

--- The parts that occurred too rarely among a number of functions, as lines.
function count.missing(counts, functions)
  local list, least = {}, catalogue.least(functions)
  for _, name in ipairs(catalogue.names) do
    local found = counts[name] or 0
    if found < least or found == 0 and functions >= 1000 then
      list[#list + 1] = string.format("%s: %.0f times, at least %.0f wanted",
        name, found, math.max(least, 1))
    end
  end
  return list
end

return count
