// @ts-check
// A fixed piece of work, about what tests do: prints how many seconds of a processor it took. Changing it changes
// `REFERENCE_S` in processor-time.mjs.
import { createHash } from "node:crypto";

const ROUNDS = 150;
const ITEMS = 2_000;

/** @param {number} round */
function work(round) {
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

for (let round = 0; round < ROUNDS; round += 1) work(round);
const { user, system } = process.cpuUsage();
process.stdout.write(String((user + system) / 1e6));
