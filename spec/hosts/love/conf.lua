-- For a machine without a display.
function love.conf(t)
  t.identity = "ecs-spec"
  for _, name in ipairs { "window", "graphics", "audio", "sound", "joystick",
    "physics", "video", "mouse", "touch", "keyboard" } do
    t.modules[name] = false
  end
end
