// bitecs.mjs: the five tests with bitecs, whose values are in typed arrays.
import { createWorld, addEntity, removeEntity, addComponent, removeComponent,
  query } from "bitecs";
import { names, populate } from "./scene.mjs";

const MOST = 10000;

export function prepare(test) {
  const world = createWorld();
  const parts = Object.fromEntries(
    names.map((name) => [name, { value: new Float32Array(MOST) }]));
  populate(test, (values) => {
    const e = addEntity(world);
    for (const [name, value] of values) {
      addComponent(world, e, parts[name]);
      parts[name].value[e] = value;
    }
  });

  const double = (name) => {
    const part = parts[name];
    return () => {
      for (const e of query(world, [part])) part.value[e] *= 2;
    };
  };
  const swap = (a, b) => {
    const one = parts[a].value, other = parts[b].value;
    const both = [parts[a], parts[b]];
    return () => {
      for (const e of query(world, both)) {
        const value = one[e];
        one[e] = other[e];
        other[e] = value;
      }
    };
  };
  const { A, B } = parts;
  const systems = {
    packed_5: ["A", "B", "C", "D", "E"].map(double),
    simple_iter: [swap("A", "B"), swap("C", "D"), swap("C", "E")],
    frag_iter: [double("Data"), double("Z")],
    entity_cycle: [() => {
      for (const _ of query(world, [A])) {
        const e = addEntity(world);
        addComponent(world, e, B);
        B.value[e] = 1;
      }
    }, () => {
      for (const e of query(world, [B])) removeEntity(world, e);
    }],
    add_remove: [() => {
      for (const e of query(world, [A])) {
        addComponent(world, e, B);
        B.value[e] = 1;
      }
    }, () => {
      for (const e of query(world, [B])) removeComponent(world, e, B);
    }],
  };
  return {
    systems: systems[test],
    visit(add) {
      for (const name of names)
        for (const e of query(world, [parts[name]]))
          add(name, parts[name].value[e]);
    },
  };
}
