-- report_plot.lua: plots as SVG, of lines with logarithmic axes and of bars.

local plot = {}

local WIDTH, HEIGHT = 640, 360
local LEFT, RIGHT, TOP, BOTTOM = 64, 190, 34, 44
local COLOURS = {
  "#1b6ca8", "#d1495b", "#66a182", "#edae49", "#6b4e9b", "#555555", "#2e4057",
}

local function escaped(text)
  return (text:gsub("&", "&amp;"):gsub("<", "&lt;"):gsub(">", "&gt;"))
end

local function text_at(x, y, text, anchor)
  return string.format('<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>', x,
    y, anchor or "start", escaped(text))
end

local function line(x1, y1, x2, y2, colour)
  return string.format(
    '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>', x1, y1, x2,
    y2, colour)
end

local function open_picture(title)
  return {
    string.format('<svg xmlns="http://www.w3.org/2000/svg" width="%d" '
      .. 'height="%d" viewBox="0 0 %d %d" font-family="sans-serif" '
      .. 'font-size="12">', WIDTH, HEIGHT, WIDTH, HEIGHT),
    string.format('<rect width="%d" height="%d" fill="white"/>', WIDTH, HEIGHT),
    text_at(LEFT, 20, title),
  }
end

local function add_legend(parts, number, name)
  local y = TOP + 14 + 20 * (number - 1)
  local x = WIDTH - RIGHT + 12
  local colour = COLOURS[(number - 1) % #COLOURS + 1]
  parts[#parts + 1] = string.format(
    '<rect x="%d" y="%d" width="12" height="12" fill="%s"/>', x, y - 10, colour)
  parts[#parts + 1] = text_at(x + 18, y, name)
  return colour
end

-- The powers of ten around the values, and a function from value to position.
local function log_scale(low, high, from, to)
  local first = math.floor(math.log(low, 10) + 1e-9)
  local last = math.ceil(math.log(high, 10) - 1e-9)
  if last == first then last = first + 1 end
  local function place(value)
    return from + (math.log(value, 10) - first) / (last - first) * (to - from)
  end
  return place, first, last
end

local function power_text(power)
  if power >= 0 and power <= 4 then return string.format("%d", 10 ^ power) end
  if power < 0 and power >= -3 then return tostring(10.0 ^ power) end
  return string.format("1e%d", power)
end

local function bounds(series, axis)
  local low, high = math.huge, 0
  for _, one in ipairs(series) do
    for _, point in ipairs(one) do
      low, high = math.min(low, point[axis]), math.max(high, point[axis])
    end
  end
  return low, high
end

local function add_log_axes(parts, series)
  local bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
  local low, high = bounds(series, 1)
  local x, x_first, x_last = log_scale(low, high, LEFT, right)
  low, high = bounds(series, 2)
  local y, y_first, y_last = log_scale(low, high, bottom, TOP)
  for power = x_first, x_last do
    local at = x(10.0 ^ power)
    parts[#parts + 1] = line(at, TOP, at, bottom, "#dddddd")
    parts[#parts + 1] = text_at(at, bottom + 16, power_text(power), "middle")
  end
  for power = y_first, y_last do
    local at = y(10.0 ^ power)
    parts[#parts + 1] = line(LEFT, at, right, at, "#dddddd")
    parts[#parts + 1] = text_at(LEFT - 6, at + 4, power_text(power), "end")
  end
  return x, y
end

-- series: lists of { x, y }, each with a name. labels: of the two axes.
function plot.lines(title, labels, series)
  local parts = open_picture(title)
  local x, y = add_log_axes(parts, series)
  for number, one in ipairs(series) do
    local colour = add_legend(parts, number, one.name)
    local points = {}
    for _, point in ipairs(one) do
      points[#points + 1] = string.format("%.1f,%.1f", x(point[1]), y(point[2]))
    end
    parts[#parts + 1] = string.format(
      '<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>',
      table.concat(points, " "), colour)
  end
  parts[#parts + 1] = text_at((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, labels[1],
    "middle")
  parts[#parts + 1] = text_at(WIDTH - RIGHT, 20, labels[2], "end")
  parts[#parts + 1] = "</svg>\n"
  return table.concat(parts, "\n")
end

local function add_bar(parts, x, width, y, bottom, colour, value)
  parts[#parts + 1] = string.format(
    '<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>', x, y,
    width, bottom - y, colour)
  parts[#parts + 1] = string.format(
    '<text x="%.1f" y="%.1f" text-anchor="middle" font-size="8">%s</text>',
    x + width / 2, y - 3, string.format("%.3g", value))
end

-- groups: names along the axis. series: lists of one value for each group (or
-- false), each with a name.
function plot.bars(title, label, groups, series)
  local parts = open_picture(title)
  local bottom, highest = HEIGHT - BOTTOM, 0
  for _, one in ipairs(series) do
    for group = 1, #groups do
      highest = math.max(highest, one[group] or 0)
    end
  end
  local step = (WIDTH - RIGHT - LEFT) / #groups
  local width = step * 0.8 / #series
  for number, one in ipairs(series) do
    local colour = add_legend(parts, number, one.name)
    for group = 1, #groups do
      local value = one[group]
      if value then
        local x = LEFT + (group - 1) * step + step * 0.1 + (number - 1) * width
        local y = bottom - value / highest * (bottom - TOP - 12)
        add_bar(parts, x, width, y, bottom, colour, value)
      end
    end
  end
  for group, name in ipairs(groups) do
    local x = LEFT + (group - 0.5) * step
    parts[#parts + 1] = string.format(
      '<text x="%.1f" y="%.1f" text-anchor="middle" font-size="10">%s</text>',
      x, bottom + 16, escaped(name))
  end
  parts[#parts + 1] = line(LEFT, bottom, WIDTH - RIGHT, bottom, "#555555")
  parts[#parts + 1] = text_at(WIDTH - RIGHT, 20, label, "end")
  parts[#parts + 1] = "</svg>\n"
  return table.concat(parts, "\n")
end

return plot
