import should from "should";
import type { Heads } from "../src/chain/chain-data.ts";
import { FinalityWatch } from "../src/lifecycles/chain-health.ts";
import { logTo } from "./support.ts";

const MINUTE_MS = 60_000;
const GETH_DEV = { isDevelopment: true, minesOnRequest: false };

describe("confidence levels that a node does not reach", () => {
  let time: number;
  let lines: string[];
  beforeEach(() => {
    time = 0;
    lines = [];
  });
  const watch = (chain: { isDevelopment: boolean; minesOnRequest: boolean }) =>
    new FinalityWatch(
      chain,
      ["latest", "safe", "finalized"],
      logTo((line) => lines.push(line)),
      () => time,
    );
  const at = (latest: number, safe: number, finalized: number) =>
    ({ latest: { number: latest }, safe, finalized }) as Heads;

  it("are logged once with what to do, and again when they move", () => {
    const finality = watch(GETH_DEV);
    for (time = 0; time < MINUTE_MS; time += 1000) finality.check(at(10 + time / 1000, 10 + time / 1000, 0));
    should(finality.problem).be.undefined();
    for (; time < 3 * MINUTE_MS; time += 1000) finality.check(at(100, 100, 0));
    should(lines).have.length(1);
    should(lines[0]).equal(finality.problem);
    should(finality.problem).match(/calls finalized has been 0 .* with --confidence latest,safe\.$/);
    finality.check(at(128, 128, 96));
    should(finality.problem).be.undefined();
    should(lines.at(-1)).equal("The chain's finalized block moves again: it is 96.");
  });

  it("are reported as the weakest one where several stand still", () => {
    const finality = watch(GETH_DEV);
    finality.check(at(10, 0, 0));
    time = 2 * MINUTE_MS;
    finality.check(at(11, 0, 0));
    should(finality.problem).match(/calls safe has been 0 .* with --confidence latest\.$/);
    should(lines).have.length(2);
  });

  it("are not reported for a chain without new blocks, or for a slow public one", () => {
    const idle = watch({ isDevelopment: true, minesOnRequest: true });
    const sepolia = watch({ isDevelopment: false, minesOnRequest: false });
    for (time = 0; time < 20 * MINUTE_MS; time += MINUTE_MS) {
      idle.check(at(20, 16, 12));
      sepolia.check(at(1000 + time, 900, 900));
    }
    should(idle.problem).be.undefined();
    should(sepolia.problem).be.undefined();
    should(lines).be.empty();
  });
});
