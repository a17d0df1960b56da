// @ts-check
// A small, fixed piece of work, about what tests do, once a second until its input ends: then it prints how many
// milliseconds of a processor that took on average. Changing it changes `REFERENCE_MS` in processor-time.mjs.
import { createHash } from "node:crypto";
import { runInThisContext } from "node:vm";

const EVERY_MS = 1_000;
const FUNCTIONS = 300;
const ITEMS = 2_000;

/** Most of what runs in tests is code that runs for the first time. @param {number} round */
function newCode(round) {
  const functions = Array.from(
    { length: FUNCTIONS },
    (_, at) => `
function part${at}({ name = "part ${at}", limit = ${at}, list = [] }) {
  class Part {
    #value;
    constructor(value) {
      this.#value = value;
    }
    toText() {
      return \`\${name}: \${this.#value}\`;
    }
  }
  const parts = [limit, ...list].map((value) => new Part(value + ${round}));
  if (parts.length === 0) throw new Error("There is nothing in " + name);
  return parts.map((part) => part.toText()).join(", ");
}
all.push(part${at}({ list: [${at}, ${round}] }));`,
  );
  return runInThisContext(`(function (all) {${functions.join("")} return all; })`)([]);
}

/** The other part is data. @param {number} round */
function sortAndHash(round) {
  const items = Array.from({ length: ITEMS }, (_, at) => ({
    id: (at * 7919 + round) % ITEMS,
    name: `item ${at} of round ${round}`,
    topics: [`0x${at.toString(16).padStart(64, "0")}`, `${round}`],
  }));
  const copy = /** @type {typeof items} */ (JSON.parse(JSON.stringify(items)));
  copy.sort((one, other) => one.id - other.id || one.name.localeCompare(other.name));
  const byName = new Map(copy.map((item) => [item.name.replace(/item (\d+)/, "$1"), item]));
  const hash = createHash("sha256");
  for (const [name, { topics }] of byName) hash.update(name).update(topics.join());
  return hash.digest("hex");
}

function usedMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

let rounds = 0;
let ms = 0;
function work() {
  const before = usedMs();
  newCode(rounds);
  sortAndHash(rounds);
  ms += usedMs() - before;
  rounds += 1;
}

work();
const timer = setInterval(work, EVERY_MS);
// Also where the run is killed.
process.stdin.resume().once("end", () => {
  clearInterval(timer);
  process.stdout.write(String(ms / rounds));
});
