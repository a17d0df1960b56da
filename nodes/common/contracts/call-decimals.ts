import type { CrecClient } from "../../../src/index.ts";
import type { Connection } from "../fields/config-nodes.ts";
import { isTokenCall } from "../shared/chain.ts";
import { nodeError } from "../shared/errors.ts";
import { isVerificationUntouched } from "../shared/signers.ts";
import { type ContractPlace, decimalsOnChain, factsOf } from "./contract-facts.ts";
import { type ContractRegistry, contractsAt, type Units, unitsAt } from "./contract-registry.ts";

/** A call with amounts in tokens: which decimals they have is known by the address that is called. */
type CountedCall = {
  chainSelector: string;
  to: string;
  /** The first four bytes of its data, or more. */
  data: string;
  /** The contract of the form. Its decimals count only for its own address. */
  chosen?: Parameters<typeof unitsAt>[3];
  /** What is in tokens, for the error: `args.amount is given in tokens`. */
  what: string;
};

/** Where a node asks the chain: in its own channel. */
export type NodeChannel = {
  connection: Connection;
  client: CrecClient;
  channelId: string;
  signal: AbortSignal;
};

/**
 * The decimals of the address that is called: those of contract nodes, and for the functions of an ERC-20 token else
 * those that the contract tells, if that is proven.
 * @throws NO_DECIMALS; where the chain does not answer, WAIT_TIMEOUT and the like
 */
export async function decimalsOfCall(
  registry: ContractRegistry,
  call: CountedCall,
  channel: NodeChannel,
): Promise<number> {
  const units = unitsAt(registry, call.chainSelector, call.to, call.chosen);
  if (units) return units.decimals;
  const isAsked =
    isTokenCall(call.data) &&
    !isDiffering(registry, call) &&
    !channel.connection.isRehearsed &&
    !isUnverified(channel.connection);
  if (!isAsked) throw noDecimals(registry, call);
  const place = await placeOn(channel, call.chainSelector, call.to);
  const decimals = await decimalsOnChain(place, channel.signal).catch((error: { code?: unknown }) => {
    if (error.code === "QUERY_NOT_VERIFIED") throw noDecimals(registry, call, error);
    throw error;
  });
  if (decimals === undefined) throw noDecimals(registry, call);
  return decimals;
}

/** Where a node asks about an address. Without settings for proofs, nothing is proven. */
export async function placeOn(
  { connection, client, channelId }: NodeChannel,
  chainSelector: string,
  address: string,
): Promise<ContractPlace> {
  const verifier = isUnverified(connection) ? undefined : await connection.verifier();
  return { client, verifier, channelId, service: connection.baseUrl, chainSelector, address };
}

function isUnverified({ verification }: Connection): boolean {
  return isVerificationUntouched({ ...verification, validSigners: verification.validSigners ?? [] });
}

/** Of a token that has told its decimals before, and where contract nodes have none. */
export function toldUnits(
  registry: ContractRegistry,
  call: Pick<CountedCall, "chainSelector" | "to" | "data">,
  service: string | undefined,
): Units | undefined {
  if (service === undefined || !isTokenCall(call.data) || isDiffering(registry, call)) return undefined;
  const { decimals } = factsOf({ service, chainSelector: call.chainSelector, address: call.to });
  return decimals === undefined ? undefined : { decimals, amounts: [] };
}

/** Names the address, and what is wrong. */
export function noDecimals(
  registry: ContractRegistry,
  call: Pick<CountedCall, "chainSelector" | "to" | "what">,
  unproven?: unknown,
): Error {
  const { to, what } = call;
  const unknown = unproven === undefined ? "are not known" : "are not known: what it tells is not proven";
  const why = isDiffering(registry, call)
    ? `but the contract nodes of ${to} have different decimals. Correct them`
    : `but the decimals of ${to} ${unknown}. Fill them in in a contract node with this address and network`;
  return nodeError("NO_DECIMALS", `${what}, ${why}, or use the smallest unit.`, unproven);
}

/** Whether contract nodes of the address have decimals, but not the same. To be asked where `unitsAt` gives none. */
export function isDiffering(
  registry: ContractRegistry,
  { chainSelector, to }: Pick<CountedCall, "chainSelector" | "to">,
): boolean {
  return contractsAt(registry, chainSelector, to).some(({ contract }) => contract.decimals !== undefined);
}
