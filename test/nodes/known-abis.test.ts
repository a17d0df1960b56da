import { readFileSync } from "node:fs";
import should from "should";
import { eventReadings, LOCAL_EVENTS, readDifferently } from "../../nodes/common/contracts/event-readings.ts";
import { DEMO_ABIS, DEMO_ADDRESSES, EXTENSION_ABIS, STANDARD_ABIS } from "../../nodes/contract/known-abis.ts";
import { serviceVariables } from "../../service/src/flow-variables.ts";
import { serviceNamed } from "../../service/src/lifecycles/watcher-services/index.ts";
import type { ReadyInfo } from "../../service/src/start/types.ts";
import * as library from "../../src/index.ts";
import { type Abi, listEvents, listFunctions, parseAbi } from "../../src/index.ts";

const ARTIFACTS = {
  token: "DemoToken",
  guarded: "GuardedToken",
  counter: "Counter",
  registry: "SensorRegistry",
} as const;

/** Everything that a wrong word would change, in one order. */
function namesOf(abi: Abi): string[] {
  const types = (parameters: ReadonlyArray<{ name?: string; type: string }>) =>
    parameters.map(({ type }) => type).join();
  const indexed = ({ inputs }: { inputs: readonly object[] }) =>
    inputs.map((input) => ("indexed" in input && input.indexed ? "indexed" : "")).join();
  const events = abi.filter((item) => item.type === "event");
  const errors = abi.filter((item) => item.type === "error");
  return [
    ...listFunctions(abi).map(
      ({ signature, stateMutability, outputs }) => `${signature} ${stateMutability} (${types(outputs)})`,
    ),
    ...listEvents(abi).map(({ signature }) => signature),
    ...events.map((event) => `${event.name} ${indexed(event)}`),
    ...errors.map(({ name, inputs }) => `${name}(${types(inputs)})`),
  ].sort();
}

describe("the ABIs that the contract form fills in", () => {
  for (const [name, text] of Object.entries(DEMO_ABIS)) {
    it(`have all of the demo contract ${name}`, () => {
      const file = `../../service/contracts/artifacts/${ARTIFACTS[name as keyof typeof ARTIFACTS]}.json`;
      const { abi } = JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as { abi: object };
      should(namesOf(parseAbi(text))).deepEqual(namesOf(parseAbi(JSON.stringify(abi))));
    });
  }

  it("of demo contracts are at the addresses that the launcher gives to flows", () => {
    const contracts = Object.fromEntries(Object.values(ARTIFACTS).map((name) => [name, `at ${name}`]));
    const variables = serviceVariables({ contracts, valid_signers: [] } as unknown as ReadyInfo);
    for (const [key, address] of Object.entries(DEMO_ADDRESSES)) {
      const name = address.slice("${".length, -"}".length) as keyof typeof variables;
      should(variables[name]).equal(`at ${ARTIFACTS[key as keyof typeof ARTIFACTS]}`);
    }
  });

  it("of watcher services, which read events, have each word of the local service", () => {
    for (const [name, text] of Object.entries(LOCAL_EVENTS)) {
      const known = eventReadings(parseAbi(text), library);
      const its = eventReadings(serviceNamed(name)?.events, library);
      should([...known.keys()]).have.length(2);
      should([...known.keys()].sort()).deepEqual([...its.keys()].sort());
      should(readDifferently(known, its)).be.empty();
    }
  });

  it("of the extensions have all functions and events of the demo contracts that stand in for them", () => {
    const contracts = {
      DemoDvp: ["CCIPDVPCoordinator"],
      DemoDta: ["DTARequestManagement", "DTARequestSettlement"],
    };
    for (const [demo, names] of Object.entries(contracts)) {
      const file = `../../service/contracts/artifacts/${demo}.json`;
      const { abi } = JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as { abi: object };
      const known = names.flatMap((name) => namesOf(parseAbi(EXTENSION_ABIS[name] ?? "")));
      should(known).containDeep(namesOf(parseAbi(JSON.stringify(abi))));
    }
  });

  it("have the functions and events of each standard", () => {
    const counts = Object.entries(STANDARD_ABIS).map(([name, text]) => {
      const abi = parseAbi(text);
      return [name, listFunctions(abi).length, listEvents(abi).length];
    });
    should(counts).deepEqual([
      ["ERC-20", 9, 2],
      ["ERC-721", 12, 3],
      ["ERC-1155", 7, 4],
    ]);
    const listed = listFunctions(parseAbi(STANDARD_ABIS["ERC-721"])).map(({ signature }) => signature);
    should(listed).containEql("safeTransferFrom(address,address,uint256,bytes)");
  });
});
