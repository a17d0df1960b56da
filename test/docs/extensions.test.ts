import { readFileSync } from "node:fs";
import should from "should";
import {
  EXTENSIONS,
  REQUEST_STATUSES,
  REQUEST_TYPES,
  SETTLEMENT_STATUSES,
} from "../../src/protocol/index.ts";

const page = readFileSync(new URL("../../docs/extensions.md", import.meta.url), "utf8");

describe("the page about extensions", () => {
  it("has every event with its parameters and its meaning, and the words for each number", () => {
    const rows = EXTENSIONS.flatMap(({ events, contracts }) =>
      events.map(({ name, inputs, meaning, emitters }) => {
        const names = inputs.split(", ").map((input) => `\`${input.split(" ").at(-1)}\``);
        const contract = Object.keys(contracts).length > 1 ? `${emitters.join(", ")} | ` : "";
        return `| \`${name}\` | ${contract}${names.join(", ")} | ${meaning} |`;
      }),
    );
    should(rows.filter((row) => !page.includes(row))).deepEqual([]);
    for (const words of [REQUEST_STATUSES, REQUEST_TYPES, SETTLEMENT_STATUSES]) {
      should(page).containEql(words.map((word, number) => `${number} ${word}`).join(", "));
    }
  });
});
