// miniplex.mjs: the five tests with miniplex, whose entities are objects.
import { World } from "miniplex";
import { names, populate } from "./scene.mjs";

export function prepare(test) {
  const world = new World();
  populate(test, (values) => {
    world.add(Object.fromEntries(
      values.map(([name, value]) => [name, { value }])));
  });

  const double = (name) => {
    const query = world.with(name);
    return () => {
      for (const e of query) e[name].value *= 2;
    };
  };
  const swap = (a, b) => {
    const query = world.with(a, b);
    return () => {
      for (const e of query) {
        const value = e[a].value;
        e[a].value = e[b].value;
        e[b].value = value;
      }
    };
  };
  const systems = {
    packed_5: () => ["A", "B", "C", "D", "E"].map(double),
    simple_iter: () => [swap("A", "B"), swap("C", "D"), swap("C", "E")],
    frag_iter: () => [double("Data"), double("Z")],
    entity_cycle: () => {
      const sources = world.with("A"), made = world.with("B");
      return [() => {
        for (const _ of sources) world.add({ B: { value: 1 } });
      }, () => {
        for (const e of made) world.remove(e);
      }];
    },
    add_remove: () => {
      const sources = world.with("A"), made = world.with("B");
      return [() => {
        for (const e of sources) world.addComponent(e, "B", { value: 1 });
      }, () => {
        for (const e of made) world.removeComponent(e, "B");
      }];
    },
  };
  return {
    systems: systems[test](),
    visit(add) {
      for (const e of world.entities)
        for (const name of names) if (e[name]) add(name, e[name].value);
    },
  };
}
