import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import { LOCAL_NETWORK } from "../../../../nodes/common/shared/chain.ts";
import { isPublic } from "../../public-address.ts";
import { placeKey } from "../answer-cache.ts";
import type { Check, Finding } from "../check-context.ts";
import { deployedContracts } from "../deployed.ts";

/** There is no code at the address of a contract, as the service has said when it was asked. */
export const contractMissing: Check = {
  name: "contract-missing",
  find: (context) =>
    deployedContracts(context).flatMap(({ node, contract: { chainSelector, address }, connection }) => {
      const answer = context.answers.contracts.get(placeKey(connection.baseUrl, chainSelector, address));
      if (answer?.value !== false) return [];
      const origin = context.flows.originOf(node);
      const values = { contract: origin.label, address };
      const buttons = [{ kind: "refresh" } as const];
      return [{ case: "no-code", severity: "error" as const, origin, detail: address, values, buttons }];
    }),
};

/** The contracts that the local service deploys first on a new chain. */
const DEMO_CONTRACTS = new Set([
  "0x5fbdb2315678afecb367f032d93f642f64180aa3",
  "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
  "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
  "0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9",
  "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9",
  "0x5fc8d32690cc91d4c39d9d3abcbd16989f875707",
  "0x0165878a594ca255338adfa4d48449f69242eb8f",
]);
/** The recipients of the examples: nobody has the keys of these addresses. */
const DEMO_RECIPIENT = /^0x0{36}0[de]\d{2}$|^0x0{35}ca105$|^0x0{32}deadbeef$/i;

/** An address of an example is used at a service that is not local. */
export const exampleAddress: Check = {
  name: "example-address",
  find: (context) => {
    const { flows } = context;
    const ofContracts = deployedContracts(context).flatMap(({ node, contract, connection }): Finding[] => {
      const { chainSelector, address } = contract;
      const isDemo = DEMO_CONTRACTS.has(address.toLowerCase());
      const isLocal = chainSelector === LOCAL_NETWORK;
      if (!isPublic(connection.baseUrl) || !(isDemo || isLocal)) return [];
      const origin = flows.originOf(node);
      const values = { contract: origin.label, address };
      return [{ case: isLocal ? "network" : "contract", severity: "error", origin, values }];
    });
    const ofCalls = flows.ofType("crec-submit-operation").flatMap((node): Finding[] => {
      const { baseUrl } = context.connectionOf(node) ?? {};
      const address = baseUrl !== undefined && isPublic(baseUrl) ? recipientIn(node) : undefined;
      if (address === undefined) return [];
      const origin = flows.originOf(node);
      const values = { node: origin.label, address };
      return [{ case: "recipient", severity: "error", origin, detail: address, values }];
    });
    // One contract may be used by several connections.
    return [...new Map(ofContracts.map((one) => [one.origin.node, one])).values(), ...ofCalls];
  },
};

function recipientIn({ calls, source }: FlowNode): string | undefined {
  const listed: readonly unknown[] = source === "form" && Array.isArray(calls) ? calls : [];
  const values = listed.flatMap((call) => {
    const { args, to } = (call ?? {}) as { args?: unknown; to?: unknown };
    return [to, ...(Array.isArray(args) ? (args as unknown[]) : [])];
  });
  const typed = values.map((value) => (value ?? {}) as { value?: unknown; type?: unknown });
  const found = typed.find(({ value, type }) => type === "str" && DEMO_RECIPIENT.test(String(value)));
  return found && String(found.value);
}
