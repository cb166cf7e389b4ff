-- Other libraries may change how their process computes. Results stay the same:
-- spec/programs/float_mode_program.lua, with the bits that are set on x86.

local support = dofile "spec/support/support.lua"

describe("a library that changes how the process computes", function()
  local function runs(bits, mode)
    return function()
      local output = support.printed("spec/programs/float_mode_program.lua",
        nil, "COARSE_MODE=" .. bits)
      if output:find "^keeps nearest\nkeeps nearest\n" then
        return pending("this is not x86")
      end
      assert.equal(("keeps nearest\n%s\nsame\n%s\n"):format(mode, mode), output)
    end
  end

  it("so that numbers near 0 are 0 changes no result",
    runs("8040", "flushes nearest"))
  it("so that it rounds down changes no result", runs("2000",
    "keeps directed"))
  it("so that it rounds up changes no result", runs("4000", "keeps directed"))
  it("so that it cuts off changes no result", runs("6000", "keeps directed"))

  it("and is loaded before ecs changes no result", function()
    local usual
    for _, bits in ipairs { "0", "8040", "2000", "4000", "6000" } do
      local output = support.printed("spec/programs/directed_program.lua", nil,
        "COARSE_MODE=" .. bits)
      usual = usual or output
      assert.truthy(output:find "^%x+\n$", bits .. ": " .. output)
      assert.equal(usual, output)
    end
  end)
end)
