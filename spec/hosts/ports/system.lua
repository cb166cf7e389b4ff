-- system.lua: what busted asks of luasystem, for hosts without such a library.
return {
  gettime = os.time,
  monotime = os.clock,
  sleep = function() end,
}
