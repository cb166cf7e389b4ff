// objects.mjs: the five tests by hand: an entity is an object of components,
// which are objects; for each pair of components there is an array of those
// that have both.
import { names, populate } from "./scene.mjs";

const pairs = [["A", "B"], ["C", "D"], ["C", "E"]];

export function prepare(test) {
  const all = [];
  const lists = Object.fromEntries(names.map((name) => [name, []]));
  for (const [a, b] of pairs) lists[a + b] = [];
  populate(test, (values) => {
    const e = {};
    all.push(e);
    for (const [name, value] of values) {
      e[name] = { value };
      lists[name].push(e);
    }
    for (const [a, b] of pairs) if (e[a] && e[b]) lists[a + b].push(e);
  });

  const double = (name) => () => {
    for (const e of lists[name]) e[name].value *= 2;
  };
  const swap = (a, b) => () => {
    for (const e of lists[a + b]) {
      const value = e[a].value;
      e[a].value = e[b].value;
      e[b].value = value;
    }
  };
  const systems = {
    packed_5: ["A", "B", "C", "D", "E"].map(double),
    simple_iter: pairs.map(([a, b]) => swap(a, b)),
    frag_iter: [double("Data"), double("Z")],
    entity_cycle: [() => {
      for (const _ of lists.A) lists.B.push({ B: { value: 1 } });
    }, () => { lists.B.length = 0; }],
    add_remove: [() => {
      for (const e of lists.A) e.B = { value: 1 };
    }, () => {
      for (const e of lists.A) delete e.B;
    }],
  };
  return {
    systems: systems[test],
    visit(add) {
      const made = test === "entity_cycle" ? lists.B : [];
      for (const e of [...all, ...made])
        for (const name in e) add(name, e[name].value);
    },
  };
}
