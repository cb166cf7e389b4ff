// wolf-ecs.mjs: the five tests with wolf-ecs, whose values are in typed arrays.
// A system goes over the archetypes of its query, from the last entity on, as
// its author's own benchmark does.
import { ECS, types } from "wolf-ecs";
import { names, populate } from "./scene.mjs";

export function prepare(test) {
  const ecs = new ECS(10000);
  const parts = Object.fromEntries(
    names.map((name) => [name, ecs.defineComponent({ value: types.f32 })]));
  const queries = Object.fromEntries(
    names.map((name) => [name, ecs.createQuery(parts[name])]));
  const pair = (a, b) => ecs.createQuery(parts[a], parts[b]);
  const pairs = [["A", "B"], ["C", "D"], ["C", "E"]]
    .map(([a, b]) => [parts[a].value, parts[b].value, pair(a, b)]);
  populate(test, (values) => {
    const e = ecs.createEntity();
    for (const [name, value] of values) {
      ecs.addComponent(e, parts[name]);
      parts[name].value[e] = value;
    }
  });

  const double = (name) => {
    const query = queries[name], column = parts[name].value;
    return () => {
      for (const { entities } of query.archetypes)
        for (let k = entities.length - 1; k >= 0; k--) column[entities[k]] *= 2;
    };
  };
  const swap = ([one, other, query]) => () => {
    for (const { entities } of query.archetypes)
      for (let k = entities.length - 1; k >= 0; k--) {
        const e = entities[k], value = one[e];
        one[e] = other[e];
        other[e] = value;
      }
  };
  const over = (name, change) => () => {
    for (const { entities } of queries[name].archetypes)
      for (let k = entities.length - 1; k >= 0; k--) change(entities[k]);
  };
  const { B } = parts;
  const systems = {
    packed_5: ["A", "B", "C", "D", "E"].map(double),
    simple_iter: pairs.map(swap),
    frag_iter: [double("Data"), double("Z")],
    entity_cycle: [over("A", () => {
      const e = ecs.createEntity();
      ecs.addComponent(e, B);
      B.value[e] = 1;
    }), over("B", (e) => ecs.destroyEntity(e))],
    add_remove: [over("A", (e) => {
      ecs.addComponent(e, B);
      B.value[e] = 1;
    }), over("B", (e) => ecs.removeComponent(e, B))],
  };
  return {
    systems: systems[test],
    visit(add) {
      for (const name of names)
        for (const { entities } of queries[name].archetypes)
          for (const e of entities) add(name, parts[name].value[e]);
    },
  };
}
