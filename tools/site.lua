-- site.lua: the pages of the documentation, as mkdocs takes them.
--
--   lua5.4 tools/site.lua pages FOLDER PAGE...
--   lua5.4 tools/site.lua check FOLDER
--
-- pages: copies the pages of the repository to a folder: docs/ and the README,
-- which becomes index.md, together, and each example as a page of its code.
-- Links are mended to lead to where the pages are then; a link to what has no
-- page is an error.
--
-- check: of the site that mkdocs has made: every link within it leads to a
-- page, and to a heading there.

local mode, root = arg[1], arg[2]
local broken = 0

local function complain(...)
  print("not ok " .. string.format(...))
  broken = broken + 1
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local function write(path, text)
  local folder = path:match "^(.*)/"
  assert(os.execute("mkdir -p '" .. folder .. "'"))
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

--- The lines that a command prints.
local function lines_of(command)
  local lines = {}
  local pipe = assert(io.popen(command))
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

--- A path without its "." and "name/.." parts.
local function plain_path(path)
  local parts = {}
  for part in path:gmatch "[^/]+" do
    if part == ".." then
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return table.concat(parts, "/")
end

--- From the folder of one file to another file, both below one root.
local function relative(from, to)
  local up = from:gsub("[^/]*$", ""):gsub("[^/]+/", "../")
  return up .. to
end

-- Pages -----------------------------------------------------------------------

--- File of the repository -> page below the root.
local pages = {}

--- The first line of the comment that a file begins with.
local function purpose(text)
  local first = text:match "^%-%-+ ?(.-)\n" or text:match "^/%* ?(.-)\n"
  return first and first:gsub("^[^:]*: ", "") or ""
end

local function example_pages()
  local index = { "# Examples\n" }
  for _, path in ipairs(lines_of "git ls-files examples | sort") do
    local name = path:match "^examples/(.*)$"
    if path:match "%.lua$" or path:match "%.c$" then
      pages[path] = "examples/" .. name:gsub("[/.]", "_") .. ".md"
      local text = read(path)
      write(root .. "/" .. pages[path], ("# %s\n\n```%s\n%s```\n"):format(path,
        path:match "[^.]*$", text))
      index[#index + 1] = ("- [%s](%s): %s"):format(name,
        pages[path]:match "[^/]*$", purpose(text))
    end
    local folder = path:match "^(.*)/"
    pages[folder] = "examples/index.md"
  end
  write(root .. "/examples/index.md", table.concat(index, "\n") .. "\n")
end

--- The target of a link on a page, as it is on the site. mkdocs makes anchors
-- with single hyphens.
local function mended(path, target)
  if target:match "^%a+:" then return target end
  local file, anchor = target:match "^([^#]*)(.*)$"
  anchor = anchor:gsub("%-+", "-"):gsub("%-$", "")
  if file == "" then return anchor end
  file = plain_path((path:match "^(.*/)" or "") .. file)
  if not pages[file] then
    complain("%s: a link to %s, which has no page", path, target)
    return target
  end
  return relative(pages[path], pages[file]) .. anchor
end

--- A text without code, with its links mended.
local function mended_links(path, text)
  return (text:gsub("%]%(([^)%s]+)%)", function(target)
    return "](" .. mended(path, target) .. ")"
  end))
end

local function write_page(path)
  local text = read(path)
  local parts, at = {}, 1
  while true do
    local first = text:find("\n```", at, true)
    local last = first and select(2, text:find("\n```", first + 4, true))
    if not last then break end
    parts[#parts + 1] = mended_links(path, text:sub(at, first))
      .. text:sub(first + 1, last)
    at = last + 1
  end
  parts[#parts + 1] = mended_links(path, text:sub(at))
  write(root .. "/" .. pages[path], table.concat(parts))
end

local function make_pages(list)
  for _, path in ipairs(list) do
    pages[path] = path == "README.md" and "index.md" or path:match "[^/]*$"
  end
  example_pages()
  for _, picture in ipairs(lines_of "git ls-files 'docs/*.svg'") do
    pages[picture] = picture:match "^docs/(.*)$"
    write(root .. "/" .. pages[picture], read(picture))
  end
  for _, path in ipairs(list) do write_page(path) end
end

-- The site --------------------------------------------------------------------

local function anchors_of(text)
  local found = {}
  for id in text:gmatch ' id="([^"]*)"' do found[id] = true end
  return found
end

local function check_site()
  local texts, anchors, links = {}, {}, 0
  for _, path in ipairs(lines_of(("cd '%s' && find . -type f"):format(root))) do
    path = path:gsub("^%./", "")
    texts[path] = path:match "%.html$" and read(root .. "/" .. path) or false
    anchors[path] = texts[path] and anchors_of(texts[path]) or {}
  end
  for path, text in pairs(texts) do
    for target in (text or ""):gmatch '<a[^>]- href="([^"]*)"' do
      local file, anchor = target:match "^([^#]*)#?(.*)$"
      file = file == "" and path
        or plain_path((path:match "^(.*/)" or "") .. file)
      if not target:match "^%a+:" and target ~= "#" and path ~= "404.html" then
        links = links + 1
        if texts[file] == nil then
          complain("%s: a link to %s, which is not there", path, target)
        elseif anchor ~= "" and not anchors[file][anchor] then
          complain("%s: a link to %s: no such heading", path, target)
        end
      end
    end
  end
  if links < 100 then complain("only %d links", links) end
  print(("ok %d links of the site"):format(links))
end

if mode == "pages" then
  make_pages { table.unpack(arg, 3) }
else
  check_site()
end
os.exit(broken == 0)
