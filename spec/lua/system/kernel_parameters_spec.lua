-- Parameters of native kernels, and the code that compilers make of kernels.
-- The libraries are spec/kernels/many.c and those of the examples.

local ecs = require "ecs"
local support = dofile "spec/support/support.lua"

local refuses = support.refuses

local Place = ecs.component("Place", { x = "f32", y = "f32", z = "f32" })

describe("the parameters of a kernel", function()
  local world, e
  before_each(function()
    world = ecs.world {}
    e = world:spawn(Place)
    assert(ecs.load_native "many")
  end)

  local function define(parameters, kernel)
    world:system { name = "s", query = { Place },
      native = "many." .. (kernel or "flock"), parameters = parameters }
  end

  local function values()
    local place = world:get(e, Place)
    return { place.x, place.y, place.z }
  end

  it("are read before each run from the script's table", function()
    local parameters = { radius = 4, most = 7, weight = 0.5, tight = true,
                         leader = e }
    define(parameters)
    world:progress(1)
    assert.same({ 2, 7, e }, values())
    parameters.radius, parameters.tight, parameters.leader = 8, false, nil
    world:progress(1)
    assert.same({ 4, -1, 0 }, values())
    parameters.weight = "heavy"
    local done, text = pcall(world.progress, world, 1)
    assert.is_false(done)
    assert.truthy(text:find("parameter weight of kernel flock is f64 and "
      .. "cannot be a string (in system 's')", 1, true), text)
    assert.same({ 4, -1, 0 }, values())
    parameters.weight = 1
    world:progress(1)
    assert.same({ 8, -1, 0 }, values())
  end)

  it("may stand behind __index, and are no proxy", function()
    local defaults = { radius = 4, most = 7, weight = 0.5, tight = true,
                       leader = e }
    local parameters = setmetatable({}, { __index = setmetatable({ most = 8 },
      { __index = defaults, __pairs = error }), __len = error })
    define(parameters)
    world:progress(1)
    assert.same({ 2, 8, e }, values())
    parameters.radius, defaults.leader = 8, nil
    world:progress(1)
    assert.same({ 4, 8, 0 }, values())
    local text = "parameters is a proxy: pass the table behind it"
    local proxy = setmetatable({}, { __index = function() return 1 end })
    refuses(function() define(proxy) end, text)
    setmetatable(defaults, getmetatable(proxy)) -- the leader could be there
    refuses(function() world:progress(1) end, text)
    assert.same({ 4, 8, 0 }, values())
    defaults.leader = e
    world:progress(1)
    assert.same({ 4, 8, e }, values())
  end)

  it("are checked where the system is defined", function()
    local good = { radius = 4, most = 7, weight = 0.5, tight = true }
    local function with(key, value)
      local copy = {}
      for name, other in pairs(good) do copy[name] = other end
      copy[key] = value
      return copy
    end
    for text, parameters in pairs {
      ["system 's': parameter radius of kernel flock is f32 and cannot be nil"]
        = {},
      ["system 's': parameter most of kernel flock is i32 and cannot be 1.5"] =
        with("most", 1.5),
      ["system 's': parameter tight of kernel flock is bool and cannot be 1"] =
        with("tight", 1),
      ["system 's': kernel flock has no parameter 'raduis' (there are radius, "
        .. "most, weight, tight, leader)"] = with("raduis", 4),
      ["system 's': kernel flock has no parameter 1 (there are radius, most, "
        .. "weight, tight, leader)"] = with(1, 4),
      ["system 's': parameters is a table, as in parameters = { radius = 4 }, "
        .. "not 4"] = 4,
    } do
      refuses(function() define(parameters) end, text)
    end
    refuses(function() define(nil) end, "parameter radius of kernel flock")
    refuses(function() define({ x = 1 }, "drift") end,
      "kernel drift has no parameter 'x' (there are none)")
    refuses(function() define(good, "wrong") end, "kernel wrong declares its "
      .. "parameter radius as f64, which its struct does not hold")
    refuses(function()
      world:system { name = "s", run = print, parameters = {} }
    end, "system 's': parameters are for native")
    local function evil() error "evil" end
    define(setmetatable(with("leader", e),
      { __index = evil, __pairs = evil, __len = evil }))
    world:progress(1)
    assert.same({ 2, 7, e }, values())
  end)
end)

-- What users compile: plain -O3, with the public headers.
describe("the loops of a kernel are vectorised by plain -O3", function()
  local function vectorised(path)
    local compiler = assert(io.popen("cc -O3 -fPIC -Iinclude -S -o /dev/null "
      .. "-fopt-info-vec-optimized '" .. path .. "' 2>&1"))
    local report, lines = compiler:read "*a", {}
    compiler:close()
    for line in report:gmatch ":(%d+):%d+: optimized: loop vectorized" do
      lines[tonumber(line)] = true
    end
    return lines, report
  end

  local is_gcc = os.execute("cc --version 2>/dev/null | grep -q -i gcc")
  if is_gcc ~= true and is_gcc ~= 0 then return end

  for path, wanted in pairs {
    ["spec/kernels/many.c"] = 2, -- six columns; parameters
    ["examples/05_native_kernel/physics.c"] = 2,
    ["examples/embed/host.c"] = 1,
  } do
    it("in " .. path, function()
      local lines, report = vectorised(path)
      local count, number = 0, 0
      for line in io.lines(path) do
        number = number + 1
        if line:find("ECS_EACH_ROW", 1, true) and lines[number] then
          count = count + 1
        end
      end
      assert.is_true(count >= wanted, report)
    end)
  end
end)
