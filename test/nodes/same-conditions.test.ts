import should from "should";
import type { ConditionDef } from "../../nodes/common/shared/stored-values.ts";
import { type Condition, type ConditionSet, matchEvent, parseAbi } from "../../src/index.ts";
import { EventHarness } from "../support/event-harness.ts";
import { eventually } from "../support/eventually.ts";
import { functionNode } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { contractNode, TRANSFER_ABI } from "../support/nodes.ts";
import { TRANSFER } from "../support/transfer.ts";

const RECEIVER = "0x00000000000000000000000000000000DeaDBeef";
const LARGE = "12345678901234567891";
const VALUES = ["1", "2", LARGE];
const DONE = "search-done";

type Row = {
  about: string;
  match?: ConditionSet["match"];
  conditions: readonly Condition[];
  /** The values of the transfers that match. */
  expected: readonly string[];
  /** Where neither an ABI nor decimals are known. */
  withoutContract?: readonly string[];
};

const value = (is: Condition["is"], text?: Condition["value"], more: Partial<Condition> = {}): Condition => ({
  field: "params.value",
  is,
  ...(text === undefined ? {} : { value: text }),
  ...more,
});

const TABLE: readonly Row[] = [
  { about: "no conditions", conditions: [], expected: VALUES },
  { about: "above", conditions: [value("above", "2")], expected: [LARGE] },
  { about: "exactly", conditions: [value("atLeast", LARGE)], expected: [LARGE] },
  { about: "just not", conditions: [value("above", LARGE)], expected: [] },
  { about: "between", conditions: [value("between", "1", { to: "2" })], expected: ["1", "2"] },
  { about: "not between", conditions: [value("between", "1", { to: "2", not: true })], expected: [LARGE] },
  { about: "a number in hex", conditions: [value("equals", "0x2")], expected: ["2"] },
  { about: "a number with zeros", conditions: [value("equals", "02.0")], expected: ["2"] },
  { about: "one of", conditions: [value("oneOf", ["1", LARGE])], expected: ["1", LARGE] },
  { about: "not one of", conditions: [value("oneOf", ["1", LARGE], { not: true })], expected: ["2"] },
  { about: "ends with", conditions: [value("endsWith", "91")], expected: [LARGE] },
  {
    about: "tokens",
    conditions: [value("atLeast", "0.000000000000000002", { unit: "token" })],
    expected: ["2", LARGE],
    withoutContract: [],
  },
  {
    about: "tokens, negated",
    conditions: [value("above", "12.345678901234567890", { unit: "token", not: true })],
    expected: ["1", "2"],
    withoutContract: [],
  },
  {
    about: "an address",
    conditions: [{ field: "params.to", is: "equals", value: RECEIVER.toLowerCase() }],
    expected: VALUES,
  },
  {
    about: "another address",
    conditions: [{ field: "params.to", is: "oneOf", value: [`0x${"1".repeat(40)}`] }],
    expected: [],
  },
  {
    about: "an address, by its start",
    conditions: [{ field: "params.to", is: "startsWith", value: "0x00" }],
    expected: VALUES,
  },
  {
    about: "a missing field",
    conditions: [{ field: "params.nothing", is: "above", value: "0" }],
    expected: [],
  },
  {
    about: "a missing field, negated",
    conditions: [{ field: "params.nothing", is: "above", value: "0", not: true }],
    expected: [],
  },
  {
    about: "that a field is missing",
    conditions: [{ field: "params.nothing", is: "exists", not: true }],
    expected: VALUES,
  },
  { about: "the name", conditions: [{ field: "name", is: "equals", value: "Transfer" }], expected: VALUES },
  { about: "all", conditions: [value("above", "1"), value("below", LARGE)], expected: ["2"] },
  {
    about: "any",
    match: "any",
    conditions: [value("below", "2"), value("above", "2")],
    expected: ["1", LARGE],
  },
  {
    about: "any, one undecided",
    match: "any",
    conditions: [value("above", "2"), value("atLeast", "0.000000000000000002", { unit: "token" })],
    expected: ["2", LARGE],
    withoutContract: [LARGE],
  },
];

/** A row as the form stores it. */
function stored({ value: wanted, to, ...row }: Condition): ConditionDef {
  return {
    ...{
      kind: "field",
      type: "str",
      toType: "str",
      value: typeof wanted === "string" ? wanted : (wanted ?? []).join(", "),
    },
    ...(to === undefined ? {} : { to }),
    ...row,
  };
}

