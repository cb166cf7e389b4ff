-- At least half of the systems in examples/ that work on one entity after the
-- other compile: systems with each, and a loop over batches of the demo.
-- Each example runs in a process of its own (examples_program.lua).

local support = dofile "spec/support/support.lua"

local EXAMPLES = { "01_first_program.lua", "02_bullet_hell.lua",
  "03_ai_state_machine.lua", "04_epidemic.lua", "05_native_kernel/program.lua",
  "07_relations.lua", "08_harbour.lua", "10_oak.lua", "demo.lua",
  "love/game.lua", "embed/thermostat.lua" }

local function run(example)
  return support.printed("spec/programs/examples_program.lua examples/"
    .. example)
end

describe("the examples", function()
  it("have systems for entities, most of which compile", function()
    local total, compiled, rest = 0, 0, {}
    for _, example in ipairs(EXAMPLES) do
      for line in run(example):gmatch "[^\n]+" do
        if line:find ": compiles$" then
          compiled, total = compiled + 1, total + 1
        elseif line:find ": a loop over a batch$" then
          total, rest[#rest + 1] = total + 1, line
        elseif not line:find "^kernels: " then
          error(example .. ": " .. line)
        end
      end
    end
    assert.is_true(total >= 10, "there are few: " .. total)
    assert.is_true(compiled * 2 >= total, table.concat(rest, "\n"))
    -- The loop over batches spawns many at once.
    assert.are.same({ "burst: a loop over a batch" }, rest)
  end)
end)
