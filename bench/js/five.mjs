// five.mjs: the five tests of bench/lua/bench_five.lua with ECS libraries for
// JavaScript. `make bench-js` installs the libraries and runs it.
//
//   node five.mjs [--json] [--repetitions N]
//   node five.mjs LIBRARY TEST N       one of them, as a line of JSON
//
// Each library runs each test in a process of its own: what one compiles does
// not slow down another. A time is per entity of the test, for one frame: the
// median and the least of 11 repetitions of 10 ms or more, after 200 ms of
// warming up, with the collector running. Every library is checked to have the
// sum of values that objects by hand have, and that the tests in Lua print.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { adder, size, tests } from "./scene.mjs";

const libraries = ["objects", "bitecs", "miniplex", "wolf-ecs"];
const ROUNDS = 3; // until the sum is taken, as in bench/lua/measure.lua
const WARM_UP = 200, LEAST = 10; // ms

const sum = (scene) => {
  const add = adder();
  scene.visit(add);
  return add.sum;
};

// The sum after some frames; of tests whose second system undoes the first, in
// between.
function check(scene, test) {
  const undone = test === "entity_cycle" || test === "add_remove";
  for (let k = 0; k < ROUNDS; k++) for (const system of scene.systems) system();
  if (!undone) return sum(scene);
  scene.systems[0]();
  const found = sum(scene);
  scene.systems[1]();
  return found;
}

function time(systems, runs) {
  const start = performance.now();
  for (let k = 0; k < runs; k++) for (const system of systems) system();
  return performance.now() - start;
}

async function measure(library, test, repetitions) {
  const { prepare } = await import(`./${library}.mjs`);
  const found = check(prepare(test), test);
  const { systems } = prepare(test);
  const times = [];
  let runs = 1, spent = 0;
  while (spent < WARM_UP) spent += time(systems, 10);
  while (time(systems, runs) < LEAST) runs *= 2;
  for (let k = 0; k < repetitions; k++)
    times.push(time(systems, runs) / runs / size(test) * 1e6);
  times.sort((a, b) => a - b);
  return { program: "js five", vm: `node ${process.versions.node}`, name: test,
    side: library, size: size(test), unit: "ns",
    median: times[times.length >> 1], least: times[0],
    repetitions, runs, check: String(found) };
}

function show(row) {
  const cells = [`${row.name}: ${row.side}`.padEnd(48),
    String(row.size).padStart(7), row.median.toPrecision(3).padStart(8),
    row.least.toPrecision(3).padStart(8)];
  console.log(cells.join(" "));
}

function runAll(words) {
  const json = words.includes("--json");
  const given = words.indexOf("--repetitions");
  const repetitions = given < 0 ? 11 : Number(words[given + 1]);
  const self = fileURLToPath(import.meta.url);
  if (!json)
    console.log(`js five: node ${process.versions.node}; nanoseconds for one `
      + `entity, median and least of ${repetitions}`);
  for (const test of tests) {
    let expected;
    for (const library of libraries) {
      const row = JSON.parse(execFileSync(process.execPath,
        [self, library, test, String(repetitions)]));
      expected ??= row.check;
      if (row.check !== expected)
        throw new Error(`${test}: ${library}: ${row.check}, not ${expected}`);
      if (json) console.log(JSON.stringify(row)); else show(row);
    }
  }
}

const words = process.argv.slice(2);
if (libraries.includes(words[0]))
  console.log(JSON.stringify(await measure(words[0], words[1],
    Number(words[2]))));
else
  runAll(words);
