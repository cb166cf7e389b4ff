-- term.lua: what busted asks of lua-term, for hosts without such a library.
return { isatty = function() return false end }
