-- The game of examples/love, without LÖVE: played, drawn, saved and loaded.

local support = dofile "spec/support/support.lua"

local function play(words)
  return support.printed("spec/programs/shooter_program.lua " .. words)
end

local LINE = "^wave (%d+), score (%d+), (%d+) entities, hash %x+\n$"

describe("the shooter for LÖVE", function()
  it("is played, and every each system of it compiles", function()
    local output = play "400"
    local wave, score, entities = output:match(LINE)
    assert.truthy(wave, output)
    assert.is_true(tonumber(score) > 0 and tonumber(entities) > 100000)
  end)

  it("draws every point, from columns", function()
    if not rawget(_G, "jit") or os.getenv "ECS_BACKEND" == "capi" then
      return pending("it is drawn by the FFI")
    end
    assert.equal(play "100", play "100 draw")
  end)

  it("goes on after it was saved and loaded as if it had not been", function()
    assert.equal(play "300", play "300 save")
  end)

  it("has at most 300 lines", function()
    local count = 0
    for _, name in ipairs { "conf", "main", "game" } do
      for _ in io.lines("examples/love/" .. name .. ".lua") do
        count = count + 1
      end
    end
    assert.is_true(count <= 300, count)
  end)
end)
