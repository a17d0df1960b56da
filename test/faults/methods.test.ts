import should from "should";
import { CrecError } from "../../src/index.ts";
import { selfSigned } from "../support/certificates.ts";
import { atOnce } from "./at-once.ts";
import { meet } from "./cell.ts";
import { clockCells } from "./clock.ts";
import { CLOCK_FAULTS, FAULTS, type Fault } from "./faults/index.ts";
import { METHOD_KINDS, METHODS, type Method, methodsOfClient, SILENT_METHODS } from "./methods.ts";
import { ALL_NAMES } from "./names.ts";
import { Collected, isWhole, SAMPLE_NUMBER, settle } from "./table.ts";
import { makeWorld, type World } from "./world.ts";

const API_KEY = "canary+key/ZqX-0123456789abcdef==";
const AT_ONCE = 12;
/** Of a sample, each method meets so many faults. */
const SAMPLE = 1;

/** Methods of these kinds send nothing that acts. */
const READING = ["read", "wait", "account"];

describe("every method of the client, with every fault of its world", function () {
  this.timeout(600_000);

  let world: World;
  const certificate = selfSigned({ host: ALL_NAMES });
  before(async () => {
    world = await makeWorld(API_KEY);
  });
  after(() => world?.close());

  it("is in the matrix", () => {
    const all = methodsOfClient(world.direct);
    should([...Object.keys(METHODS), ...SILENT_METHODS].sort()).deepEqual(all.sort());
  });

  it("is typed, says what to do, repeats only what is safe, and recovers", async () => {
    const everything = new Collected();
    const cells = pairs(Object.entries(METHODS), FAULTS).map(([[name, method], fault]) => async () => {
      everything.add(fault.name, method.kind, await cellOf(name, method, fault, false));
    });
    await atOnce(AT_ONCE, cells);
    await settle("every request", inOrder(everything), METHOD_KINDS);
  });

  it("does so where only the request that acts meets the fault", async () => {
    const acting = new Collected();
    const methods = Object.entries(METHODS).filter(([, { kind }]) => !READING.includes(kind));
    const faults = FAULTS.filter(({ answer }) => answer !== undefined);
    const cells = pairs(methods, faults).map(([[name, method], fault]) => async () => {
      acting.add(fault.name, method.kind, await cellOf(name, method, fault, true));
    });
    await atOnce(AT_ONCE, cells);
    const kinds = METHOD_KINDS.filter((kind) => !READING.includes(kind));
    await settle("acting requests", inOrder(acting), kinds);
  });

  it("works with a clock that is an hour off, or says so", async () => {
    const clocks = new Collected();
    const faults = isWhole ? CLOCK_FAULTS : CLOCK_FAULTS.slice(-1);
    for (const fault of faults) {
      for (const { name, kind, ...cell } of await clockCells(world.ready, fault, API_KEY)) {
        should(METHOD_KINDS).containEql(kind);
        clocks.add(fault.name, kind, cell);
      }
    }
    await settle("clock", clocks.rows, METHOD_KINDS);
  });

  async function cellOf(name: string, method: Method, fault: Fault, actsOnly: boolean) {
    const cell = await meet({ world, certificate, apiKey: API_KEY, method, fault, actsOnly }).catch(
      (error) => {
        const code = error instanceof CrecError ? `${error.code} ` : "";
        throw new Error(`${name}, ${fault.name}: ${code}${error.message}`, { cause: error });
      },
    );
    // What only reads is tried four times, if the fault can pass.
    if (method.kind === "read" && !fault.codes.includes("RESPONSE_TOO_LARGE"))
      should(cell.requests).equal(fault.passes ? 4 : 1, `${name}, ${fault.name}`);
    if (method.kind === "create" || method.kind === "archive")
      should(cell.requests).equal(1, `${name}, ${fault.name}`);
    // How often a wait looks, or how many other requests a slow answer delays, depends on the time.
    const isTimed = method.kind === "wait" || (actsOnly && fault.isSlow === true);
    return isTimed ? { ...cell, requests: Number.NaN } : cell;
  }
});

/** All of them, or a sample with each fault and each method. */
function pairs<M, F>(methods: readonly M[], faults: readonly F[]): Array<[M, F]> {
  if (isWhole) return methods.flatMap((method) => faults.map((fault): [M, F] => [method, fault]));
  const shift = SAMPLE_NUMBER % faults.length;
  return methods.flatMap((method, index) =>
    Array.from({ length: SAMPLE }, (_, other): [M, F] => [
      method,
      faults[(index + other + shift) % faults.length] as F,
    ]),
  );
}

/** By the list of faults, whichever ended first. */
function inOrder(collected: Collected) {
  return new Map([...collected.rows].sort(([one], [other]) => rank(one) - rank(other)));
}

function rank(name: string): number {
  return FAULTS.findIndex((fault) => fault.name === name);
}
