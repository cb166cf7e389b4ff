// scene.mjs: the entities of the five tests, as in bench/lua/five_scene.lua.

export const names = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ", "Data"];

const groups = {
  packed_5: [[1000, "A", "B", "C", "D", "E"]],
  simple_iter: [[1000, "A", "B"], [1000, "A", "B", "C"],
    [1000, "A", "B", "C", "D"], [1000, "A", "B", "C", "E"]],
  frag_iter: names.slice(0, 26).map((name) => [100, name, "Data"]),
  entity_cycle: [[1000, "A"]],
  add_remove: [[1000, "A"]],
};

export const tests = Object.keys(groups);

export const size = (test) =>
  groups[test].reduce((sum, [count]) => sum + count, 0);

// Calls make(values) for each entity; values are [name, value] of its
// components.
export function populate(test, make) {
  for (const [count, ...own] of groups[test])
    for (let k = 1; k <= count; k++)
      make(own.map((name) => [name, k % 8 + names.indexOf(name) + 1]));
}

// Adds up values, each by the number of its component.
export function adder() {
  const add = (name, value) => {
    add.sum += (names.indexOf(name) + 1) * value;
  };
  add.sum = 0;
  return add;
}
