import fc from "fast-check";
import should from "should";
import { createVerifier } from "../../src/proofs/index.ts";
import type { ChannelEvent } from "../../src/protocol/index.ts";
import { configOf, proofCases } from "./fixtures.ts";

type Path = Array<string | number>;

const genuine = proofCases.filter(({ expect }) => expect === "verified").map(({ event }) => event);

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const children = Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...path, key]));
  return path.length === 0 ? children : [path, ...children];
}

function parentOf(event: unknown, path: Path): Record<string, unknown> {
  return path.slice(0, -1).reduce((value, key) => (value as never)[key], event) as Record<string, unknown>;
}

/** What a relay could do to one place of an event. */
const change = fc.oneof(
  fc.record({ kind: fc.constant("replace" as const), value: fc.jsonValue() }),
  fc.record({ kind: fc.constant("delete" as const) }),
  fc.record({
    kind: fc.constant("flip" as const),
    at: fc.nat(),
    to: fc.constantFrom(..."0123456789abcdefABCxyz=+ "),
  }),
  fc.record({ kind: fc.constant("cut" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("case" as const) }),
  fc.record({ kind: fc.constant("repeat" as const) }),
  fc.record({ kind: fc.constant("borrow" as const), from: fc.nat() }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function apply(event: ChannelEvent, path: Path, change: Change): void {
  const parent = parentOf(event, path);
  const key = path.at(-1) ?? "";
  const value = parent[key];
  switch (change.kind) {
    case "replace":
      parent[key] = change.value;
      break;
    case "delete":
      delete parent[key];
      break;
    case "flip":
      if (typeof value !== "string") break;
      parent[key] =
        value.slice(0, change.at % value.length) + change.to + value.slice((change.at % value.length) + 1);
      break;
    case "cut":
      if (typeof value === "string") parent[key] = value.slice(0, change.at % (value.length + 1));
      break;
    case "case":
      if (typeof value === "string") parent[key] = value.toUpperCase().replace(/^0X/, "0x");
      break;
    case "repeat":
      if (Array.isArray(parent)) parent.push(value);
      break;
    case "borrow":
      try {
        const other = genuine[change.from % genuine.length];
        parent[key] = structuredClone(parentOf(other, path)[key]);
      } catch {
        // The other event has no such place.
      }
      break;
  }
}

/** Everything that is signed, or compared with what is signed. */
function meaning({ headers, payload }: ChannelEvent): unknown {
  const lower = (value: unknown): unknown =>
    value === undefined
      ? undefined
      : String(value)
          .toLowerCase()
          .replace(/^0+(?=\d)/, "");
  return {
    type: headers?.type,
    event: payload.verifiable_event,
    result: payload.verifiable_result,
    selector: lower(payload.chain_selector),
    status: payload.status,
    walletOperationId: lower(payload.wallet_operation_id),
    address: lower(payload.address),
    queryId: lower(payload.query_id),
    target: lower(payload.target),
  };
}

describe("verifyEvent under 6,000 mutations", () => {
  it("never throws, and never says yes to another meaning", async function () {
    this.timeout(60_000);
    const verifier = createVerifier(configOf());
    const meanings = genuine.map((event) => JSON.stringify(meaning(event)));
    let rejected = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 3 }),
        async (which, changes) => {
          const event = structuredClone(genuine[which % genuine.length] as ChannelEvent);
          for (const [place, what] of changes) {
            const paths = pathsOf(event);
            apply(event, paths[place % paths.length] ?? [], what);
          }
          const result = await verifier.verify(event);
          if (result.verified) {
            should(meanings.includes(JSON.stringify(meaning(event)))).be.true();
            should(result.signers.length).be.aboveOrEqual(3);
          } else {
            rejected++;
            should(result.message).be.a.String();
          }
        },
      ),
      { numRuns: 6000 },
    );
    should(rejected).be.above(2000);
  });

  it("never throws on any JSON", async () => {
    const verifier = createVerifier(configOf());
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const event = value as unknown as ChannelEvent;
        should((await verifier.verify(event)).verified).be.false();
      }),
      { numRuns: 1000 },
    );
  });
});
