import { type Abi, decodeFunctionResult, encodeFunctionData } from "viem";
import { eventFragments, parseAbi, snakeCase } from "../../../../src/abi/index.ts";
import { EXTENSIONS, type Hex } from "../../../../src/protocol/index.ts";
import { artifact, type ContractName } from "../../chain/artifacts.ts";
import type { Chain } from "../../chain/chain.ts";
import { answerOf } from "./contract-answers.ts";
import { type ServiceLog, unknownSetting, type WatcherService } from "./service.ts";

/** `dvp`: settlements. `data`: `{settlement_id, settlement_hash, dvp}`, the last as the contract has it. */
export const dvp: WatcherService = {
  ...described("dvp"),
  async dataOf(chain, { address, params }) {
    const { settlement_id, settlement_hash } = params;
    const found = await answer(chain, address, "DemoDvp", "getSettlement", settlement_hash);
    return {
      settlement_id,
      settlement_hash,
      ...(found === undefined ? {} : { dvp: withNames(found.value, snakeCase) }),
    };
  },
};

/**
 * `dta.v2`: requests for shares of funds. `data`: the reference data, with the distributor's request as the contract has it.
 * Names and numbers are as the public service writes them: large numbers are rounded there too.
 */
export const dta: WatcherService = {
  ...described("dta.v2"),
  async dataOf(chain, log) {
    return { type: "reference_data", value: await requestOf(chain, log) };
  },
};

async function requestOf(chain: Chain, { address, params }: ServiceLog): Promise<Record<string, unknown>> {
  const { request_id } = params;
  if (request_id === undefined) return {};
  const found = await answer(chain, address, "DemoDta", "getDistributorRequest", request_id);
  if (found === undefined) return {};
  const source = {
    contract_address: address,
    contract_function_signature: "getDistributorRequest(bytes32)",
    call_data: found.callData,
    block: "latest",
  };
  const distributor_request = withNames(found.value, (name) => name.charAt(0).toUpperCase() + name.slice(1));
  return { on_chain: [{ source, data: { distributor_request } }] };
}

/** The events of the extension, and which contracts it accepts: any, since others may have the same events. */
function described(name: string): Pick<WatcherService, "events" | "refusal"> {
  const extension = EXTENSIONS.find(({ service }) => service === name);
  const events = (extension?.events ?? []).map((event) => `event ${event.name}(${event.inputs})`);
  const abi = parseAbi(events.join("\n"));
  return {
    events: eventFragments(
      abi,
      (extension?.events ?? []).map((event) => event.name),
    ),
    async refusal(chain, address, config) {
      const unknown = unknownSetting(config, []);
      if (unknown !== undefined) return unknown;
      return (await chain.code(address)) === "0x" ? `There is no contract at ${address}.` : undefined;
    },
  };
}

/** What a function of one `bytes32` answers; undefined for a contract that does not have it, or fails. */
async function answer(
  chain: Chain,
  to: string,
  contract: ContractName,
  functionName: string,
  id: unknown,
): Promise<{ value: object; callData: Hex } | undefined> {
  const abi: Abi = artifact(contract).abi;
  const callData = encodeFunctionData({ abi, functionName, args: [id] });
  const data = await answerOf(chain, { to, data: callData });
  if (data === undefined) return undefined;
  try {
    const value = decodeFunctionResult({ abi, functionName, data });
    return { value: value as object, callData };
  } catch {
    return undefined;
  }
}

/** Integers as numbers of the wire, which rounds large ones. */
function withNames(value: object, name: (name: string) => string): Record<string, unknown> {
  const entries = Object.entries(value).map(([key, part]: [string, unknown]) => {
    if (typeof part === "bigint") return [name(key), Number(part)];
    return [name(key), typeof part === "object" && part !== null ? withNames(part, name) : part];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}
