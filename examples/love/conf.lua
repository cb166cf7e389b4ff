-- With the word --headless there is no window, for machines without a display.

function love.conf(t)
  t.identity = "ecs-shooter"
  t.window.title = "ecs: 100,000 points of dust"
  t.modules.audio, t.modules.sound = false, false
  if not table.concat(arg, " "):find "%-%-headless" then return end
  for name in ("window graphics keyboard mouse touch video"):gmatch "%a+" do
    t.modules[name] = false
  end
end
