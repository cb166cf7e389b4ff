--- shrink: makes a tree smaller, as long as the two ways to run it differ.
--
-- Statements and elements of lists are removed. A statement is replaced by its
-- body, an expression by a part of it or by a short one. A change after which
-- the tree does not load, or raises both ways, is undone.

local shrink = {}

local ATTEMPTS = 2500

local unpack = rawget(_G, "unpack") or table.unpack

--- All places of nodes: { parent, key }, outermost first.
local function places_of(tree, list)
  for k = 1, #tree do
    if type(tree[k]) == "table" then
      list[#list + 1] = { tree, k }
      places_of(tree[k], list)
    end
  end
  return list
end

--- The nodes of a class in a node, outermost first.
local function parts_of(tree, class, list)
  for k = 1, #tree do
    local part = tree[k]
    if type(part) == "table" then
      if part.class == class then list[#list + 1] = part end
      parts_of(part, class, list)
    end
  end
  return list
end

local short = { "nil", "1.0", "true", "e", "p", "p.x" }

local function candidates(node)
  local list = {}
  if node.class == "expression" then
    for _, word in ipairs(short) do
      if #node == 1 and node[1] == word then return {} end
      list[#list + 1] = { class = "expression", word }
    end
    parts_of(node, "expression", list)
  elseif node.class == "statement" then
    for _, block in ipairs(parts_of(node, "block", {})) do
      list[#list + 1] = { class = "statement", "do ", block, " end" }
      if #block == 1 then list[#list + 1] = block[1] end
    end
  end
  return list
end

--- Replaces a statement by its first block; false: it has none.
local function splice(parent, key)
  local block = parts_of(parent[key], "block", {})[1]
  if not block then return false end
  table.remove(parent, key)
  for k = #block, 1, -1 do table.insert(parent, key, block[k]) end
  return true
end

--- fails(): true if the tree as it is now has different results.
function shrink.shrink(tree, fails)
  local left, changed = ATTEMPTS, true
  local function try()
    left = left - 1
    return left > 0 and fails()
  end
  local function at_place(parent, key)
    local node, list = parent[key], { unpack(parent) }
    if parent.class == "block" or parent.class == "list"
      or parent.class == "program" then
      table.remove(parent, key)
      if try() then return true end
      table.insert(parent, key, node)
    end
    if parent.class == "block" and splice(parent, key) then
      if try() then return true end
      for k = #parent, 1, -1 do parent[k] = nil end
      for k, before in ipairs(list) do parent[k] = before end
    end
    for _, other in ipairs(candidates(node)) do
      parent[key] = other
      if try() then return true end
    end
    parent[key] = node
    return false
  end
  while changed and left > 0 do
    changed = false
    -- Some places are not in the tree any more, which does no harm.
    for _, place in ipairs(places_of(tree, {})) do
      if place[1][place[2]] and at_place(place[1], place[2]) then
        changed = true
      end
    end
  end
end

return shrink