describe("the same conditions", function () {
  this.timeout(120_000);

  let harness: EventHarness;

  before(async () => {
    harness = await EventHarness.start(0);
    const { chain_selector, contracts } = harness.service.ready;
    const { data } = await harness.call("GET", `/channels?name=${harness.service.channelName}`);
    const channel = (data as Array<{ channel_id: string }>)[0]?.channel_id;
    const watchers = `/channels/${channel}/watchers`;
    const { watcher_id } = await harness.call("POST", watchers, {
      ...{ name: "transfers", chain_selector, address: contracts.DemoToken, events: ["Transfer"] },
      abi: [TRANSFER],
    });
    await eventually(
      "an active watcher",
      () => harness.call("GET", `${watchers}/${watcher_id}`),
      ({ status }) => status === "active",
    );
    for (const amount of VALUES) await harness.call("POST", "/local/faucet", { to: RECEIVER, amount });
    const query = `/channels/${channel}/events/search?type=watcher.event`;
    await eventually(
      `${VALUES.length} events`,
      () => harness.call("GET", query),
      ({ events }) => (events as unknown[]).length >= VALUES.length,
    );
  });
  after(() => harness?.close());

  const valuesIn = (events: readonly unknown[]) =>
    VALUES.filter((wanted) =>
      events.some((event) => String((event as { params: { value: unknown } }).params.value) === wanted),
    );
  const payloads = (id: string, port = 0) => harness.arrivals(id, port).map(({ payload }) => payload);

  /** All rows at once: a search of its own for each, and an alert node for each behind a search for everything. */
  async function search(contract: string, run: string): Promise<void> {
    const rows = TABLE.map(({ conditions, match = "all" }) => ({
      match,
      conditions: conditions.map(stored),
      contract,
    }));
    const node = {
      type: "crec-search-events",
      channel: "channel",
      types: ["watcher.event"],
      limit: "",
      verify: true,
    };
    const searches: FlowNode[] = rows.map((row, index) => ({ ...node, ...row, id: `search-${index}${run}` }));
    const alerts: FlowNode[] = rows.map((row, index) => ({
      ...{ type: "crec-alert", when: "each", takenBack: false, ...row, id: `alert-${index}${run}` },
    }));
    const everything: FlowNode = {
      ...{ ...node, contract, id: `everything${run}`, match: "all", conditions: [] },
      wires: [[...alerts.map(({ id }) => String(id)), `everything${run}-look-0`]],
    };
    const at = { z: "harness-tab", x: 1, y: 1 };
    await harness.deploy(
      [
        ...[...searches, everything].map((one): [FlowNode, number] => [one, 1]),
        ...alerts.map((one): [FlowNode, number] => [one, 3]),
      ],
      [
        contractNode(harness.service.ready, contract ? { decimals: "18" } : {}),
        {
          ...at,
          id: "complete",
          type: "complete",
          scope: [...searches, everything].map(({ id }) => String(id)),
          wires: [["hop-1"]],
        },
        // Behind so many nodes that the messages of a search are shown before its end.
        functionNode("hop-1", "return msg;", ["hop-2"]),
        functionNode("hop-2", "return msg;", ["hop-3"]),
        functionNode("hop-3", "return msg;", [DONE]),
        {
          ...at,
          id: DONE,
          type: "debug",
          name: DONE,
          active: true,
          complete: "true",
          targetType: "full",
          wires: [],
        },
      ],
    );
    for (const { id } of [everything, ...searches]) {
      const before = harness.nodeRed.shown(DONE).length;
      await harness.press(String(id), {});
      await harness.nodeRed.shows(() => harness.nodeRed.shown(DONE).length > before);
    }
    const count = payloads(`everything${run}`).length;
    await harness.nodeRed.shows(() =>
      alerts.every(
        ({ id }) => harness.arrivals(String(id), 0).length + harness.arrivals(String(id), 2).length >= count,
      ),
    );
  }

  for (const contract of ["contract", ""]) {
    it(`match the same events in the library, in a flow and in a search ${contract ? "with" : "without"} an ABI`, async () => {
      // What an earlier run has shown is still there.
      const run = contract ? "-typed" : "-untyped";
      await search(contract, run);
      const abi = contract ? parseAbi(TRANSFER_ABI) : undefined;
      const events = payloads(`everything${run}`);
      should(valuesIn(events)).eql(VALUES);
      const found = TABLE.map(({ about, match = "all", conditions }, index) => ({
        about,
        library: valuesIn(events.filter((event) => matchEvent({ match, conditions }, event, abi))),
        search: valuesIn(payloads(`search-${index}${run}`)),
        flow: valuesIn(payloads(`alert-${index}${run}`).map((alert) => (alert as { event: unknown }).event)),
      }));
      should(found).eql(
        TABLE.map(({ about, expected, withoutContract = expected }) => {
          const wanted = contract ? expected : withoutContract;
          return { about, library: wanted, search: wanted, flow: wanted };
        }),
      );
    });
  }
});
