-- record_demo.lua: a picture that moves, of the terminal demo.
--
--   lua5.4 tools/record_demo.lua FILE.svg       (make pictures)
--
-- Runs examples/demo.lua as in a terminal, but with a clock of its own, keeps
-- every third picture that it draws, and writes them as one SVG file: a group
-- of paths for each, a path for each colour, and an animation that shows one
-- group after the other. The same program gives the same file.

local FRAMES, EACH, SECONDS = 20, 3, 0.1 -- kept, of so many, shown so long
local WIDTH, HEIGHT = 156, 80             -- dots: two by four in a character

local path = assert(arg[1], "record_demo: which file?")

-- Recording -------------------------------------------------------------------

local drawn, pictures = 0, {}
local write, execute, clock, show = io.write, os.execute, os.clock, print
local now = 0

-- Of each picture the demo writes: go to the first place, the text, the rest.
local function hear(first, text)
  if first ~= "\27[H" then return end
  drawn = drawn + 1
  if drawn % EACH == 0 then pictures[#pictures + 1] = text end
  if #pictures == FRAMES then error("interrupted", 0) end
end

-- luacheck: push ignore 122
io.write = hear
os.execute = function() return true end -- it is a terminal
os.clock = function()
  now = now + 0.001
  return now
end
print = function() end -- luacheck: ignore 121
arg = { [0] = "examples/demo.lua", "1e9" } -- luacheck: ignore 111 112 121
dofile "examples/demo.lua"
io.write, os.execute, os.clock = write, execute, clock
print = show -- luacheck: ignore 121
-- luacheck: pop

-- Dots ------------------------------------------------------------------------

local LEVELS = { [0] = 0, 95, 135, 175, 215, 255 }

--- A colour of the terminal's 256, as SVG has it.
local function colour_of(number)
  if number >= 232 then
    local grey = 8 + 10 * (number - 232)
    return ("#%02x%02x%02x"):format(grey, grey, grey)
  end
  local cube = number - 16
  return ("#%02x%02x%02x"):format(LEVELS[cube // 36], LEVELS[cube // 6 % 6],
    LEVELS[cube % 6])
end

-- The bit of a Braille character for each of its dots: bits[x][y].
local BITS = { [0] = { [0] = 1, 2, 4, 64 }, { [0] = 8, 16, 32, 128 } }

--- dots[y][x]: the colour of a dot, or nil.
local function dots_of(text)
  local dots, line, colour = {}, 0, 15
  for y = 0, HEIGHT - 1 do dots[y] = {} end
  for row in (text .. "\n"):gmatch "([^\n]*)\n" do
    local column, at = 0, 1
    while at <= #row do
      local number, stop = row:match("^\27%[38;5;(%d+)m()", at)
      if number then
        colour, at = tonumber(number), stop
      else
        local mask = utf8.codepoint(row, at) - 0x2800
        for x = 0, 1 do
          for y = 0, 3 do
            if mask & BITS[x][y] ~= 0 then
              dots[line * 4 + y][column * 2 + x] = colour
            end
          end
        end
        column, at = column + 1, utf8.offset(row, 2, at)
      end
    end
    line = line + 1
  end
  return dots
end

--- The paths of a picture, one for each colour: runs of dots in a row, each
-- from where the last one ended.
local function paths_of(dots)
  local paths, order, ends = {}, {}, {}
  for y = 0, HEIGHT - 1 do
    local x = 0
    while x < WIDTH do
      local colour, first = dots[y][x], x
      repeat x = x + 1 until x == WIDTH or dots[y][x] ~= colour
      if colour then
        if not paths[colour] then
          paths[colour], ends[colour] = { "M0 .5" }, { 0, 0 }
          order[#order + 1] = colour
        end
        local last = ends[colour]
        table.insert(paths[colour], ("m%d %dh%d"):format(first - last[1],
          y - last[2], x - first))
        last[1], last[2] = x, y
      end
    end
  end
  table.sort(order)
  local list = {}
  for k, colour in ipairs(order) do
    list[k] = ('<path stroke="%s" d="%s"/>'):format(colour_of(colour),
      table.concat(paths[colour]))
  end
  return table.concat(list)
end

-- The file --------------------------------------------------------------------

local file = assert(io.open(path, "wb"))
file:write(([[
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" ]]
  .. [[height="%d" role="img"><title>Fireworks in a terminal: 150,000 sparks]]
  .. [[</title>
<!-- Made by make pictures from examples/demo.lua. -->
<style>g{visibility:hidden;animation:s %gs steps(1) infinite}]]
  .. [[@keyframes s{0%%{visibility:visible}%g%%{visibility:hidden}}]]
  .. [[path{stroke-width:.8;fill:none}</style>
<rect width="%d" height="%d" fill="#0b0d14"/>
]]):format(WIDTH, HEIGHT, WIDTH * 5, HEIGHT * 5, FRAMES * SECONDS, 100 / FRAMES,
  WIDTH, HEIGHT))
for k, text in ipairs(pictures) do
  file:write(('<g style="animation-delay:%gs">%s</g>\n'):format(
    (k - 1) * SECONDS, paths_of(dots_of(text))))
end
file:write "</svg>\n"
file:close()
print(("%s: %d pictures"):format(path, #pictures))
