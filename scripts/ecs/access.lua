--- access: what the access of a term says of its columns.
--
--     access.shown[a]      callbacks get them, or batches have them
--     access.written[a]    they may be stored into
--     access.optional[a]   they may be absent

require("ecs.standard").inner "ecs.access"

return {
  shown = { write = true, read = true, optional = true, up = true },
  written = { write = true, optional = true },
  optional = { optional = true, up = true },
}
